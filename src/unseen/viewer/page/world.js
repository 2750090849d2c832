// A world to be browsed: drag its factors, and it draws.

import { ask, chooser, h, link, number, plural } from "./parts.js";
import { pose } from "./pose.js";

export async function show(page, given, study) {
  const found = await ask("worlds", { study: study.name });
  page.append(h("h1", "World"));
  if (found.absent) { page.append(h("p", `There is nothing to draw: ${found.absent}.`)); return {}; }
  const one = found.worlds.find((world) => String(world.trial) === given.trial) || found.worlds[0];
  const parameters = { study: study.name, trial: one.trial };
  const row = Math.min(Number(given.row || 0), one.rows - 1);
  const large = pose(parameters, row, (told) => history.replaceState(null, "", link("world", { ...parameters, row: told.row })));
  const other = () => large.come(Math.floor(Math.random() * one.rows));
  page.append(
    h("p.small", `${one.name}: ${plural(one.rows, "image")} of ${one.size[1]} × ${one.size[0]} pixels; ${one.factors.map((factor) => `${factor.name} (${number(factor.levels)})`).join(", ")}`),
    h("div.tools", found.worlds.length > 1 ? chooser("world", one.trial, found.worlds.map((world) => [world.trial, `${world.name}, ${plural(world.rows, "image")}`]), (trial) => { location.hash = link("world", { study: study.name, trial }); }) : null,
      h("button", { type: "button", onclick: other }, "Another at random")),
    large.whole,
    Object.keys(one.provenance).length ? h("details", h("summary", "Where it comes from"), h("dl.fixed", Object.entries(one.provenance).map(([key, value]) => [h("dt", key), h("dd", String(value))]))) : "");
  return {};
}

// The split as a picture, its sets and their reasons.

import { ask, chooser, h, number, table } from "./parts.js";

export async function show(page, given, study, go) {
  const found = await ask("split", { study: study.name, trial: given.trial });
  page.append(h("h1", "Split"));
  if (!found.splits.length) { page.append(h("p", `There is nothing to draw: ${found.why}`)); return {}; }
  if (found.splits.length > 1) page.append(h("div.tools", chooser("split", found.trial, found.splits.map((one) => [one.trial, one.label]), (trial) => go("split", { study: study.name, trial }))));
  if (found.why) page.append(h("p", found.why));
  else page.append(h("p.small", "Framed: seen in training. Dashed: asked at test, and never seen. Faded: neither."));
  const pictures = h("div"), sets = h("div");
  page.append(h("div.two", pictures, sets));
  for (const one of found.pictures) {
    const drawing = h("div.drawing.scrolls", { tabindex: "0", role: "region", "aria-label": one.title });
    drawing.innerHTML = one.svg; // drawn by the server, its words escaped
    pictures.append(h("figure", h("h2", one.title), h("p.small", one.words), drawing, one.note ? h("figcaption.small", one.note) : null));
  }
  sets.append(h("h2", "Sets"), table([
    { name: "set", head: true, value: (one) => one.name }, { name: "images", right: true, value: (one) => one.images, show: (one) => number(one.images) }, { name: "why", wrap: true, value: (one) => one.reason }], found.sets, { caption: "Sets of this split" }));
  if (found.verdicts.length) sets.append(h("p.small", `Audit: ${found.verdicts.join("; ")}.`));
  for (const problem of found.problems) sets.append(h("p.flagged", h("span.flag", "to know"), ` ${problem}`));
  return {};
}

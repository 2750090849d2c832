// One trial: its settings, its curves, its sets, what is flagged.

import { ask, h, link, number, plural, table } from "./parts.js";
import { chart } from "./chart.js";
import { looked } from "./maps.js";

export async function show(page, parameters, study) {
  const one = await ask("trial", { study: study.name, trial: parameters.trial });
  page.append(h("p.crumb", h("a", { href: link("trials", { study: study.name }) }, "Trials"), ` / #${one.place}`), h("h1", one.label));
  const place = Number(one.place);
  page.append(h("p.pager", place > 0 ? h("a", { href: link("trial", { study: study.name, trial: place - 1 }), rel: "prev" }, "← the trial before") : null,
    place < study.trials.length - 1 ? h("a", { href: link("trial", { study: study.name, trial: place + 1 }), rel: "next" }, "the next trial →") : null));
  if (one.state === "missing") page.append(h("p", "It is not finished yet."));
  if (one.error) page.append(h("section.failures", h("h2", one.state === "damaged" ? "Damaged" : "Failed"), h("p", one.error), one.traceback ? h("details", { open: true }, h("summary", "Traceback"), h("pre", one.traceback)) : null));
  for (const [flag, words] of Object.entries(one.flags || {})) page.append(h("p.flagged", h("span.flag", flag), ` ${words}`));
  if (one.state !== "finished") return {};
  if (one.curve.length) page.append(curves(one));
  if (one.maps) {
    const maps = h("section", h("h2", "What it looks at"), h("p.small", "Drawing the maps that were recorded."));
    page.append(maps);
    looked({ study: study.name, trial: one.identity }).then((found) => maps.replaceChildren(h("h2", "What it looks at"), ...found), (error) => maps.append(h("p.trouble", error.message)));
  }
  page.append(h("div.columns",
    h("section", h("h2", "Facts"), h("table.facts", h("tbody", one.facts.map(([name, words]) => h("tr", h("th", { scope: "row" }, name), h("td", words)))))),
    h("section", h("h2", "Sets"), h("table.facts", h("tbody", Object.entries(one.sets).map(([name, n]) => h("tr", h("th", { scope: "row" }, name), h("td", plural(n, "image")))))),
      h("p.small", "Asks ", Object.entries(one.targets).map(([name, classes]) => `${name}${Array.isArray(classes) && classes.length ? ` (${classes.length} classes)` : ""}`).join(", "), "."))));
  return {};
}

/** Loss and accuracy over the epochs, a chart for each, and their data. */
function curves(one) {
  const kinds = [...new Set(one.curve.map((point) => point.quantity))];
  const section = h("section", h("h2", "Training"), h("div.charts", kinds.map((quantity) => {
    const data = one.curve.filter((point) => point.quantity === quantity);
    const targets = [...new Set(data.map((point) => point.of))];
    return chart(`${quantity}${quantity === "loss" ? ", logarithmic" : ""}`, {
      data: { values: data },
      layer: [
        { mark: { type: "rule", color: "MUTED", strokeDash: [2, 3] }, data: { values: [{ epoch: one.kept }] }, encoding: { x: { field: "epoch", type: "quantitative" } } },
        { mark: { type: "line", point: { size: 18 }, strokeWidth: 1.6 }, encoding: {
          x: { field: "epoch", type: "quantitative", axis: { tickMinStep: 1, grid: false, title: "epoch" } },
          y: { field: "value", type: "quantitative", axis: { title: null, tickCount: 5 }, scale: quantity === "loss" && data.every((p) => p.value > 0) ? { type: "log" } : { zero: false } },
          strokeDash: { field: "phase", type: "nominal", legend: null, sort: ["train", "validation"] },
          ...(targets.length > 1 ? { color: { field: "of", type: "nominal", legend: { title: null, orient: "top" } } } : { color: { value: "SEEN" } }),
          tooltip: [{ field: "phase" }, { field: "of" }, { field: "epoch" }, { field: "value", format: ".4g" }] } },
      ],
    }, { rows: data, name: `${one.label} ${quantity}`, height: 190 });
  })), h("p.small", `Solid: training; dashed: validation. Dotted: the epoch whose weights were kept (${number(one.kept)}).`));
  return section;
}

// Units of a layer: the most specialised first, where they fire, and images of those cells.

import { ask, chooser, h, number, plural, short } from "./parts.js";
import { chart } from "./chart.js";
import { pager } from "./images.js";
import { paint, sheet } from "./sheets.js";

export async function show(page, given, study, go) {
  const parameters = { study: study.name, ...given };
  const found = await ask("units", parameters);
  page.append(h("h1", "Units"));
  if (!found.trials.length) { page.append(h("p", `There is nothing to show: ${found.why}`)); return {}; }
  const change = (more) => go("units", { ...parameters, start: "", ...more });
  page.append(
    h("div.tools",
      chooser("trial", found.trial, found.trials.map((one) => [one.name, one.label]), (trial) => change({ trial, layer: "" })),
      chooser("layer", found.layer, found.layers, (layer) => change({ layer })),
      found.types.length > 1 ? chooser("prefers", parameters.type, found.types, (type) => change({ type }), { none: "anything" }) : null,
      chooser("order", parameters.order || "specialization", [["specialization", "most specialised"], ["selectivity", "most selective"], ["invariance", "most invariant"], ["unit", "number"]], (order) => change({ order }))),
    h("p.small", `${plural(found.n, "unit")}${found.n < found.units_in_all ? ` of ${number(found.units_in_all)}` : ""}. The fuller a cell, the more a unit fires there, from its least to its most. Below: images of its best cells, best first. `, found.why));
  const list = h("ul.units", { "aria-label": "Units" }, found.rows.map((one) => unit(one, found, study)));
  page.append(list, pager(Number(parameters.start || 0), found.n, 24, (more) => go("units", { ...parameters, ...more }), "unit"));
  if (found.scores.some((one) => one.selectivity !== null && one.invariance !== null)) page.append(h("h2", "All of them"), h("div", { style: { "max-width": "640px" } }, chart("selectivity and invariance of every unit", {
    data: { values: found.scores.filter((one) => one.selectivity !== null && one.invariance !== null) }, mark: { type: "point", filled: true, size: 28, opacity: 0.6 },
    encoding: { x: { field: "invariance", type: "quantitative", axis: { grid: false } }, y: { field: "selectivity", type: "quantitative" },
      ...(found.types.length > 1 ? { color: { field: "unit_type", type: "nominal", legend: { title: "prefers", orient: "top" } } } : { color: { value: "SEEN" } }),
      tooltip: ["unit", "unit_type", "selectivity", "invariance", "specialization"].map((field) => ({ field, ...(field.endsWith("y") || field.endsWith("n") ? { format: ".3f" } : {}) })) } }, { rows: found.scores, name: `units of ${found.layer}`, height: 260 })));
  const rows = [...new Set(found.rows.flatMap((one) => one.images))].slice(0, 240);
  if (rows.length) {
    sheet({ study: study.name, trial: found.trial }, rows, 64).then((images) => {
      for (const one of list.querySelectorAll("canvas")) paint(one, images, Number(one.dataset.wanted));
      list.dataset.painted = "yes";
    }).catch((error) => page.append(h("p.trouble", error.message)));
  }
  return {};
}

function unit(one, found, study) {
  const drawing = h("div.drawing");
  drawing.innerHTML = one.grid; // drawn by the server, its words escaped
  const score = (name) => (one[name] === null ? null : `${name} ${short(one[name])}`);
  return h("li", h("h3", `unit ${one.unit}`), h("p", [one.unit_type ? `prefers ${one.unit_type}` : "no preference", score("specialization"), score("selectivity"), score("invariance")].filter(Boolean).join(" · ")), drawing,
    one.images.length ? h("div.strip", { role: "img", "aria-label": `Images of the cells where unit ${one.unit} fires most` }, one.images.map((row) => h("canvas", { width: 1, height: 1, "data-wanted": row }))) : null,
    found.weights ? excite(one, found, study) : null);
}

/** A button that asks the network itself, whose weights are kept, for the images that excite a unit most. */
function excite(one, found, study) {
  const place = h("div");
  const button = h("button.quiet", { type: "button", onclick: async () => {
    button.disabled = true;
    place.replaceChildren(h("p.small", "Asking the network …"));
    try {
      const told = await ask("exciting", { study: study.name, trial: found.trial, layer: found.layer, unit: one.unit });
      const images = await sheet({ study: study.name, trial: found.trial }, told.rows, 96);
      place.replaceChildren(h("p", `Most exciting of ${plural(told.probed, "image")} of the probe; framed: what it can see.`), h("div.strip.wide", { role: "img", "aria-label": `Images that excite unit ${one.unit} most` }, told.rows.map((row, at) => {
        const canvas = h("canvas", { width: 1, height: 1, title: `activity ${short(told.activity[at])}` });
        paint(canvas, images, row);
        frame(canvas, told.boxes[at]);
        return canvas;
      })));
      button.remove();
    } catch (error) {
      place.replaceChildren(h("p.trouble", error.message));
      button.disabled = false;
    }
  } }, "images that excite it most");
  return h("div", button, place);
}

function frame(canvas, [top, left, bottom, right]) {
  const { width, height } = canvas, pen = canvas.getContext("2d");
  if (top <= 0 && left <= 0 && bottom >= 1 && right >= 1) return;
  pen.strokeStyle = "#f2914f";
  pen.lineWidth = Math.max(1, width / 48);
  pen.strokeRect(left * width, top * height, (right - left) * width, (bottom - top) * height);
}

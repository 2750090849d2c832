// One image large, in a dialog: its factors to be dragged, and what everybody said of it.

import { ask, h, level, link, percent, plural, short, table } from "./parts.js";
import { looked } from "./maps.js";
import { pose } from "./pose.js";

/** Open one of the images that a page shows; the arrow keys go on to the others. */
export function lightbox(view, one) {
  const dialog = document.getElementById("dialog");
  const list = view.rows.map((row) => row.sample).filter((row, at, all) => all.indexOf(row) === at);
  const parameters = { study: view.parameters.study, trial: view.parameters.trial };
  const answers = h("div.answers"), title = h("h2", { id: "dialog-title" }, `Row ${Number(one.sample).toLocaleString("en")}`);
  let turn = 0;
  const large = pose(parameters, one.sample, async (found) => {
    title.textContent = Object.entries(found.levels).map(([factor, at]) => `${factor} ${level(at)}`).join(" · ");
    const mine = ++turn;
    try {
      const told = await ask("image", { ...parameters, row: found.row, answers: 1 });
      if (mine === turn) answers.replaceChildren(...said(told.answers, view), ...(told.units ? [firing(told.units, parameters)] : []));
      if (!told.maps) return;
      const maps = await looked({ ...parameters, row: found.row });
      if (mine === turn && maps.length) answers.append(h("h3", "What it looks at"), ...maps);
    } catch (error) {
      if (mine === turn) answers.replaceChildren(h("p.trouble", error.message));
    }
  }, answers);
  const step = (by) => { const at = list.indexOf(large.row()); const to = list[at < 0 ? 0 : at + by]; if (to !== undefined) large.come(to); };
  const keys = (event) => {
    if (event.target.closest("input, select, table")) return;
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") { event.preventDefault(); step(event.key === "ArrowRight" ? 1 : -1); }
  };
  dialog.replaceChildren(h("div.lightbox", h("div.lightbox-head", title,
    h("span", list.length > 1 ? [h("button", { type: "button", onclick: () => step(-1), "aria-label": "the image before" }, "←"), " ", h("button", { type: "button", onclick: () => step(1), "aria-label": "the next image" }, "→"), " "] : null,
      h("button", { type: "button", onclick: () => dialog.close() }, "Close"))), large.whole));
  dialog.addEventListener("keydown", keys);
  dialog.addEventListener("close", () => dialog.removeEventListener("keydown", keys), { once: true });
  dialog.showModal();
}

function said(rows, view) {
  if (!rows.length) return [h("p.small", "Nobody was asked about this image: it is a neighbour of one that was.")];
  const targets = [...new Set(rows.map((one) => one.target))];
  return targets.map((target) => {
    const some = rows.filter((one) => one.target === target), rights = some.filter((one) => one.right).length;
    const head = view.number ? `${target}: truth ${short(some[0].truth)}` : `${target}: ${some[0].truth}. ${rights} of ${some.length} right`;
    return h("section", h("h3", head), table([
      { name: "", title: "right or wrong", value: (one) => (one.right ? 1 : 0), show: (one) => (one.right === null ? "" : h("span", { class: one.right ? "yes" : "no", "aria-label": one.right ? "right" : "wrong", role: "img" }, one.right ? "✓" : "✗")) },
      { name: "who", wrap: true, value: (one) => one.label, show: (one) => (one.kind === "trial" ? h("a", { href: link("trial", { study: view.parameters.study, trial: one.trial }), onclick: () => document.getElementById("dialog").close() }, one.label) : one.label) },
      { name: "answer", value: (one) => one.response, show: (one) => (typeof one.response === "number" ? short(one.response) : one.response || "none") },
      ...(some.some((one) => one.confidence !== null && one.confidence !== undefined) ? [{ name: "sure", right: true, value: (one) => one.confidence, show: (one) => percent(one.confidence) }] : []),
      ...(new Set(some.map((one) => one.set)).size > 1 ? [{ name: "set", value: (one) => one.set }] : []),
    ], some, { caption: `Answers: ${target}`, most: 60 }));
  });
}

/** The units that come nearest to their own most in the cell of this image. */
function firing(units, parameters) {
  return h("section.firing", h("h3", "Units that fire here"), h("p.small", `Of ${plural(units.n, "unit")} of ${units.layer}, in the cell of this image: 100 % is where a unit fires most of all cells.`), table([
    { name: "unit", head: true, value: (one) => one.unit, show: (one) => h("a", { href: link("units", { ...parameters, layer: units.layer }), "aria-label": `unit ${one.unit}: all units of ${units.layer}`, onclick: () => document.getElementById("dialog").close() }, `unit ${one.unit}`) },
    { name: "activity", right: true, value: (one) => one.share, show: (one) => h("span.share", { style: { "--share": one.share } }, percent(one.share)) },
  ], units.rows, { caption: "Units that fire in the cell of this image" }));
}

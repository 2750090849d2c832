// Images that were asked, as a grid: of anybody, by cell, truth, answer, confidence, right and wrong.

import { address, ask, chooser, h, interval, level, number, percent, plural, say, short, span, trouble } from "./parts.js";
import { paint, sheet } from "./sheets.js";
import { lightbox } from "./lightbox.js";

const AT_ONCE = 200;
const FIRST = 24; // images of a page that are asked for before the others
const ORDERS = [["", "row"], ["surest", "surest first"], ["least sure", "least sure first"]];

export async function show(page, given, study, go) {
  const choices = await ask("choices", { study: study.name, trial: given.trial });
  const parameters = { study: study.name, ...given, trial: choices.chosen[0] };
  if (!("target" in given)) parameters.target = choices.targets[0];
  if (!("set" in given) && choices.sets.length > 1) parameters.set = choices.sets.find((one) => /unseen|test|across/.test(one)) || choices.sets[0];
  const change = (more) => go("images", { ...parameters, ...more });
  const target = parameters.target || choices.targets[0];
  const factors = Object.keys(choices.factors);
  const chosen = factors.filter((name) => parameters[`f.${name}`]);
  const bound = (label, key, placeholder) => h("label.field", h("span", label), h("input", { "aria-label": label, type: "number", min: 0, max: 1, step: 0.05, placeholder, value: parameters[key] ?? "", style: { width: "76px" }, onchange: (event) => change({ [key]: event.target.value }) }));
  const by = [...(choices.number ? [] : [["right", "right or wrong"], ["mistake", "truth and answer"], ["truth", "truth"], ["response", "answer"], ["confidence", "confidence"]]),
    ...(factors.length > 1 ? [[factors.slice(0, 2).join(","), `cell: ${factors.slice(0, 2).join(" × ")}`]] : []), ...factors.map((name) => [name, name]), ["set", "set"]];
  page.append(h("h1", "Images"),
    h("div.tools", { role: "group", "aria-label": "Choose images" },
      chooser("answers of", parameters.trial, choices.answerers.map((one) => [one.name, one.kind === "trial" ? one.label : `${one.label} (${one.kind})`]), (trial) => change({ trial })),
      choices.sets.length > 1 ? chooser("set", parameters.set, choices.sets, (set) => change({ set: set || "" }), { none: "all" }) : null,
      choices.targets.length > 1 ? chooser("asked", target, choices.targets, (value) => go("images", { ...parameters, target: value, truth: "", response: "" })) : null,
      choices.number ? null : [
        chooser("answers", parameters.right, [["yes", "right"], ["no", "wrong"]], (right) => change({ right }), { none: "all" }),
        chooser("truth", parameters.truth, choices.truth[target] || [], (truth) => change({ truth }), { none: "any" }),
        chooser("answer", parameters.response, choices.response[target] || [], (response) => change({ response }), { none: "any" }),
        bound("sure from", "sure", "0"), bound("sure to", "unsure", "1")],
      chooser("arrange by", parameters.by, by, (value) => change({ by: value }), { none: "nothing" }),
      chooser("order", parameters.order, choices.number ? [["", "row"], ["largest error", "largest error first"]] : ORDERS, (order) => change({ order }))),
    factors.length ? h("details.more", { open: chosen.length > 0 }, h("summary", chosen.length ? `Levels: ${chosen.map((name) => `${name} ${level(parameters[`f.${name}`])}`).join(", ")}` : "Levels of factors"),
      h("div.tools", factors.map((name) => chooser(name, parameters[`f.${name}`], choices.factors[name].map((one) => [one, level(one)]), (value) => change({ [`f.${name}`]: value }), { none: "all" })))) : null);
  const body = h("div"), head = h("p.summary");
  page.append(head, body);
  const asked = Object.fromEntries(Object.entries(parameters).filter(([key]) => !["start", "row"].includes(key)));
  const start = Number(parameters.start || 0);
  const found = await ask("answers", { ...asked, start, most: parameters.by ? 24 : AT_ONCE });
  head.replaceChildren(h("b", plural(found.n, "answer")), found.accuracy && found.n ? h("span", { title: interval(found.accuracy) }, ` · ${percent(found.accuracy.value)} right (${percent(found.accuracy.low)} to ${percent(found.accuracy.high)})`) : "",
    found.n ? h("span.small", " · all of these as ", h("a", { href: address("download", { ...asked, what: "answers", form: "csv" }), download: true }, "CSV"), ", ", h("a", { href: address("download", { ...asked, what: "answers", form: "parquet" }), download: true }, "Parquet")) : "");
  say(`${plural(found.n, "answer")}`);
  if (!found.n) body.append(h("p", "No answer has all of these. Choose fewer."));
  const view = { parameters, study, rows: found.rows, number: found.number, factors: found.factors, shared: shared(choices.truth[target]) };
  if (parameters.by) {
    for (const group of found.groups) body.append(section(group, view, parameters, change));
  } else body.append(grid(found.rows, view));
  body.append(pager(start, parameters.by ? found["every group"] : found.n, parameters.by ? 24 : AT_ONCE, change, parameters.by ? "group" : "answer"));
  fill(body, found.rows, parameters);
  return {};
}

/** The words that all classes begin with, which a tile has no room for. */
export function shared(classes = []) {
  const words = classes.map((one) => one.split(" "));
  let many = 0;
  while (classes.length > 1 && words.every((one) => one.length > many + 1 && one[many] === words[0][many])) many += 1;
  return many ? `${words[0].slice(0, many).join(" ")} ` : "";
}

function section(group, view, parameters, change) {
  const rows = view.rows.filter((one) => one.group === group.group);
  const share = group.accuracy ? h("span.small", { title: interval(group.accuracy) }, ` ${percent(group.accuracy.value)} right of ${number(group.n)}`) : h("span.small", ` ${number(group.n)}`);
  const narrow = narrower(parameters.by, group.group);
  return h("section.group", h("h3", heading(parameters.by, group.group), share, narrow && group.n > rows.length ? h("button.quiet", { type: "button", onclick: () => change({ ...narrow, by: "", start: "" }) }, "all of them") : null), grid(rows, view));
}

/** What a group is called: levels with the names of their factors. */
function heading(by, group) {
  const names = by.split(","), levels = (group || "none").split(" · ");
  const named = ["right", "mistake", "truth", "response", "set"].includes(by) || names.length !== levels.length;
  return named ? group || "none" : names.map((name, at) => `${name} ${level(levels[at])}`).join(" · ");
}

/** What shows one group alone. */
function narrower(by, group) {
  if (by === "right") return { right: group === "right" ? "yes" : "no" };
  if (by === "mistake" && group.endsWith(", right")) return { truth: group.slice(0, -", right".length), right: "yes" };
  if (by === "mistake") { const [truth, response] = group.split(" taken for "); return { truth, response }; }
  if (by === "confidence") { const [low, high] = group.split(" to "); return high ? { sure: low, unsure: high } : null; }
  if (["truth", "response", "set"].includes(by)) return { [by]: group };
  const names = by.split(","), levels = group.split(" · ");
  return names.length === levels.length ? Object.fromEntries(names.map((name, at) => [`f.${name}`, levels[at]])) : null;
}

/** A grid of tiles; arrow keys go among them. */
export function grid(rows, view) {
  const tiles = rows.map((one) => tile(one, view));
  return h("ul.grid", { "aria-label": "Images", onkeydown: (event) => move(event) }, tiles.map((one) => h("li", one)));
}

function tile(one, view) {
  const right = one.right;
  const bare = (name) => (name.startsWith(view.shared) ? name.slice(view.shared.length) : name);
  const said = view.number ? `${short(one.response)} for ${short(one.truth)}` : right ? bare(one.truth) : `${bare(one.truth)} → ${bare(one.response) || "no answer"}`;
  const sure = one.confidence === null || one.confidence === undefined ? "" : percent(one.confidence);
  const cell = view.factors.map((name) => `${name} ${level(one[name])}`).join(", ");
  const label = view.number ? `truth ${short(one.truth)}, answer ${short(one.response)}; ${cell}` : `${right ? "right" : "wrong"}: ${one.truth}${right ? "" : `, answered ${one.response || "nothing"}`}${sure ? `, ${sure} sure` : ""}; ${cell}`;
  return h("button.tile", { type: "button", class: `tile${right === false ? " wrong" : ""}`, "aria-label": label, title: label, onclick: () => lightbox(view, one), "data-row": one.sample },
    h("canvas", { width: 1, height: 1, "aria-hidden": "true" }), h("span.said", right === false ? h("b", "✗ ") : null, said), h("span.sure", sure));
}

function move(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: "down", ArrowUp: "up" }[event.key];
  const tiles = [...event.currentTarget.querySelectorAll(".tile")], at = tiles.indexOf(document.activeElement);
  if (!step || at < 0) return;
  const across = tiles.filter((one) => one.offsetTop === tiles[0].offsetTop).length;
  const to = tiles[at + (step === "down" ? across : step === "up" ? -across : step)];
  if (to) { event.preventDefault(); to.focus(); }
}

/** Paint all tiles on a page, the first rows first: few, then more at a time. */
export async function fill(body, rows, parameters) {
  const wanted = [...new Set(rows.map((one) => one.sample))];
  const count = h("span"), time = h("span", { "aria-hidden": "true" }), began = Date.now();
  const slow = h("p.small", { role: "status" }, "Drawing: ", count, ". The first images of a drawn world may take a while, since its objects are made before.", time);
  const patience = setTimeout(() => body.prepend(slow), 1500);
  const ticking = setInterval(() => { time.textContent = ` ${span((Date.now() - began) / 1000)} so far.`; }, 1000);
  try {
    for (let start = 0, size = FIRST; start < wanted.length; start += size, size = Math.min(AT_ONCE, 2 * size)) {
      count.textContent = start ? `${number(start)} of ${plural(wanted.length, "image")} are there` : plural(wanted.length, "image");
      const found = await sheet(parameters, wanted.slice(start, start + size), 96);
      for (const one of body.querySelectorAll(".tile")) {
        const row = Number(one.dataset.row);
        if (found.place.has(row)) paint(one.firstChild, found, row);
      }
    }
    body.dataset.painted = String(wanted.length);
  } catch (error) {
    body.classList.add("without");
    if (!body.querySelector(".trouble")) body.prepend(trouble(error));
  }
  clearTimeout(patience);
  clearInterval(ticking);
  slow.remove();
}

export function pager(start, n, each, change, what) {
  if (n <= each && !start) return "";
  const last = Math.min(n, start + each);
  return h("nav.pager", { "aria-label": "Pages" }, h("button", { type: "button", disabled: start <= 0, onclick: () => change({ start: Math.max(0, start - each) || "" }) }, "← before"),
    h("span", `${plural(n, what)}: ${number(start + 1)} to ${number(last)}`), h("button", { type: "button", disabled: last >= n, onclick: () => change({ start: last }) }, "next →"));
}

// Two subjects side by side: who had which images right, and those they differ on.

import { ask, chooser, h, number, percent, plural, say, short } from "./parts.js";
import { fill, pager, shared } from "./images.js";
import { lightbox } from "./lightbox.js";

const AT_ONCE = 120;

export async function show(page, given, study, go) {
  const choices = await ask("choices", { study: study.name, trial: given.first });
  const everybody = choices.answerers;
  page.append(h("h1", "Two subjects side by side"));
  if (everybody.length < 2) { page.append(h("p", "Two must have answered; so far it is ", plural(everybody.length, "subject"), ".")); return {}; }
  const parameters = { study: study.name, ...given, first: choices.chosen[0] };
  if (!("second" in given)) parameters.second = everybody.find((one) => one.name !== parameters.first).name;
  else if (/^\d+$/.test(parameters.second) && study.trials[parameters.second]?.identity) parameters.second = study.trials[parameters.second].identity; // a trial may be named by its place
  if (!("target" in given)) parameters.target = choices.targets[0];
  if (!("set" in given) && choices.sets.length > 1) parameters.set = choices.sets.find((one) => /unseen|test|across/.test(one)) || choices.sets[0];
  const change = (more) => go("pair", { ...parameters, start: "", ...more });
  const people = everybody.map((one) => [one.name, one.kind === "trial" ? one.label : `${one.label} (${one.kind})`]);
  page.append(h("div.tools",
    chooser("first", parameters.first, people, (first) => change({ first })), chooser("second", parameters.second, people, (second) => change({ second })),
    h("button", { type: "button", onclick: () => change({ first: parameters.second, second: parameters.first }), "aria-label": "exchange the two" }, "⇄"),
    choices.sets.length > 1 ? chooser("set", parameters.set, choices.sets, (set) => change({ set }), { none: "all" }) : null,
    choices.targets.length > 1 ? chooser("asked", parameters.target, choices.targets, (target) => change({ target })) : null));
  const found = await ask("pair", { ...parameters, most: AT_ONCE });
  say(`${plural(found.n, "image")} in common`);
  page.append(h("div.two", fourfold(found, parameters, change), verdict(found)));
  const rows = found.rows.map((one) => ({ ...one, right: one.first_right }));
  const view = { parameters: { study: study.name, trial: parameters.first }, rows, number: false };
  const bare = (name, all = shared(choices.truth[parameters.target])) => (name && name.startsWith(all) ? name.slice(all.length) : name || "none");
  const grid = h("ul.grid", { "aria-label": "Images" }, rows.map((one) => h("li", tile(one, view, found, bare))));
  const body = h("div", grid);
  page.append(h("h2", parameters.outcome ? OUTCOMES[parameters.outcome] : "Where they differ most"), h("p.small", "Images that only one had right stand first, the surest answers before others; then those with two different wrong answers."), body,
    pager(Number(parameters.start || 0), found.found, AT_ONCE, (more) => go("pair", { ...parameters, ...more }), "image"));
  fill(body, rows, view.parameters);
  return {};
}

const none = (one) => one.low === null || one.low === one.high; // of draws that are all the same nothing is known

const OUTCOMES = { both: "Both right", first: "Only the first right", second: "Only the second right", neither: "Both wrong" };

function fourfold(found, parameters, change) {
  const cell = (outcome) => h("td", h("button", { type: "button", "aria-pressed": String(parameters.outcome === outcome), "aria-label": `${OUTCOMES[outcome]}: ${found.counts[outcome]} images; show them`,
    onclick: () => change({ outcome: parameters.outcome === outcome ? "" : outcome }) }, number(found.counts[outcome]), h("small", OUTCOMES[outcome].toLowerCase())));
  return h("table.fourfold", h("caption.hidden", "Images by who had them right"), h("thead", h("tr", h("td"), h("th", { scope: "col" }, "second right"), h("th", { scope: "col" }, "second wrong"))),
    h("tbody", h("tr", h("th", { scope: "row" }, "first right"), cell("both"), cell("first")), h("tr", h("th", { scope: "row" }, "first wrong"), cell("second"), cell("neither"))));
}

function verdict(found) {
  const [a, b] = found.accuracies, gap = found.difference;
  const points = (value) => `${(100 * value).toFixed(1)}`.replace("-", "−");
  return h("div.verdict",
    h("p", h("b", percent(a)), ` ${found.labels[0]}`, h("br"), h("b", percent(b)), ` ${found.labels[1]}`),
    h("p", "Difference ", h("b", `${points(gap.value)} points`), none(gap) ? "" : ` (${points(gap.low)} to ${points(gap.high)})`, `, p ${found.p < 0.001 ? "< 0.001" : `= ${short(found.p)}`}, n = ${plural(found.n, "image")}${found.objects && found.objects < found.n ? ` of ${plural(found.objects, "object")}` : ""}.`),
    h("p.small", `${found.test}; ${gap.method}. One comparison, chosen by eye: not corrected for others. `,
      found.kappa_why ? `Error consistency is undefined: ${found.kappa_why}.` : `Error consistency κ ${short(found.kappa.value)}${none(found.kappa) ? "" : ` (${short(found.kappa.low)} to ${short(found.kappa.high)})`}: 0 is independent errors, 1 the same ones.`));
}

function tile(one, view, found, bare) {
  const line = (name, right, answer, sure) => h(`span.${name === "1" ? "a" : "b"}`, h("b", `${name} `), h("span", { class: right ? "yes" : "no" }, right ? "✓" : "✗"), ` ${bare(answer)}`, sure === null ? "" : h("span.sure", ` ${Math.round(100 * sure)}`));
  const label = `truth ${one.truth}; first ${one.first_right ? "right" : "wrong"}: ${one.first || "none"}; second ${one.second_right ? "right" : "wrong"}: ${one.second || "none"}; ${found.factors.map((name) => `${name} ${one[name]}`).join(", ")}`;
  return h("button.tile", { type: "button", "aria-label": label, title: label, "data-row": one.sample, onclick: () => lightbox(view, one) },
    h("canvas", { width: 1, height: 1, "aria-hidden": "true" }), h("span.said", bare(one.truth)), line("1", one.first_right, one.first, one.first_sure), line("2", one.second_right, one.second, one.second_sure));
}

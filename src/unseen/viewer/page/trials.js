// The trials of a study: their state, what is flagged, what failed and why, how many answers were right.

import { ask, bytes, compare, h, interval, lazily, link, number, percent, plural, short, span, table } from "./parts.js";

export async function show(page, parameters, study, go) {
  const top = h("div"), workers = h("div"), failures = h("div"), list = h("div"), said = h("p.small");
  const search = h("input", { type: "search", placeholder: "words, as in: shared seed 0", "aria-label": "Show trials with these words", value: parameters.words || "",
    oninput: lazily(() => { history.replaceState(null, "", link("trials", { study: study.name, words: search.value })); draw(); }) });
  page.append(top, workers, failures, h("div.tools", h("label.field.wide", h("span", "Show trials with"), search), said), list);
  let shares = { rows: [] }, before = "";

  async function refresh(now) {
    study = now || study;
    const state = JSON.stringify([study.counts, study.running, study.left, study.trials.map((one) => [one.state, one.epoch]), study.workers]);
    if (state === before) return Boolean(study.running);
    const more = !before || JSON.parse(before)[0].finished !== study.counts.finished;
    before = state;
    draw();
    if (more && study.counts.finished + study.subjects) {
      shares = await ask("accuracies", { study: study.name });
      draw();
    }
    return Boolean(study.running);
  }

  function draw() {
    top.replaceChildren(...head(study));
    failures.replaceChildren(...failed(study));
    atWork(workers, study);
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = study.trials.filter((one) => words.every((word) => `${one.label} ${one.state} ${Object.keys(one.flags || {}).join(" ")}`.toLowerCase().includes(word)));
    said.textContent = rows.length === study.trials.length ? plural(rows.length, "trial") : `${rows.length} of ${plural(study.trials.length, "trial")}`;
    list.replaceChildren(table(columns(study, shares), rows, { caption: `Trials of ${study.title}`, most: 150, row: (one) => ({ "data-state": one.state }) }));
    const others = shares.answerers ? shares.answerers.filter((one) => one.kind !== "trial") : [];
    if (others.length) list.append(h("h2", "Answers made elsewhere"), table(subjectColumns(study, shares), others, { caption: "Subjects from elsewhere" }));
  }
  refresh(study).catch((error) => said.replaceChildren(error.message));
  return { refresh };
}

function head(study) {
  const { finished, failed, missing, damaged, running } = study.counts;
  const all = finished + failed + missing + damaged + running;
  const said = [`${number(finished)} of ${plural(all, "trial")} finished`, failed && `${failed} failed`, damaged && `${damaged} damaged`].filter(Boolean).join(", ");
  return [
    h("h1", study.title),
    study.question ? h("p.question", study.question) : null,
    h("p.small", said, study.others ? `; ${plural(study.others, "more")} of other settings` : "", ` · ${study.path}`),
    finished < all ? h("div.progress.large", { role: "progressbar", "aria-valuemin": 0, "aria-valuemax": all, "aria-valuenow": finished, "aria-label": said }, h("span", { style: { width: `${(100 * finished) / all}%` } }), failed ? h("span.failed", { style: { width: `${(100 * failed) / all}%` } }) : null) : null,
    study.running ? h("p.small", h("span.chip.live", "running"), ` ${study.left ? `${study.left} · ` : ""}${study.running}`) : null,
  ].filter(Boolean);
}

function failed(study) {
  const found = study.trials.filter((one) => one.state === "failed");
  if (!found.length) return [];
  const groups = new Map();
  for (const one of found) groups.set(one.error, [...(groups.get(one.error) || []), one]);
  return [h("section.failures", { "aria-label": "Failed trials" }, h("h2", `${plural(found.length, "trial")} failed`),
    [...groups].map(([error, some]) => h("div.failure", h("p", error),
      h("p.small", some.length === 1 ? some[0].label : `${some.length} trials: ${some.slice(0, 4).map((one) => one.label).join("; ")}${some.length > 4 ? " …" : ""}`, some[0].when ? ` · ${some[0].when.replace("T", " ")}` : ""),
      some[0].traceback ? h("details", h("summary", "Traceback"), h("pre", some[0].traceback)) : null)),
    h("p.small", "The same command tries them again."))];
}

/** Who is at it, and what they do: a line each, and a bar and a curve for each trial in progress. */
function atWork(place, study) {
  place.replaceChildren(...(study.workers.length ? [h("section.workers", { "aria-label": "At work" }, h("h2", "At work"), study.workers.map((one) => h("div.worker",
    h("p", h("span", { class: one.state === "lost" ? "chip bad" : "chip" }, one.state), ` ${one.words}`, h("span.small", ` ${[one.device, one.finished && `${plural(one.finished, "trial")} finished`, one.failed && `${one.failed} failed`, one.epochs && one.seconds ? `${short(one.epochs / one.seconds)} epochs a second` : "", one.memory && `${bytes(one.memory)} of memory`, one.device_memory && `${bytes(one.device_memory)} on the device`].filter(Boolean).join(" · ")}`)),
    one.note ? h("p.small.trouble", one.note) : null,
    one.state === "lost" ? null : one.doing.map((work) => h("div.work", h("span", work.kind === "trial" ? work.label : `${work.kind}: ${work.label}`), h("span.small", work.epochs ? `epoch ${work.epoch} of ${work.epochs}` : `epoch ${work.epoch}`),
      h("div.progress", { role: "progressbar", "aria-label": `epochs of ${work.label}`, "aria-valuemin": 0, "aria-valuemax": work.epochs || 1, "aria-valuenow": work.epoch }, h("span", { style: { width: `${work.epochs ? (100 * work.epoch) / work.epochs : 0}%` } })),
      spark(work))))))] : []));
}

/** The loss of a trial in progress, as a line of its own size: training solid, validation dashed. */
function spark(work) {
  const points = work.curve.filter((one) => one.quantity === "loss" && one.of === "total" && one.value > 0);
  if (points.length < 2) return null;
  const all = points.map((one) => Math.log(one.value)), low = Math.min(...all), high = Math.max(...all), last = Math.max(...points.map((one) => one.epoch), 2);
  const at = (one) => `${(110 * (one.epoch - 1)) / (last - 1)},${22 - (20 * (Math.log(one.value) - low)) / (high - low || 1)}`;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 112 24");
  svg.setAttribute("role", "img");
  const train = points.filter((one) => one.phase === "train");
  svg.setAttribute("aria-label", `training loss from ${short(train[0]?.value)} to ${short(train.at(-1)?.value)}`);
  for (const phase of ["train", "validation"]) {
    const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
    line.setAttribute("points", points.filter((one) => one.phase === phase).map(at).join(" "));
    line.setAttribute("class", phase);
    svg.append(line);
  }
  return h("span.spark", svg, h("span.small", ` loss ${short(points.filter((one) => one.phase === "train").at(-1)?.value)}`));
}

const STATES = { running: "▸", finished: "✓", failed: "✗", missing: "·", damaged: "!" };

function columns(study, shares) {
  const keys = [...new Set(study.trials.flatMap((one) => Object.keys(one.settings)))].filter((key) => new Set(study.trials.map((one) => String(one.settings[key]))).size > 1);
  const seeds = new Set(study.trials.map((one) => one.seed)).size > 1;
  return [
    { name: "", title: "state", value: (one) => one.state, show: (one) => h("span.state", { title: one.state, "aria-label": one.state, role: "img" }, STATES[one.state]) },
    { name: "trial", head: true, value: (one) => one.place, show: (one) => h("a", { href: link("trial", { study: study.name, trial: one.place }), "aria-label": one.label }, keys.length ? `#${one.place}` : one.label) },
    ...keys.map((key) => ({ name: key, value: (one) => one.settings[key] })),
    ...(seeds ? [{ name: "seed", right: true, value: (one) => one.seed }] : []),
    ...shareColumns(shares, (one) => one.identity),
    { name: "flags", wrap: true, value: (one) => Object.keys(one.flags || {}).length, show: (one) => Object.entries(one.flags || {}).map(([flag, words]) => h("span.flag", { title: words }, flag)) },
    { name: "took", right: true, value: (one) => one.seconds, show: (one) => span(one.seconds) },
  ];
}

/** A column per set (and target, where several are asked): the share of right answers. */
function shareColumns(shares, identity) {
  const targets = [...new Set(shares.rows.map((row) => row.target))];
  const kinds = [...new Set(shares.rows.map((row) => JSON.stringify([row.target, row.set])))].map((one) => JSON.parse(one)).sort(compare);
  const found = new Map(shares.rows.map((row) => [`${row.trial} ${row.target} ${row.set}`, row]));
  return kinds.slice(0, 12).map(([target, set]) => {
    const of = (one) => found.get(`${identity(one)} ${target} ${set}`);
    return { name: targets.length > 1 ? `${target}: ${set}` : set, right: true, title: `share of right answers, set ${set}, target ${target}`,
      value: (one) => of(one)?.value, show: (one) => of(one) ? h("span.share", { title: interval(of(one)), style: { "--share": of(one).value } }, percent(of(one).value)) : "" };
  });
}

function subjectColumns(study, shares) {
  return [
    { name: "subject", head: true, value: (one) => one.label },
    { name: "kind", value: (one) => one.kind },
    ...shareColumns({ rows: shares.rows.filter((row) => shares.answerers.some((one) => one.name === row.trial && one.kind !== "trial")) }, (one) => one.name),
  ];
}

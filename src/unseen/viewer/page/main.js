// Which page is shown: the part of the address after "#" says it, so that a page can be linked to and gone back to.

import { ask, h, link, say, trouble, Trouble } from "./parts.js";

const PAGES = {
  studies: () => import("./studies.js"),
  trials: () => import("./trials.js"),
  trial: () => import("./trial.js"),
  numbers: () => import("./numbers.js"),
  images: () => import("./images.js"),
  pair: () => import("./pair.js"),
  units: () => import("./units.js"),
  split: () => import("./split.js"),
  world: () => import("./world.js"),
};
const TABS = [["trials", "Trials"], ["numbers", "Numbers"], ["images", "Images"], ["pair", "Two subjects"], ["units", "Units"], ["split", "Split"], ["world", "World"]];
const WRITTEN = [["report", "Report ↗"], ["explained", "Maps ↗"]]; // pages that commands wrote beside the study
const OFTEN = 2500, SELDOM = 8000; // milliseconds between two looks at a study that runs, and at one that does not

const content = document.getElementById("content");
let shown = null, turn = 0, timer = 0;

/** The address as a page and its parameters. */
export function place() {
  const [page, query = ""] = location.hash.slice(1).split("?");
  const parameters = {};
  for (const [key, value] of new URLSearchParams(query)) {
    if (key in parameters) parameters[key] = [].concat(parameters[key], value);
    else parameters[key] = value;
  }
  return { page: page in PAGES ? page : "studies", parameters };
}

async function show() {
  const mine = ++turn;
  clearTimeout(timer);
  if (shown && shown.leave) shown.leave();
  shown = null;
  const { page, parameters } = place();
  document.body.dataset.page = page;
  content.setAttribute("aria-busy", "true");
  try {
    const [module, study] = await Promise.all([PAGES[page](), page === "studies" ? null : ask("study", { study: parameters.study })]);
    if (mine !== turn) return;
    heading(page, study);
    const made = h("div.page");
    const kept = await module.show(made, parameters, study, go);
    if (mine !== turn) return;
    content.replaceChildren(made);
    shown = kept || {};
    document.title = study ? `${study.title} · unseen` : "unseen";
  } catch (error) {
    if (mine !== turn || error.name === "AbortError") return;
    if (!(error instanceof Trouble)) console.error(error);
    content.replaceChildren(h("div.page", trouble(error), page === "studies" ? null : h("p", h("a", { href: "#studies" }, "All studies"))));
  }
  content.removeAttribute("aria-busy");
  document.body.dataset.ready = String(mine);
  again(mine, parameters, page);
}

/** Go to a page; `replace`: without a step of its own in the history. */
export function go(page, parameters, { replace = false } = {}) {
  const there = link(page, parameters);
  if (there === location.hash) return show();
  if (replace) history.replaceState(null, "", there);
  else location.hash = there;
  return replace ? show() : undefined;
}

/** Look again after a while; what changed is drawn anew, and nothing else. */
function again(mine, parameters, page, running = false) {
  timer = setTimeout(async () => {
    if (mine !== turn) return;
    let now = running;
    try {
      if (document.visibilityState === "visible" && shown && shown.refresh) {
        const study = page === "studies" ? null : await ask("study", { study: parameters.study });
        if (mine !== turn) return;
        if (study) heading(page, study);
        now = Boolean(await shown.refresh(study));
      }
    } catch (error) {
      say(error.message);
    }
    if (mine === turn) again(mine, parameters, page, now);
  }, running || document.querySelector(".live") ? OFTEN : SELDOM);
}

function heading(page, study) {
  const where = document.getElementById("where"), tabs = document.getElementById("tabs");
  tabs.hidden = !study;
  where.replaceChildren(...(study ? [h("span.sep", { "aria-hidden": "true" }, "/"), h("a", { href: link("trials", { study: study.name }) }, study.title), state(study)] : []));
  if (!study) return;
  tabs.replaceChildren(
    ...TABS.map(([name, words]) => h("a", { href: link(name, { study: study.name }), "aria-current": name === page || (name === "trials" && page === "trial") ? "page" : null }, words)),
    ...WRITTEN.filter(([name]) => study[name]).map(([name, words]) => h("a", { href: `/report?study=${encodeURIComponent(study.name)}&page=${name}`, target: "_blank", rel: "noopener" }, words)),
  );
  const current = tabs.querySelector("[aria-current]"); // on a phone it may stand outside of what is seen
  if (current) tabs.scrollLeft = current.offsetLeft - (tabs.clientWidth - current.offsetWidth) / 2;
}

/** How far a study is, in a word. */
export function state(study) {
  const { finished, failed, missing, running } = study.counts;
  if (study.running) return h("span.chip.live", { title: study.running }, "running");
  if (failed) return h("span.chip.bad", `${failed} failed`);
  return missing ? h("span.chip", `${finished} of ${finished + missing + running}`) : "";
}

// Keys: "?" lists them, g and a letter goes to a page, "/" to the first field.
const KEYS = [["?", "these keys"], ["g s", "all studies"], ["g t", "trials"], ["g n", "numbers"], ["g i", "images"], ["g c", "two subjects"], ["g u", "units"], ["g p", "split"], ["g w", "world"],
  ["/", "the first field of the page"], ["← → ↑ ↓", "among images"], ["Enter", "open the image"], ["Esc", "close"]];
const GO = { s: "studies", t: "trials", n: "numbers", i: "images", c: "pair", u: "units", p: "split", w: "world" };
let before = "";

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  if (event.key === "?") { event.preventDefault(); help(); }
  else if (event.key === "/") {
    const field = content.querySelector("input, select");
    if (field) { event.preventDefault(); field.focus(); }
  } else if (before === "g" && GO[event.key] in PAGES) go(GO[event.key], GO[event.key] === "studies" ? {} : { study: place().parameters.study || "" });
  before = event.key;
});

function help() {
  const dialog = document.getElementById("dialog");
  dialog.replaceChildren(h("div.narrow", h("h2", { id: "dialog-title" }, "Keys"), h("dl.keys", KEYS.map(([key, words]) => [h("dt", h("kbd", key)), h("dd", words)])),
    h("form", { method: "dialog" }, h("button", "Close"))));
  dialog.showModal();
}

document.getElementById("keys").addEventListener("click", help);
document.getElementById("skip").addEventListener("click", (event) => { event.preventDefault(); content.focus(); });
document.getElementById("dialog").addEventListener("click", (event) => { if (event.target.id === "dialog") event.target.close(); });
window.addEventListener("hashchange", () => { document.getElementById("dialog").close(); return show().then(() => say(document.title)); });
show();

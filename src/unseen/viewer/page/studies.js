// All studies of the served folder.

import { ask, bytes, h, link, number, plural } from "./parts.js";

export async function show(page) {
  const list = h("ul.studies");
  const head = h("p.small");
  const pages = h("section", { "aria-label": "Written pages" });
  page.append(h("h1", "Studies"), head, list, pages);
  let before = "";
  async function refresh() {
    const found = await ask("studies");
    const now = JSON.stringify(found);
    if (now !== before) draw(found);
    before = now;
    return found.studies.some((one) => one.running);
  }
  function draw(found) {
    head.textContent = `${plural(found.studies.length, "study", "studies")} in ${found.folder}`;
    list.replaceChildren(...found.studies.map(card));
    pages.replaceChildren(...(found.pages.length ? [h("h2", "Comparisons and other written pages"), h("ul.written", found.pages.map(written))] : []));
    if (!found.studies.length) {
      list.replaceChildren(h("li.empty", h("p", "No study is here yet. ", h("code", "unseen demo"), " makes one in a few minutes; it appears here by itself.")));
    }
  }
  await refresh();
  return { refresh };
}

/** A page that `unseen compare`, `explain` or `retest` wrote. */
function written(one) {
  return h("li", h("a", { href: `/report?page=${encodeURIComponent(one.name)}`, target: "_blank", rel: "noopener" }, `${one.title} ↗`), h("span.small", `${one.name} · ${one.changed.replace("T", " ").slice(0, 16)}`));
}

function card(one) {
  const share = one.trials ? one.finished / one.trials : 0;
  const said = one.trouble ? "cannot be read" : `${number(one.finished)} of ${plural(one.trials, "trial")} finished`;
  return h("li.study",
    h("h2", h("a", { href: link("trials", { study: one.name }) }, one.title)),
    h("p.small.path", one.name === "." ? "this folder" : one.name),
    one.trouble ? h("p.trouble", one.trouble) : h("div.progress", { role: "img", "aria-label": said }, h("span", { style: { width: `${100 * share}%` } })),
    h("p.facts",
      one.running ? h("span.chip.live", { title: one.running }, "running") : null,
      one.failed ? h("span.chip.bad", `${one.failed} failed`) : null,
      one.trouble ? null : h("span", said),
      one.subjects ? h("span", `${plural(one.subjects, "subject")} from elsewhere`) : null,
      one.others ? h("span", `${plural(one.others, "trial")} of other settings`) : null,
      h("span", bytes(one.bytes)),
      one.changed ? h("span", { title: "last change" }, one.changed.replace("T", " ").slice(0, 16)) : null));
}

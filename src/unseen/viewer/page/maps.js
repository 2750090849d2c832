// Maps that were recorded of a trial: an image, and beside it what each method shows of it.

import { ask, h, link } from "./parts.js";

/** What was recorded, as elements; none where this image has no maps. `parameters`: study, trial and, for one image alone, row. */
export async function looked(parameters) {
  const found = await ask("maps", parameters);
  if (!found.rows.length) return [];
  const alone = parameters.row !== undefined;
  return [
    alone ? null : h("p.small", `Maps of ${found.asked}. White is nothing, red is evidence for, blue against; two methods cannot be compared in strength.`),
    ...found.rows.map((one) => h("figure.looked",
      alone ? null : h("figcaption", h("b", one.title), ` ${one.words}`, one.group ? h("span.small", ` · ${one.group}`) : null),
      h("ul.maps", { "aria-label": `Maps of ${one.title}` },
        alone ? null : h("li", h("a", { href: link("world", { study: parameters.study, trial: parameters.trial, row: one.row }) }, picture(one.picture, `the image: ${one.title}`)), h("span", "image")),
        one.maps.map((map, at) => h("li", map.note ? h("p.small.none", map.note) : picture(map.picture, `${found.methods[at].name} over ${one.title}`), h("span", found.methods[at].name), h("span.small", { title: found.methods[at].number }, found.methods[at].verdict)))))),
  ].filter(Boolean);
}

const picture = (src, alt) => h("img", { src, alt, onload: (event) => event.target.classList.toggle("pixels", event.target.naturalWidth < 80) });

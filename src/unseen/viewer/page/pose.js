// One image, large, with a slider for every factor: as it is dragged, the same thing is shown at other levels.

import { ask, h, level, say } from "./parts.js";
import { paint, sheet } from "./sheets.js";

const SIDE = 512;

/** A picture with its sliders. `parameters`: study and trial; `row`: where to begin; `told`: called with what is known of each image one comes to; `below`: what stands under the sliders. */
export function pose(parameters, row, told = () => {}, below = null) {
  const canvas = h("canvas.large", { role: "img", tabindex: "0", width: 1, height: 1 });
  const name = h("p.small.key"), sliders = h("div.sliders"), trouble = h("p.trouble", { role: "alert" });
  const whole = h("div.pose", h("div.stage", canvas, name), h("div", sliders, trouble, below));
  let now = null, turn = 0;

  async function come(to, focus = null) {
    const mine = ++turn;
    try {
      const [found, images] = await Promise.all([ask("image", { ...parameters, row: to }), sheet(parameters, [to], SIDE)]);
      if (mine !== turn) return;
      now = found;
      paint(canvas, images, to);
      trouble.textContent = "";
      describe();
      draw(focus);
      told(found);
    } catch (error) {
      if (mine === turn && error.name !== "AbortError") trouble.textContent = error.message;
    }
  }

  function describe() {
    const words = Object.entries(now.levels).map(([factor, at]) => `${factor} ${level(at)}`).join(", ");
    canvas.setAttribute("aria-label", `Image: ${words}`);
    name.textContent = `${now.key} · row ${now.row.toLocaleString("en")} of ${now.rows.toLocaleString("en")} · ${now.size[1]} × ${now.size[0]} pixels. ${now.note}`;
  }

  function draw(focus) {
    sliders.replaceChildren(...now.along.map(slider), ...fixed());
    if (focus) sliders.querySelector(`input[data-factor="${CSS.escape(focus)}"]`)?.focus();
  }

  function fixed() {
    const moving = new Set(now.along.map((one) => one.name));
    const rest = [...Object.entries(now.levels).filter(([factor]) => !moving.has(factor)), ...Object.entries(now.attributes)];
    return rest.length ? [h("dl.fixed", rest.map(([factor, at]) => [h("dt", factor), h("dd", level(at))]))] : [];
  }

  function slider(one) {
    const places = one.rows.map((to, at) => [to, at]).filter(([to]) => to !== null);
    const here = places.findIndex(([, at]) => at === one.here);
    const said = h("output", level(one.levels[one.here]));
    let strip = null, wanted = null, waiting = false;
    const get = () => { strip = strip || sheet(parameters, places.map(([to]) => to), places.length * SIDE > 12000 ? 128 : 256); return strip; };
    const input = h("input", { type: "range", min: 0, max: places.length - 1, step: 1, value: here, "data-factor": one.name, "aria-label": one.name, "aria-valuetext": level(one.levels[one.here]),
      onpointerenter: () => get().catch(() => {}), onfocus: () => get().catch(() => {}),
      oninput: async () => {
        const [to, at] = places[input.value];
        said.textContent = level(one.levels[at]);
        input.setAttribute("aria-valuetext", level(one.levels[at]));
        wanted = to;
        if (waiting) return;
        waiting = true;
        try { const images = await get(); paint(canvas, images, wanted); } catch (error) { trouble.textContent = error.message; }
        waiting = false;
      },
      onchange: () => { const [to, at] = places[input.value]; say(`${one.name} ${level(one.levels[at])}`); come(to, one.name); } });
    return h("label.slider", h("span", one.name), said, input);
  }

  come(row);
  return { whole, come, row: () => now?.row };
}

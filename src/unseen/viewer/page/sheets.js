// Images come many at a time, as one PNG; a tile is cut out of it.

import { address, Trouble } from "./parts.js";

const kept = new Map(); // sheets by address, the latest last
const MOST = 40;

/** Images of some rows: how to cut each of them out. `side`: pixels at most. */
export function sheet(parameters, rows, side, signal) {
  const { study, trial = "" } = parameters;
  const there = address("sheet", { study, trial, side, rows: rows.join(",") });
  if (!kept.has(there)) {
    kept.set(there, load(there, rows, signal).catch((error) => { kept.delete(there); throw error; }));
    if (kept.size > MOST) kept.delete(kept.keys().next().value);
  }
  return kept.get(there);
}

async function load(there, rows, signal) {
  const answer = await fetch(there, { signal });
  if (!answer.ok) throw new Trouble((await answer.json()).error);
  const [columns, width, height] = ["x-columns", "x-width", "x-height"].map((name) => Number(answer.headers.get(name)));
  const picture = await createImageBitmap(await answer.blob());
  return { picture, columns, width, height, place: new Map(rows.map((row, at) => [row, at])) };
}

/** Draw the image of a row on a canvas, pixel by pixel. */
export function paint(canvas, found, row) {
  const at = found.place.get(row);
  if (at === undefined) return;
  const { picture, columns, width, height } = found;
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  canvas.getContext("2d").drawImage(picture, (at % columns) * width, Math.floor(at / columns) * height, width, height, 0, 0, width, height);
  canvas.classList.toggle("pixels", Math.max(width, height) < 80);
  canvas.dataset.row = row;
}

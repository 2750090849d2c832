// Charts, drawn by Vega, which is fetched when the first one is; below each lie its data.

import { h, short, table } from "./parts.js";

let library = null;

function vega() {
  library = library || new Promise((ready, failed) => {
    const script = h("script", { src: "/vega.js", onload: () => ready(window.vegaEmbed), onerror: () => failed(new Error("charts cannot be drawn")) });
    document.head.append(script);
  });
  return library;
}

const COLOURS = { INK: "--ink", MUTED: "--muted", GRID: "--grid", SEEN: "--seen", ASKED: "--asked", PAPER: "--paper", HEAT: "--heat" };
const SERIES = ["--separate", "--shared", "--split-2", "--split-3", "--shared-wide", "--split-1", "--other-0", "--other-1", "--other-2", "--other-3", "--other-4", "--other-5"];

/** A figure with its chart and its data. `specification`: Vega-Lite; colours by the names above. */
export function chart(title, specification, { rows = [], name = title, height = 220 } = {}) {
  const drawn = h("div.chart", { role: "img", "aria-label": title, style: { "min-height": `${height}px` } });
  const figure = h("figure", h("p.panel-title", title), drawn, rows.length ? data(rows, name) : null);
  draw(drawn, specification, height);
  return figure;
}

async function draw(place, specification, height) {
  const text = JSON.stringify(specification, (key, value) => (typeof value === "string" && value in COLOURS ? `var(${COLOURS[value]})` : value));
  const whole = {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json", width: "container", height, background: null, autosize: { type: "fit-x", contains: "padding" },
    ...JSON.parse(text), config: config(),
  };
  try {
    const embed = await vega();
    await new Promise((seen) => whenThere(place, seen));
    await embed(place, whole, { actions: false, renderer: "svg", ast: true, tooltip: { theme: "page" } });
    place.dataset.drawn = "yes";
  } catch (error) {
    console.error(error);
    place.replaceChildren(h("p.small", "This chart could not be drawn; its data are below."));
  }
}

/** Vega measures its place, which must be on the page by then. */
function whenThere(place, call) {
  if (place.isConnected && place.clientWidth) call();
  else requestAnimationFrame(() => whenThere(place, call));
}

function config() {
  const ink = "var(--ink)", muted = "var(--muted)", grid = "var(--grid)", font = getComputedStyle(document.body).fontFamily;
  return {
    font, view: { stroke: null },
    axis: { labelColor: muted, titleColor: muted, domainColor: grid, tickColor: grid, gridColor: grid, labelFontSize: 11, titleFontSize: 11, titleFontWeight: 400, labelLimit: 160 },
    legend: { labelColor: ink, titleColor: muted, labelFontSize: 11.5, titleFontSize: 11, symbolStrokeColor: ink },
    header: { labelColor: ink, titleColor: muted }, text: { color: ink }, range: { category: SERIES.map((one) => `var(${one})`) },
  };
}

/** What a chart was drawn from, as a table and as a file. */
function data(rows, name) {
  const columns = Object.keys(rows[0]);
  const place = h("div");
  return h("details.data", { ontoggle: (event) => {
    if (!event.target.open || place.firstChild) return;
    place.append(table(columns.map((key) => ({ name: key, value: (row) => row[key], right: typeof rows[0][key] === "number" })), rows, { caption: `Data of ${name}`, most: 100 }),
      h("button.quiet", { type: "button", onclick: () => save(csv(columns, rows), `${name.replace(/[^\w.-]+/g, "-")}.csv`) }, "Download as CSV"));
  } }, h("summary", "Data"), place);
}

function csv(columns, rows) {
  const cell = (value) => { const text = value === null || value === undefined ? "" : String(value); return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text; };
  return [columns, ...rows.map((row) => columns.map((key) => row[key]))].map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

function save(text, name) {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

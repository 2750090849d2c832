// The tidy table: choose rows, average over repeats, draw, download.

import { address, ask, chooser, h, link, number, plural, short, table } from "./parts.js";
import { chart } from "./chart.js";

const FEW = ["measure", "set", "target", "layer", "unit_type", "level"];

export async function show(page, given, study, go) {
  const parameters = { ...given, study: study.name };
  if (!study.counts.finished && !study.subjects) {
    page.append(h("h1", "Numbers"), h("p", "There are numbers as soon as a trial is finished."));
    return {};
  }
  const first = await ask("numbers", { study: study.name, most: 1 });
  const columns = new Map(first.columns.map((one) => [one.name, one]));
  const values = (name) => ((columns.has(name) && columns.get(name).values) || []).filter((one) => one !== "");
  if (!("c.measure" in parameters)) parameters["c.measure"] = values("measure").includes("accuracy") ? "accuracy" : values("measure")[0];
  const settings = first.settings.filter((name) => name !== "design.seed");
  if (!("x" in parameters)) parameters.x = settings.find((name) => columns.get(name).number) || settings[0] || (values("set").length > 1 ? "set" : "trial");
  if (!("colour" in parameters)) parameters.colour = settings.find((name) => name !== parameters.x) || (parameters.x === "set" ? "" : values("set").length > 1 ? "set" : "");
  const change = (more) => go("numbers", { ...parameters, ...more });
  const said = (name) => columns.get(name)?.words || name;
  const places = first.columns.filter((one) => one.name !== "value" && one.name !== "n" && one.values && one.values.length > 1);
  const pick = (name) => chooser(said(name), parameters[`c.${name}`], values(name), (value) => change({ [`c.${name}`]: value }), { none: name === "measure" ? null : "all" });
  const others = places.filter((one) => !FEW.includes(one.name));
  const open = others.some((one) => parameters[`c.${one.name}`]);
  page.append(
    h("h1", "Numbers"),
    h("div.tools", { role: "group", "aria-label": "Choose rows" }, FEW.filter((name) => values(name).length > 1 || name === "measure").map(pick)),
    others.length ? h("details.more", { open }, h("summary", "More to choose by"), h("div.tools", others.map((one) => pick(one.name)))) : null,
    h("div.tools", { role: "group", "aria-label": "Means" },
      chooser("along", parameters.x, places.filter((one) => one.name !== "measure").map((one) => [one.name, one.words]), (value) => change({ x: value })),
      chooser("colours", parameters.colour, places.filter((one) => one.name !== "measure").map((one) => [one.name, one.words]), (value) => change({ colour: value }), { none: "none" })),
  );
  const filters = Object.fromEntries(Object.entries(parameters).filter(([key, value]) => key.startsWith("c.") && value));
  const by = [...new Set([parameters.x, parameters.colour].filter(Boolean))];
  const [means, rows] = await Promise.all([ask("numbers", { study: study.name, ...filters, by, most: 2000 }), ask("numbers", { study: study.name, ...filters, most: 200 })]);
  draw(page, means, by, said, parameters);
  page.append(h("h2", "Rows"), h("p.small", `${plural(rows.n, "row")}${rows.n > rows.rows.length ? `, the first ${rows.rows.length} of them here` : ""}. `,
    h("a", { href: address("download", { study: study.name, form: "csv", ...filters }), download: true }, "These as CSV"), " · ",
    h("a", { href: address("download", { study: study.name, form: "parquet", ...filters }), download: true }, "Parquet"), " · whole table: ",
    h("a", { href: address("download", { study: study.name, form: "csv" }), download: true }, "CSV"), " · ",
    h("a", { href: address("download", { study: study.name, form: "parquet" }), download: true }, "Parquet")),
    list(rows, first.columns, study));
  return {};
}

function draw(page, means, by, said, parameters) {
  const [x, colour] = [parameters.x, parameters.colour];
  const apart = means.rows.length ? Object.keys(means.rows[0]).filter((key) => !["mean", "low", "high", "repeats", ...by].includes(key)) : [];
  const panels = new Map();
  for (const row of means.rows) {
    const name = apart.filter((key) => row[key] !== "" && row[key] !== null).map((key) => (key === "level" ? `level ${short(row[key])}` : row[key])).join(" · ");
    panels.set(name, [...(panels.get(name) || []), row]);
  }
  if (!means.rows.length) return page.append(h("p", "No row has all of these. Choose fewer."));
  const most = 12;
  page.append(h("h2", "Means"), h("div.charts", { class: panels.size > 2 ? "charts many" : "charts" }, [...panels].slice(0, most).map(([name, rows]) => panel(name || parameters["c.measure"] || "", rows, x, colour, said))),
    h("p.small", `Each point is a mean over repeats with its 95 % interval (Student's t); the number of repeats is in the data. ${panels.size > most ? `${panels.size - most} more panels: choose a set, target or layer.` : ""} The report judges them; `, h("code", "unseen results"), " has its summary."));
}

function panel(title, rows, x, colour, said) {
  const levels = [...new Set(rows.map((row) => row[x]))].length;
  const share = rows.every((row) => row.mean === null || (row.mean >= 0 && row.mean <= 1)); // an interval may leave what a share can be; the axis does not
  const place = {
    x: { field: x.replaceAll(".", "\\."), type: "ordinal", axis: { title: said(x), labelAngle: levels > 6 ? -35 : 0, grid: false }, sort: null },
    ...(colour ? { xOffset: { field: colour.replaceAll(".", "\\."), sort: null }, color: { field: colour.replaceAll(".", "\\."), type: "nominal", sort: null, legend: { title: said(colour), orient: "top", columns: 3, symbolType: "circle" } } } : { color: { value: "SEEN" } }),
  };
  const y = { type: "quantitative", axis: { title: null, tickCount: 5 }, scale: share ? { domain: [0, 1], clamp: true } : { zero: false } };
  const tooltip = [x, colour, "mean", "low", "high", "repeats"].filter(Boolean).map((field) => ({ field: field.replaceAll(".", "\\."), title: said(field), ...(["mean", "low", "high"].includes(field) ? { format: ".4g" } : {}) }));
  return chart(title, { data: { values: rows }, layer: [
    { transform: [{ filter: "isValid(datum.low)" }], mark: { type: "rule", strokeWidth: 1.6 }, encoding: { ...place, y: { field: "low", ...y }, y2: { field: "high" } } },
    { mark: { type: "point", filled: true, size: 46, opacity: 1 }, encoding: { ...place, y: { field: "mean", ...y }, tooltip } },
  ] }, { rows, name: `${title} by ${said(x)}`, height: 230 });
}

function list(rows, columns, study) {
  const seen = columns.filter((one) => one.name === "value" || (rows.rows.some((row) => row[one.name] !== "" && row[one.name] !== null) && (one.values === null || one.values.length > 1)));
  return table(seen.map((one) => ({ name: one.words, right: one.number, value: (row) => row[one.name],
    show: one.name === "trial" ? (row) => h("a", { href: link("trial", { study: study.name, trial: row.trial }) }, row.trial.slice(0, 6)) : (row) => (typeof row[one.name] === "number" ? short(row[one.name]) : row[one.name] ?? "") })), rows.rows, { caption: "Rows of the tidy table", most: 50 });
}

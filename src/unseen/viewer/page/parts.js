// Small things that every page uses: elements, questions to the server, words for numbers.

/** An element: h("div.class", {onclick: f, "aria-label": "x"}, child, [children], "text"). */
export function h(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(" ");
  if (attributes !== null && (typeof attributes !== "object" || attributes instanceof Node || Array.isArray(attributes))) {
    children.unshift(attributes);
    attributes = {};
  }
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "style" && typeof value === "object") for (const [k, v] of Object.entries(value)) made.style.setProperty(k, v);
    else if (key === "value") made.value = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return made;
}

/** What went wrong, in the server's words. */
export class Trouble extends Error {}

/** Ask the server: parameters may hold lists; empty ones are left out. */
export async function ask(name, parameters = {}, signal = undefined) {
  let answer;
  try {
    answer = await fetch(address(name, parameters), { signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Trouble("The page is not served any more. Start `unseen view` again, then reload.");
  }
  const kind = answer.headers.get("content-type") || "";
  const found = kind.includes("json") ? await answer.json() : { error: await answer.text() };
  if (!answer.ok) throw new Trouble(found.error || `answer ${answer.status}`);
  return found;
}

export const address = (name, parameters = {}) => `/api/${name}?${words(parameters)}`;

/** Parameters as they stand in an address. */
export function words(parameters) {
  const made = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== "" && one !== null && one !== undefined) made.append(key, one);
    }
  }
  return made.toString();
}

/** Where a page of this site is: link("images", {study: "demo"}). */
export const link = (page, parameters = {}) => `#${page}${Object.keys(parameters).length ? `?${words(parameters)}` : ""}`;

export const number = (n) => (n === null || n === undefined ? "–" : Number(n).toLocaleString("en"));

export function plural(n, one, many = `${one}s`) {
  return `${number(n)} ${n === 1 ? one : many}`;
}

/** A value in three digits, or as it is. */
export function short(value) {
  if (typeof value !== "number") return value === null || value === undefined ? "" : String(value);
  if (Number.isInteger(value)) return Math.abs(value) < 1e5 ? String(value) : number(value);
  const size = Math.abs(value);
  return (size >= 1000 ? number(Math.round(value)) : size >= 0.001 ? String(+value.toPrecision(3)) : value.toExponential(1)).replace("-", "−");
}

/** A level as it is read: below zero with a minus sign. */
export const level = (value) => String(value).replace(/^-(?=[\d.])/, "−");

export const percent = (value) => (value === null || value === undefined ? "–" : `${(100 * value).toFixed(value >= 0.9995 || value < 0.0005 ? 0 : 1)} %`);

export const interval = (one) => (one.low === null || one.low === undefined ? "" : `95 % interval ${percent(one.low)} to ${percent(one.high)}, n = ${number(one.n)}`);

export function span(seconds) {
  if (seconds === null || seconds === undefined) return "";
  const s = Math.round(seconds);
  if (s < 60) return `${seconds < 10 ? seconds.toFixed(1) : s} s`;
  const hours = Math.floor(s / 3600), minutes = Math.floor((s % 3600) / 60), left = String(s % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${left} h` : `${minutes}:${left} min`;
}

export function bytes(count) {
  return count >= 1e9 ? `${(count / 1e9).toFixed(1)} GB` : count >= 1e6 ? `${(count / 1e6).toFixed(1)} MB` : `${Math.ceil(count / 1e3)} kB`;
}

/** A choice from a list. `options`: words, or pairs [value, words]; `none`: what no choice is called. */
export function chooser(label, value, options, change, { none = null, title = "" } = {}) {
  const all = (none === null ? [] : [["", none]]).concat(options.map((one) => (Array.isArray(one) ? one : [one, String(one)])));
  if (value && !all.some(([one]) => String(one) === String(value))) all.push([value, String(value)]);
  const select = h("select", { onchange: (event) => change(event.target.value), title: title || null, "aria-label": label }, all.map(([one, said]) => h("option", { value: one, selected: String(one) === String(value ?? "") }, said)));
  return h("label.field", h("span", label), select);
}

/** Say something to who does not see the page. */
export function say(text) {
  document.getElementById("said").textContent = text;
}

export function trouble(error) {
  return h("p.trouble", { role: "alert" }, error.message || String(error));
}

/** A table whose columns sort by a click: columns are {name, value, show, right, title}. */
export function table(columns, rows, { caption = "", order = null, row = () => ({}), most = Infinity } = {}) {
  const body = h("tbody");
  let by = order ? order.column : null, down = order ? order.down : false, shown = most;
  const heads = columns.map((column, place) =>
    h("th", { scope: "col", class: column.right ? "right" : null, title: column.title },
      h("button.sort", { type: "button", onclick: () => { down = by === place ? !down : Boolean(column.right); by = place; draw(); } }, column.name || h("span.hidden", column.title || "state"))));
  const more = h("button.quiet", { type: "button", onclick: () => { shown *= 4; draw(); } });
  function draw() {
    let list = rows.slice();
    if (by !== null) {
      const value = columns[by].value;
      list.sort((a, b) => compare(value(a), value(b)) * (down ? -1 : 1));
    }
    heads.forEach((head, place) => head.setAttribute("aria-sort", place === by ? (down ? "descending" : "ascending") : "none"));
    body.replaceChildren(...list.slice(0, shown).map((one) =>
      h("tr", row(one), columns.map((column, place) => {
        const made = (column.show || column.value)(one);
        const cell = place === 0 && column.head ? "th" : "td";
        return h(cell, { class: [column.right ? "right" : "", column.wrap ? "wrap" : ""].join(" ").trim() || null, scope: cell === "th" ? "row" : null }, typeof made === "number" ? short(made) : made ?? "");
      }))));
    more.textContent = `Show more of ${number(rows.length)}`;
    more.hidden = rows.length <= shown;
  }
  draw();
  return h("div.scroll", { tabindex: "0", role: "region", "aria-label": caption }, h("table", caption ? h("caption.hidden", caption) : null, h("thead", h("tr", heads)), body), more);
}

export function compare(a, b) {
  const none = (x) => x === null || x === undefined || x === "" || Number.isNaN(x);
  if (none(a) || none(b)) return none(a) - none(b);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

/** Call later, and only once for many calls in a row. */
export function lazily(call, wait = 250) {
  let timer = 0;
  return (...given) => { clearTimeout(timer); timer = setTimeout(() => call(...given), wait); };
}

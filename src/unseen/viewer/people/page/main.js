// The experiment: fixation, image, mask, answer. Times are taken from the frames that the browser shows.

const KEYS = "1234qwerasdfzxcv";
const PLACE = "unseen-ask";
const main = document.getElementById("main");
const said = document.getElementById("said");
const bar = document.querySelector("#bar i");
let about, state, refresh = 16.7;

const frame = () => new Promise((done) => requestAnimationFrame(done));
const element = (name, text = "", more = {}) => Object.assign(document.createElement(name), { textContent: text }, more);

async function told(address, body) {
  const options = body ? { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : {};
  const answer = await fetch(address, options);
  const found = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(found.error || "something went wrong"), { code: answer.status });
  return found;
}

function screen(...parts) {
  main.className = "";
  main.replaceChildren(...parts);
  said.textContent = "";
}

function progress() {
  bar.style.width = `${(100 * state.done) / Math.max(1, state.trials)}%`;
}

/* How long a frame lasts on this screen: the median of sixty. */
async function measureRefresh() {
  const gaps = [];
  let last = await frame();
  for (let n = 0; n < 60; n++) {
    const now = await frame();
    gaps.push(now - last);
    last = now;
  }
  gaps.sort((a, b) => a - b);
  return gaps[30];
}

function waitForSpace(button) {
  return new Promise((done) => {
    const end = () => { document.removeEventListener("keydown", key); done(); };
    const key = (event) => {
      if ((event.key !== " " && event.key !== "Enter") || (event.target !== button && event.target.closest("button"))) return;
      event.preventDefault();
      end();
    };
    button.addEventListener("click", end, { once: true });
    document.addEventListener("keydown", key);
    button.focus();
  });
}

async function welcome() {
  const agree = element("input", "", { type: "checkbox", id: "agree" });
  const label = element("label");
  label.append(agree, element("span", "I have read this, and I agree."));
  const go = element("button", "Begin", { className: "go", disabled: true, id: "begin" });
  agree.addEventListener("change", () => { go.disabled = !agree.checked; });
  screen(
    element("h1", about.title),
    ...about.consent.split("\n\n").map((text) => element("p", text)),
    element("p", `There are ${about.trials} pictures, with a pause after every ${about.pause}. Look at the cross in the middle; ` +
      `a picture follows for ${about.timing.image / 1000} seconds, then noise. Choose what was on it, with a button or its key.`),
    label, go);
  await new Promise((done) => go.addEventListener("click", done, { once: true }));
}

/* On a computer that several people use, the next one is not the one before. */
function somebodyElse() {
  const other = element("button", "I am somebody else", { type: "button", id: "else" });
  other.addEventListener("click", () => { localStorage.removeItem(PLACE); location.reload(); });
  return other;
}

async function resume() {
  const code = localStorage.getItem(PLACE) || "";
  if (code) {
    try {
      state = await told(`/api/state?code=${encodeURIComponent(code)}`);
      const go = element("button", "Go on", { className: "go", id: "begin" });
      if (state.left.length) {
        screen(element("h1", "Welcome back"), element("p", `${state.done} of ${state.trials} pictures are done; your answers are kept.`), go, somebodyElse());
        await waitForSpace(go);
      }
      return;
    } catch (error) {
      if (error.code !== 400) throw error;
      localStorage.removeItem(PLACE);
    }
  }
  await welcome();
  state = await told("/api/begin", {});
  localStorage.setItem(PLACE, state.code);
}

async function picture(address) {
  const image = new Image();
  image.src = address;
  await image.decode();
  return image;
}

function stage() {
  const canvas = element("canvas", "", { width: 512, height: 512 });
  const box = element("div", "", { id: "stage" });
  box.append(canvas);
  const choices = element("div", "", { id: "choices" });
  about.classes.forEach((name, place) => {
    const button = element("button", name, { type: "button" });
    button.dataset.name = name;
    if (place < KEYS.length) button.append(element("kbd", KEYS[place]));
    choices.append(button);
  });
  screen(box, choices);
  main.className = "trial";
  return { context: canvas.getContext("2d"), choices };
}

function grey(context) {
  context.fillStyle = "#808080";
  context.fillRect(0, 0, 512, 512);
}

function cross(context) {
  grey(context);
  context.fillStyle = "#000";
  context.fillRect(250, 226, 12, 60);
  context.fillRect(226, 250, 60, 12);
}

function draw(context, image) {
  grey(context);
  const scale = 512 / Math.max(image.width, image.height);
  context.imageSmoothingEnabled = image.width > 128;
  context.drawImage(image, (512 - image.width * scale) / 2, (512 - image.height * scale) / 2, image.width * scale, image.height * scale);
}

/* Shows what is drawn for so many milliseconds, to the nearest frame, from the frame that began `start`: what is painted
   in a frame is on the screen until the next thing is painted. Tells how long that was, in time and in frames. */
async function hold(paint, duration, start) {
  paint();
  let now = start, frames = 0, dropped = 0;
  while (now - start < duration - refresh / 2) {
    const next = await frame();
    dropped += Math.max(0, Math.round((next - now) / refresh) - 1);
    frames += 1;
    now = next;
  }
  return { shown: now - start, frames, dropped, now };
}

function choose(choices, within) {
  return new Promise((done) => {
    const start = performance.now();
    let timer = 0;
    const end = (response, button) => {
      clearTimeout(timer);
      document.removeEventListener("keydown", key);
      choices.onclick = null;
      if (button) button.classList.add("chosen");
      done({ response, rt: performance.now() - start });
    };
    const key = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const button = choices.children[KEYS.indexOf(event.key.toLowerCase())];
      if (button && event.key.length === 1) { event.preventDefault(); end(button.dataset.name, button); }
    };
    document.addEventListener("keydown", key);
    choices.onclick = (event) => {
      const button = event.target.closest("button");
      if (button) end(button.dataset.name, button);
    };
    if (within) timer = setTimeout(() => end("", null), within);
    choices.classList.add("open");
  });
}

async function send(answer) {
  for (let wait = 500; ; wait = Math.min(8000, 2 * wait)) {
    try {
      return await told("/api/answer", answer);
    } catch (error) {
      if (error.code) throw error;
      said.textContent = "The answer could not be sent; trying again …";
      await new Promise((done) => setTimeout(done, wait));
    }
  }
}

async function trial(number, mask, image) {
  const { context, choices } = stage();
  const fixated = await hold(() => cross(context), about.timing.fixation, await frame());
  const { shown, frames, dropped, now } = await hold(() => draw(context, image), about.timing.image, fixated.now);
  if (about.timing.mask) await hold(() => draw(context, mask), about.timing.mask, now);
  grey(context);
  const answer = await choose(choices, about.timing.within);
  state = await send({ code: state.code, trial: number, ...answer, shown, frames, dropped, refresh });
  progress();
}

async function rest() {
  const go = element("button", "Go on", { className: "go", id: "continue" });
  screen(element("h1", "A pause"), element("p", `${state.done} of ${state.trials} pictures are done. Go on when you like.`), go);
  await waitForSpace(go);
}

async function run() {
  about = await told("/api/about");
  document.title = about.question;
  await resume();
  progress();
  refresh = await measureRefresh();
  let next = null, since = 0;
  while (state.left.length) {
    const number = state.left[0];
    const address = (place) => `/image/${state.code}/${place}.png`;
    const image = await (next && next.number === number ? next.image : picture(address(number)));
    const mask = await picture(`/mask/${Math.floor(Math.random() * about.masks)}.png`);
    next = state.left.length > 1 ? { number: state.left[1], image: picture(address(state.left[1])) } : null;
    if (next) next.image.catch(() => {});
    await trial(number, mask, image);
    since += 1;
    if (state.left.length && since % about.pause === 0) await rest();
  }
  screen(element("h1", "Thank you"), element("p", `All ${state.trials} pictures are done. Your answers are kept; you may close this page.`), somebodyElse());
  main.id = "main";
  main.dataset.done = "yes";
}

run().catch((error) => {
  screen(element("h1", "Something went wrong"), element("p", error.message), element("p", "What you answered is kept. Load the page again to go on.", { className: "small" }));
});

// Uploads with progress that are resumed, a button that copies, filters at once.
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const only = (selector) => document.querySelector(selector);
const made = (tag, fields) => Object.assign(document.createElement(tag), fields);
const named = (id) => document.getElementById(id);
const pageOf = async (response) => new DOMParser().parseFromString(await response.text(), "text/html");

/** A picture that cannot be shown is a sentence. */
function sayBroken(picture) {
  picture.previousElementSibling?.remove();
  picture.replaceWith("This picture cannot be shown: its file is damaged, or did not arrive whole.");
}
addEventListener("error", ({ target }) => target.matches?.("main img") && sayBroken(target), true);
all("main img")
  .filter(({ complete, naturalWidth }) => complete && naturalWidth === 0)
  .forEach(sayBroken);

/** Says how many things are chosen; unfolds the form where there is room. */
function sayChosen() {
  for (const form of all(".bulk form")) {
    const count = [...form.elements].filter((box) => box.checked && !form.contains(box)).length;
    const title = form.parentElement.firstElementChild;
    if (count > 0 && form.matches(".filters") && innerWidth > 640) form.parentElement.open = true;
    title.textContent = title.textContent.replace(/(: \d+ chosen)?$/, count > 0 ? `: ${count} chosen` : "");
  }
}

// Resumable uploads (tus 1.0): the server says from where to go on.
const partSize = 8 * 1024 * 1024;
const tus = (form) => ({ "tus-resumable": "1.0.0", "tallylight-proof": form.elements.proof.value });
const uploads = `upload ${location.pathname} `;
const keyOf = (file) => `${uploads}${file.name} ${file.size} ${file.lastModified}`;
const failure = (text, more) => Object.assign(new Error(text), more);

/** How many bytes of an upload the server has; undefined of an unknown one. */
async function offsetOf(form, id) {
  const { ok, status, headers } = await fetch(`/uploads/${id}`, { method: "HEAD", headers: tus(form) });
  if (status === 404) return undefined;
  if (!ok) throw new Error("The server is busy");
  return Number(headers.get("upload-offset"));
}

async function create(form, file) {
  const bytes = Array.from(new TextEncoder().encode(file.name), (byte) => String.fromCharCode(byte));
  const headers = { ...tus(form), "upload-length": file.size, "upload-metadata": `filename ${btoa(bytes.join(""))}` };
  const response = await fetch("/uploads", { method: "POST", headers });
  if (!response.ok) throw failure((await response.json()).detail, { final: true });
  const id = response.headers.get("location").split("/").at(-1);
  localStorage.setItem(keyOf(file), id);
  return id;
}

/** An error is final if the server refuses it. */
const sendPart = (form, id, file, offset, progress) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(); // fetch tells no progress of an upload
    request.open("PATCH", `/uploads/${id}`);
    for (const [name, value] of Object.entries(tus(form))) request.setRequestHeader(name, value);
    request.setRequestHeader("upload-offset", offset);
    request.setRequestHeader("content-type", "application/offset+octet-stream");
    request.upload.onprogress = ({ loaded }) => progress(offset + loaded);
    request.onerror = () => reject(failure("the connection was interrupted"));
    request.onabort = () => reject(failure("Cancelled; nothing was sent", { final: true, id }));
    form.stop.signal.onabort = () => request.abort();
    request.onload = () => {
      if (request.status === 204) return resolve(Number(request.getResponseHeader("upload-offset")));
      const final = /^4(?!0[89]|29)/.test(request.status);
      reject(failure(JSON.parse(request.responseText || "{}").detail ?? "refused", { final }));
    };
    if (form.stop.signal.aborted) request.onabort();
    else request.send(file.slice(offset, offset + partSize));
  });

/** Returns the id. */
async function upload(form, file, progress, say) {
  let id = localStorage.getItem(keyOf(file));
  let offset = id === null ? undefined : await offsetOf(form, id);
  if (offset === undefined) [id, offset] = [await create(form, file), 0];
  for (let wait = 1000; offset < file.size; ) {
    try {
      offset = await sendPart(form, id, file, offset, progress);
      wait = 1000;
      say("");
    } catch (error) {
      if (error.final) throw error;
      say(`Interrupted, trying again in ${Math.round(wait / 1000)} s`);
      await Promise.race([pause(wait), new Promise((resolve) => (form.stop.signal.onabort = resolve))]);
      wait = Math.min(30_000, wait * 2);
      offset = (await offsetOf(form, id).catch(() => offset)) ?? 0;
    }
  }
  return id;
}

async function handIn(form) {
  const input = form.querySelector("input[type=file]");
  const bar = form.querySelector("progress");
  const files = [...input.files];
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const say = (text) => {
    form.querySelector("[data-status]").textContent = text;
  };
  const show = (isSending) => {
    form.querySelector("button").disabled = isSending;
    bar.hidden = form.querySelector("[data-cancel]").hidden = !isSending;
  };
  show(true);
  form.stop = new AbortController();
  const texts = [...new FormData(form)].filter(([name, value]) => name !== "proof" && typeof value === "string");
  localStorage.setItem(draft, JSON.stringify(Object.fromEntries(texts)));
  try {
    const started = performance.now();
    let [done, first, told] = [0, undefined, 0];
    const progress = (sent) => {
      const now = performance.now();
      first ??= done + sent; // what had arrived before does not count as speed
      bar.value = (done + sent) / Math.max(1, total);
      if (now - told < 500) return;
      told = now;
      const speed = (done + sent - first) / 1000 / Math.max(1, now - started);
      say(`${Math.floor(bar.value * 100)} %, ${speed.toFixed(1)} MB/s`);
    };
    for (const file of files) {
      const id = await upload(form, file, progress, say);
      done += file.size;
      form.append(made("input", { type: "hidden", name: "upload_ids", value: id }));
    }
    for (const key of [...files.map(keyOf), draft]) localStorage.removeItem(key);
    input.disabled = true; // its files have arrived already
    form.submit();
  } catch (error) {
    for (const field of all("[name=upload_ids]", form)) field.remove();
    show(false);
    say(error.message);
    if (error.id === undefined) return;
    for (const file of files) localStorage.removeItem(keyOf(file));
    await fetch(`/uploads/${error.id}`, { method: "DELETE", headers: tus(form) });
  }
}

const draft = `draft ${location.pathname}`;

/** Offers what did not arrive whole, with its texts. */
async function offer(form) {
  for (const key of Object.keys(localStorage).filter((name) => name.startsWith(uploads))) {
    const offset = await offsetOf(form, localStorage.getItem(key));
    if (offset === undefined) {
      localStorage.removeItem(key); // it has ended, or is another session's
      continue;
    }
    const [, name, size] = /^(.*) (\d+) \d+$/.exec(key.slice(uploads.length));
    form.querySelector("[data-status]").textContent =
      `Of ${name}, ${(offset / 1e6).toFixed(1)} of ${(size / 1e6).toFixed(1)} MB arrived. Choose the file again to go on.`;
    for (const [field, text] of Object.entries(JSON.parse(localStorage.getItem(draft) ?? "{}")))
      if (form.elements[field]?.value === "") form.elements[field].value = text;
  }
}

for (const form of all("[data-upload]")) {
  offer(form).catch(() => {}); // not without a connection
  form.querySelector("[data-cancel]").onclick = () => form.stop.abort();
}

/** Takes the proof of the present session. False if there is none. */
async function isSignedIn(form) {
  const response = await fetch(location.href).catch(() => undefined);
  if (response === undefined) return true; // sending it says what is wrong
  const proof = (await pageOf(response)).querySelector("form[enctype] [name=proof]")?.value;
  form.elements.proof.value = proof ?? "";
  return proof !== undefined;
}

/** Why a form is not sent. */
const unsent = made("p", { className: "problem", role: "alert" });
const signIn = made("a", { href: "/signin", target: "_blank" });
signIn.append("Sign in in another tab");

/** The form that waits for the line. */
let waiting;
/** Ends that. Returns the form. */
function endWaiting() {
  const form = waiting;
  waiting = undefined;
  unsent.remove();
  return form;
}
addEventListener("input", ({ target }) => target.form === waiting && endWaiting()); // it is saved again

// A form waits while there is no line. One with files is sent once its session is known to last.
addEventListener("submit", async (event) => {
  const { target: form, submitter } = event;
  if (only(".live.offline") && form.matches("[method=post]:not([action='/signout'])")) {
    event.preventDefault();
    waiting = form;
    form.sender = submitter;
    unsent.replaceChildren("Not sent: offline. It is sent once the page is live.");
    form.append(unsent);
    return;
  }
  if (form.enctype !== "multipart/form-data" || form.isProved) return;
  event.preventDefault();
  if (form.isBusy) return;
  form.isBusy = true;
  unsent.replaceChildren("Your session has ended. ", signIn, ", then send this again: what you wrote stays here.");
  unsent.remove();
  if (!(await isSignedIn(form))) form.append(unsent);
  else if (form.matches("[data-upload]") && form.querySelector("input[type=file]").files.length > 0) await handIn(form);
  else {
    form.isProved = true;
    form.requestSubmit(submitter);
  }
  form.isBusy = false;
});

for (const button of all("button[data-copy]")) {
  button.hidden = !navigator.clipboard; // there is none over plain http
  button.onclick = async () => {
    await navigator.clipboard.writeText(named(button.dataset.copy).textContent);
    button.textContent = "Copied";
  };
}
addEventListener("click", ({ target }) => target.matches("[data-print]") && print());
// A file that is dropped anywhere is as one that was chosen.
const zone = only("[data-drop]");
if (zone) {
  const input = zone.querySelector("[type=file]");
  const { form } = input;
  const button = form.querySelector("button");
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length === 0) return;
    input.files = event.dataTransfer.files;
    if (zone.matches("[data-named]")) void showPlan();
    else form.requestSubmit(button);
  });
  /** Keeps the files whose names say where they belong. */
  async function showPlan() {
    button.disabled = true;
    const body = new URLSearchParams({ proof: form.elements.proof.value, action: form.elements.action.value });
    for (const { name } of input.files) body.append("names", name);
    const page = await pageOf(await fetch(location.pathname, { method: "POST", body }));
    const plan = page.querySelector("[data-plan]") ?? page.querySelector("main");
    plan.dataset.plan ??= "";
    form.querySelector("[data-plan]").replaceWith(plan);
    const kept = new DataTransfer();
    for (const at of plan.dataset.plan.split(" ")) if (at !== "") kept.items.add(input.files[at]);
    input.files = kept.files;
    button.disabled = kept.files.length === 0;
    zone.closest("details")?.setAttribute("open", "");
  }
  if (zone.matches("[data-named]")) input.onchange = showPlan;
}
// A grid that fits does not scroll.
const hint = only("[data-scrolls]");
if (hint) {
  const grid = hint.nextElementSibling;
  new ResizeObserver(() => (hint.hidden = grid.scrollWidth <= grid.clientWidth)).observe(grid);
}
addEventListener("change", ({ target }) => target.closest(".filters[method=get]")?.requestSubmit());
addEventListener("change", sayChosen);
addEventListener("pageshow", sayChosen);
// scrollIntoView would also start the Tab key there; measuring now would be a layout more.
const shown = only(".pages .all [aria-current]");
const root = shown?.closest(".all");
const center = ([{ boundingClientRect: link, rootBounds: row }], observer) => {
  observer.disconnect();
  root.scrollLeft += link.right - row.left - row.width / 2;
};
if (root) new IntersectionObserver(center, { root }).observe(shown);

// Follows the changes of a page, marks them for a minute, and says whether the page is live.
/** Tells people who hear the page. */
const tell = (text) => {
  named("spoken").textContent = text;
};

(() => {
  const main = only("main[data-clock]");
  if (!main) return;
  const status = named("live");
  /** In milliseconds: the server sends something every two seconds. */
  const silence = 3_800;
  const marked = 60_000;
  const patience = 8_000; // a dead connection keeps a request waiting for ever
  const age = () => performance.now(); // of the page
  const isVendor = main.dataset.cursor === undefined;

  /** Whether a person is using a form. */
  const inUse = (form) =>
    form === waiting ||
    form.matches(":focus-within, :has(progress:not([hidden]))") ||
    [...form.elements].some(({ type, value, defaultValue = value }) => type !== "hidden" && value !== defaultValue);

  let hasEnded = false;
  /** The session has ended. A form that waits is sent: its answer is the sign-in. */
  function leave() {
    if (waiting) return show(true);
    hasEnded = [...document.forms].some(inUse);
    if (hasEnded) show(false);
    else location.reload();
  }

  let news = []; // what was marked, each with the text that it replaces
  const words = (text) => text.replace(/\s+/g, " ").trim();

  function mark(element, was) {
    if (element === null || element.closest("time, form, [data-quiet]") !== null) return;
    element.dataset.was = was.slice(0, 40);
    setTimeout(() => delete element.dataset.was, marked);
    news.push([element.closest("li, tr, dd, p, h1, h2, section"), was.slice(0, 40)]);
  }

  const sentenceOf = ([about, was]) => {
    // biome-ignore lint/performance/useDomNodeTextContent: in textContent, words of two elements run together
    const text = words(about?.innerText ?? "").slice(0, 90);
    return was ? `${text}, was ${was}` : `New: ${text}`;
  };

  function takeAttributes(old, fresh) {
    for (const { name } of [...old.attributes])
      if (!fresh.hasAttribute(name) && !/^(?:open|data-was)$/.test(name)) old.removeAttribute(name);
    for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }

  /** What an item of a list is about. Others are compared by their place. */
  function keyOf(node) {
    if (!/^(?:LI|TR|SECTION)$/.test(node.nodeName)) return undefined;
    if (node.id !== "" || node.nodeName !== "SECTION")
      return node.id || node.querySelector("a[href]")?.getAttribute("href");
    return node.querySelector("h2")?.firstChild?.textContent.trim(); // without the count behind it
  }

  const isUsed = (node) =>
    node.nodeType === Node.ELEMENT_NODE &&
    [node, ...all("form", node)].some((one) => one.tagName === "FORM" && inUse(one));

  function takeChildren(old, fresh) {
    const known = new Map();
    for (const child of old.childNodes) if (keyOf(child) && !known.has(keyOf(child))) known.set(keyOf(child), child);
    let at = old.firstChild;
    for (const node of [...fresh.childNodes]) {
      const key = keyOf(node);
      const same = key ? known.get(key) : at && !keyOf(at) ? at : undefined;
      known.delete(key);
      if (same === undefined) {
        old.insertBefore(node, at);
        if (key) mark(node, "");
        continue;
      }
      if (same === at) at = at.nextSibling;
      else old.insertBefore(same, at);
      take(same, node);
    }
    while (at !== null) {
      const next = at.nextSibling;
      if (!isUsed(at)) at.remove();
      at = next;
    }
  }

  /** Makes a node like a new one, and keeps what is the same. */
  function take(old, fresh) {
    if (old.isEqualNode(fresh) || (old.tagName === "FORM" && inUse(old))) return;
    if (old.nodeType === Node.TEXT_NODE && fresh.nodeType === Node.TEXT_NODE) {
      const was = words(old.data);
      old.data = fresh.data;
      if (was !== words(fresh.data)) mark(old.parentElement, was);
    } else if (old.nodeType !== Node.ELEMENT_NODE || old.tagName !== fresh.tagName) old.replaceWith(fresh);
    else {
      takeAttributes(old, fresh);
      takeChildren(old, fresh);
    }
  }

  /** Rows that the page has come back empty, by their tags. */
  async function refresh() {
    const rows = new Map(all("[data-row]", main).map((row) => [row.dataset.row, row]));
    const headers = { accept: "text/html", "tallylight-rows": [...rows.keys()].slice(0, 500).join(" ") };
    const response = await fetch(location.href, { headers, signal: AbortSignal.timeout(patience) });
    if (response.redirected || response.status === 401 || response.status === 404) return leave();
    if (!response.ok) throw new Error(String(response.status));
    const page = await pageOf(response);
    for (const row of all("[data-row]:empty", page)) {
      const copy = rows.get(row.dataset.row).cloneNode(true);
      for (const element of [copy, ...all("[data-was]", copy)]) delete element.dataset.was;
      row.replaceWith(copy);
    }
    const text = `<!doctype html>\n${page.documentElement.outerHTML}`;
    const copy = { url: location.href, text, headers: [...response.headers] };
    void navigator.serviceWorker?.ready.then(({ active }) => active.postMessage(copy));
    if (only(".held")) throw new Error("a strip is held"); // it is tried again
    news = [];
    take(main, page.querySelector("main"));
    sayChosen();
    setClock();
    const more = news.length > 3 ? [`and ${news.length - 3} more changes`] : [];
    if (news.length > 0) tell([...news.slice(0, 3).map(sentenceOf), ...more].join(". "));
  }

  // The status line, in the time of the server.
  let [base, since] = [0, 0];
  /** When the server was last heard, by its clock and since the page was opened. */
  let [heardAt, heard] = [0, Number.NEGATIVE_INFINITY];
  const present = () => base + age() - since;
  const isoOf = (time) => new Date(time).toISOString();
  function setClock() {
    base = Date.parse(`${main.dataset.clock}Z`);
    since = age();
  }
  const place = `heard ${location.pathname}${location.search}`;
  let isLive;
  function show(live) {
    const text = hasEnded ? "Signed out" : `${live ? "Live, " : "Offline since "}${isoOf(heardAt).slice(11, 16)}`;
    if (status.textContent !== text) status.textContent = text;
    status.hidden = false;
    if (live === isLive) return;
    status.className = live ? "live" : "live offline chip warn";
    if (isLive !== undefined || !live) tell(live ? "Live again" : text);
    isLive = live;
    const form = live ? endWaiting() : undefined;
    form?.requestSubmit(form.sender);
  }
  function hear() {
    [heardAt, heard, hasEnded] = [present(), age(), false];
    sessionStorage.setItem(place, heardAt);
    show(true);
  }

  const isCopy = "copy" in document.documentElement.dataset;
  let isBehind = isCopy || isVendor;
  let [line, after, began, isFetching, isWaiting] = [undefined, main.dataset.cursor ?? "now", 0, false, false];

  /** At most once a second, once more if something changes meanwhile. */
  async function renew() {
    isWaiting = true;
    if (isFetching) return;
    isFetching = true;
    do {
      isWaiting = false;
      await refresh().catch(() => {
        isWaiting = true;
      });
      await pause(1_000);
    } while (isWaiting && isLive);
    isFetching = false;
    isBehind ||= isWaiting; // it is tried again with the next connection
  }

  function takeLine(text) {
    after = /^id: ?(.*)$/m.exec(text)?.[1] ?? after;
    const data = /^data: ?(.*)$/m.exec(text)?.[1];
    const isSilent = /"type":"storage\./.test(data ?? "") && !location.pathname.startsWith("/settings/");
    if (data !== undefined && !isSilent) void renew();
  }

  async function listen() {
    line = new AbortController();
    began = age();
    const response = await fetch(`/live?after=${encodeURIComponent(after)}`, { signal: line.signal });
    if (response.status === 401) return leave();
    if (response.status === 410) {
      [after, isBehind] = ["now", true];
      return;
    }
    if (!response.ok) throw new Error(String(response.status));
    if (isBehind) void renew();
    isBehind = isVendor; // the line of a vendor does not say what it missed
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      hear();
      const lines = (text + value).split("\n\n");
      text = lines.pop();
      for (const each of lines) takeLine(each);
    }
  }

  async function follow() {
    for (let wait = 500; ; wait = Math.min(5_000, wait * 2)) {
      if (document.hidden)
        await new Promise((resolve) => addEventListener("visibilitychange", resolve, { once: true }));
      try {
        await listen();
      } catch {
        show(false);
      }
      if (age() - began > 10_000) wait = 500;
      await pause(wait);
    }
  }

  /** Opens a line again that may be dead, and fetches the page. */
  function wake() {
    if (age() - heard > silence) line?.abort();
    void renew();
  }

  let [tick, fetchedOn] = [Date.now(), main.dataset.clock.slice(0, 10)];
  setInterval(() => {
    const gap = Math.abs(Date.now() - tick - 1_000);
    tick = Date.now();
    if (document.hidden) return;
    if (gap > 10_000) wake(); // the machine slept, or its clock was set
    if (age() - heard > silence) show(false);
    if (age() - Math.max(heard, began) > 2 * silence) line?.abort();
    const date = isoOf(present()).slice(0, 10);
    if (date !== fetchedOn) {
      fetchedOn = date;
      void renew();
    }
  }, 1_000);
  addEventListener("online", wake);
  addEventListener("offline", () => show(false));
  addEventListener("pageshow", ({ persisted }) => persisted && wake());
  addEventListener("visibilitychange", () => document.hidden || age() - heard < silence || wake());

  // A printed page says when it was printed.
  addEventListener("beforeprint", () => {
    const { dataset } = document.documentElement;
    const now = isoOf(present()).slice(0, 16).replace("T", ", ");
    dataset.sheet = `${dataset.sheet.split("printed ", 1)[0]}printed ${now}`;
  });

  setClock();
  heardAt = base;
  if (isCopy) {
    heardAt = Math.max(base, Number(sessionStorage.getItem(place)));
    show(false);
  } else heard = age();
  void follow();

  void navigator.serviceWorker?.register("/worker.js").then(async () => {
    const { active } = await navigator.serviceWorker.ready;
    if (!(await caches.match(location.href))) active.postMessage({ url: location.href }); // it came before the worker
  });
})();

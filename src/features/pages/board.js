// Moves strips of the board by pointer and keyboard. The form of the page sends them.
(() => {
  const form = only("#move-form");
  if (!form) return;
  let held;
  const chosen = () => all("[name=strips]:checked");
  const boxOf = (strip) => strip.querySelector("[name=strips]");
  const isChosen = (strip) => boxOf(strip).checked;
  const strips = (list) => all(":scope > .strip", list);
  const dayOf = (list) => list.dataset.name;

  function pick(grip) {
    const strip = grip.closest(".strip");
    const list = strip.parentElement;
    held = { strip, list, next: strip.nextElementSibling, grip, name: grip.dataset.scene };
    strip.classList.add("held");
    const others = isChosen(strip) ? chosen().length - 1 : 0;
    const along = others > 0 ? ` with ${others} more` : "";
    tell(`Scene ${held.name} is picked up${along}. Arrow keys move it, Enter drops it, Escape puts it back.`);
  }

  function release() {
    held.strip.classList.remove("held");
    held = undefined;
  }

  function putBack() {
    held.list.insertBefore(held.strip, held.next);
    tell(`Scene ${held.name} is back on ${dayOf(held.list)}.`);
    held.grip.focus();
    release();
  }

  function drop() {
    const { strip, list, next } = held;
    if (strip.parentElement === list && strip.nextElementSibling === next) return putBack();
    const fields = form.elements;
    // The strips that are chosen go along, if this is one of them.
    if (!isChosen(strip)) for (const box of chosen()) box.checked = false;
    boxOf(strip).checked = true;
    for (const name of ["scene", "handle", "scene_id", "day", "before"]) fields[name].value = "";
    fields.to.value = strip.parentElement.dataset.day;
    let following = strip.nextElementSibling;
    while (following !== null && isChosen(following)) following = following.nextElementSibling;
    fields.before_id.value = following?.querySelector("[data-move]").dataset.move ?? "";
    release();
    form.requestSubmit();
  }

  /** Moves the held strip by a place, or to the next day. */
  function step(key) {
    const { strip } = held;
    const list = strip.parentElement;
    const days = all("[data-day]").filter((one) => one.checkVisibility());
    const isBack = /Up|Left/.test(key);
    const other = days[days.indexOf(list) + (isBack ? -1 : 1)];
    if (key === "ArrowUp" && strip.previousElementSibling) list.insertBefore(strip, strip.previousElementSibling);
    else if (key === "ArrowDown" && strip.nextElementSibling) list.insertBefore(strip.nextElementSibling, strip);
    else if (other !== undefined) other.insertBefore(strip, isBack ? null : other.firstElementChild);
    held.grip.focus();
    strip.scrollIntoView({ block: "nearest" });
    const now = strip.parentElement;
    tell(`${dayOf(now)}, place ${strips(now).indexOf(strip) + 1} of ${strips(now).length}`);
  }

  addEventListener("keydown", (event) => {
    const grip = event.target.closest?.("[data-move]");
    if (!grip) return;
    const isKey = /^(?:Enter| |Escape|Arrow(?:Up|Down|Left|Right))$/.test(event.key);
    if (!isKey || (held === undefined && !/^(?:Enter| )$/.test(event.key))) return;
    event.preventDefault();
    if (held === undefined) pick(grip);
    else if (event.key === "Escape") putBack();
    else if (event.key.startsWith("Arrow")) step(event.key);
    else drop();
  });

  // By pointer: the strip follows to the place under it.
  for (const type of ["click", "dragstart"])
    addEventListener(type, (event) => {
      const isKey = type === "click" && event.detail === 0;
      if (!isKey && event.target.closest?.("[data-move]")) event.preventDefault();
    });
  addEventListener("pointerdown", (event) => {
    const grip = event.target.closest?.("[data-move]");
    if (!grip || event.button !== 0 || held !== undefined) return;
    grip.setPointerCapture(event.pointerId);
    pick(grip);
  });
  addEventListener("pointermove", ({ clientX, clientY, buttons }) => {
    if (held === undefined || buttons === 0) return;
    const edge = clientY < 70 ? -1 : clientY > innerHeight - 40 ? 1 : 0;
    if (edge !== 0) scrollBy(0, edge * 14);
    const under = document.elementsFromPoint(clientX, clientY);
    const list = under
      .map((element) => element.closest(":has(> [data-day])"))
      .find(Boolean)
      ?.querySelector("[data-day]");
    if (!list) return;
    const after = strips(list).find((strip) => {
      const { top, height } = strip.getBoundingClientRect();
      return strip !== held.strip && clientY < top + height / 2;
    });
    list.insertBefore(held.strip, after ?? null);
  });
  addEventListener("pointerup", () => held !== undefined && drop());
  addEventListener("pointercancel", () => held !== undefined && putBack());
})();

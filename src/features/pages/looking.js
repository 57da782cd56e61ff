// One zoom and pan for all stills of a page, and a click that says where a note belongs.
(() => {
  if (only(".plane") === null) return;
  const main = only("main");
  const sheet = new CSSStyleSheet(); // rules of its own outlast a fresh copy of the page
  document.adoptedStyleSheets.push(sheet);
  let [zoom, x, y] = [1, 0, 0];
  let [pin, from, hasMoved] = ["", undefined, false];

  function draw() {
    const within = (part) => Math.min((zoom - 1) / 2, Math.max((1 - zoom) / 2, part));
    [x, y] = [within(x), within(y)];
    sheet.replaceSync(`[data-zoom][hidden]{display:flex}
      .plane{transform:translate(${x * 100}%,${y * 100}%) scale(${zoom});${zoom > 1 ? "cursor:grab;touch-action:none" : ""}}
      .pins g{transform:scale(${1 / zoom})}${pin}`);
  }

  /** Zooms by a factor; 0 gives back the whole picture. */
  function zoomBy(factor) {
    const next = factor === 0 ? 1 : Math.min(8, Math.max(1, zoom * factor));
    [zoom, x, y] = [next, (x * next) / zoom, (y * next) / zoom];
    draw();
  }

  function setPin(plane, { clientX, clientY }) {
    const box = plane.getBoundingClientRect();
    const percent = (part) => Math.round(part * 1000) / 10;
    const [left, top] = [percent((clientX - box.left) / box.width), percent((clientY - box.top) / box.height)];
    [named("left").value, named("top").value] = [left, top];
    named("left").closest("details").open = true;
    pin = `[data-pin]::after{content:"◎";position:absolute;left:${left}%;top:${top}%;translate:-50% -50%;
      color:#a81c2b;background:#fff;border-radius:50%;padding:0 .3em;scale:${1 / zoom}}`;
    draw();
    named("text").focus({ preventScroll: true });
  }

  const planeOf = ({ target }) => target.closest(".plane");
  main.addEventListener("click", (event) => {
    const button = event.target.closest("[data-zoom] button");
    if (button !== null) zoomBy(Number(button.value));
    const plane = planeOf(event);
    if (plane?.matches("[data-pin]") && !hasMoved && named("left") !== null) setPin(plane, event);
  });
  main.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
    if (step === undefined || event.target.closest("[data-zoom]") === null) return;
    event.preventDefault();
    [x, y] = [x + step[0], y + step[1]];
    draw();
  });
  main.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey || planeOf(event) === null) return;
      event.preventDefault();
      zoomBy(event.deltaY < 0 ? 1.25 : 0.8);
    },
    { passive: false },
  );
  main.addEventListener("pointerdown", (event) => {
    const plane = planeOf(event);
    if (plane === null) return;
    event.preventDefault(); // the browser would drag the picture itself
    [from, hasMoved] = [{ event, x, y, box: plane.parentElement.getBoundingClientRect() }, false];
  });
  addEventListener("pointermove", ({ clientX, clientY }) => {
    if (from === undefined) return;
    const [right, down] = [clientX - from.event.clientX, clientY - from.event.clientY];
    hasMoved ||= Math.hypot(right, down) > 4;
    [x, y] = [from.x + right / from.box.width, from.y + down / from.box.height];
    draw();
  });
  addEventListener("pointerup", () => {
    from = undefined;
  });
  draw();
})();

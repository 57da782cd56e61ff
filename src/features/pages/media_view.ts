// Media as people look at them: stills, clips that play, and versions side by side with the places of their notes.
import { html, type Markup } from "./html.ts";
import { fileList, lines, plural, still, versionChip } from "./html_parts.ts";
import { isSequence, type Sequence, sequencesIn } from "./image_sequences.ts";
import { isFilm, isPlayed, isShownPicture, typeWords } from "./media_words.ts";
import { type SeenMedium, type ShownVersion, shownMedia } from "./pages/versions.ts";

const isImage = isShownPicture;
const isVideo = isPlayed;

/** Whether a film may have a poster: one without a preview, because it is too long for one, does. */
const hasPoster = (medium: SeenMedium): boolean => isFilm(medium) && medium.film?.isCut !== "description";

/** Whether it is a still or a film, and not only a file. */
export const isShown = (medium: SeenMedium): boolean => isImage(medium) || isVideo(medium) || hasPoster(medium);

/** A film that plays; where the browser does not play it, its preview if there is one. */
const clip = ({ id, label, preview }: SeenMedium): Markup =>
  preview === undefined
    ? html`<video src="/files/${id}" aria-label="${label}" controls preload="metadata" playsinline></video>`
    : html`<video aria-label="${label}" controls preload="metadata" playsinline><source src="/files/${id}"><source src="/files/${id}?preview=true"></video>`;

/** What browsers play in place of a film. */
const previewClip = ({ id, label }: SeenMedium): Markup =>
  html`<video src="/files/${id}?preview=true" poster="/thumbnails/${id}" aria-label="${label}" controls preload="none" playsinline></video>`;

/** The name of a medium, which leads to its bytes, and its type in words. */
const mediumLine = (medium: SeenMedium): Markup =>
  html`<a href="/files/${medium.id}">${medium.label}</a> <span class="under">${typeWords(medium)}</span>`;

/** Where a picture is in two widths, of which the browser takes the one that fits. `sizes`: how wide it is shown. */
const widths = (id: number, sizes: string): Markup =>
  html`src="/thumbnails/${id}?width=1280" srcset="/thumbnails/${id}?width=640 640w, /thumbnails/${id}?width=1280 1280w" sizes="${sizes}"`;

/** How wide a picture is that has the first column of a page to itself, and each of two. */
const [wholeColumn, halfColumn] = ["(max-width: 64rem) 100vw, 60rem", "(max-width: 64rem) 100vw, 40rem"];

/**
 * A still that leads to its full size, or a clip that plays; below it what every medium has. `isWide`: it has a column
 * to itself.
 */
function mediumTile(medium: SeenMedium, isWide = false): Markup {
  const { id, label } = medium;
  if (isVideo(medium)) return html`<span class="still">${clip(medium)}</span>${mediumLine(medium)}`;
  if (medium.preview === "ready") return html`<span class="still">${previewClip(medium)}</span>${mediumLine(medium)}`;
  if (medium.preview === "waits")
    return html`${still(`/thumbnails/${id}`, "film")}${mediumLine(medium)} <span class="under">A preview is being made: open this page again later.</span>`;
  if (hasPoster(medium)) return html`${still(`/thumbnails/${id}`, "film")}${mediumLine(medium)}`;
  if (!isImage(medium)) return mediumLine(medium);
  const picture = isWide
    ? html`<span class="still"><img ${widths(id, wholeColumn)} alt=""></span>`
    : still(`/thumbnails/${id}`, "still");
  return html`<a class="tile" href="/files/${id}">${picture}<span class="unseen">${label} in full size</span></a>${mediumLine(medium)}`;
}

/** A sequence as one line, which opens. */
const sequenceLine = ({ name, media, missing }: Sequence<SeenMedium>): Markup => {
  const [first] = media;
  const words = first === undefined ? "" : `, ${typeWords(first)}`;
  return html`<details><summary>${name}, ${plural(media.length, "file")}${words}${missing !== "" && `, missing ${missing}`}</summary>${lines(media.map((one) => html`<li>${mediumLine(one)}</li>`))}</details>`;
};

/**
 * All files of a submission or another thing: sequences, stills and clips that are shown, and the others. `isWide`:
 * they have a column to themselves.
 */
export function mediaParts(media: readonly SeenMedium[], isWide = false): Markup {
  const parts = sequencesIn(media);
  const sequences = parts.filter((one) => isSequence(one));
  const single = parts.filter((one): one is SeenMedium => !isSequence(one));
  const shown = new Set(single.filter(isShown).slice(0, shownMedia));
  const others = single.filter((one) => !shown.has(one));
  const tiles = [...shown].map((one) => html`<li>${mediumTile(one, isWide && shown.size === 1)}</li>`);
  return html`${tiles.length > 0 && html`<ul class="grid ${tiles.length > 1 && "stills"}">${tiles}</ul>`}${sequences.map(sequenceLine)}${others.length > 0 && fileList(others)}`;
}

/** A note at a place on a still, with the number that both show. */
export interface Pin {
  number: number;
  place: { x: number; y: number };
}

const percent = (part: number): string => `${Math.round(part * 1000) / 10}%`;

const pinMark = ({ number, place }: Pin): Markup =>
  html`<svg x="${percent(place.x)}" y="${percent(place.y)}" overflow="visible"><g><circle r="11" fill="#a81c2b" stroke="#fff" stroke-width="2"/><text dy=".35em" text-anchor="middle" fill="#fff" font-size="12">${number}</text></g></svg>`;

export interface ViewedVersion {
  version: ShownVersion;
  medium: SeenMedium | undefined;
  pins: readonly Pin[];
  /** Whether a click on it says where a new note belongs. */
  takesPin?: boolean;
  /** What is said of it besides its name and state, in place of the links to its file. */
  about?: Markup | undefined;
}

function figure({ version, medium, pins, takesPin, about }: ViewedVersion, sizes: string): Markup {
  const name = `v${version.version} ${version.variant}`;
  const picture =
    medium === undefined
      ? still(undefined, "no picture")
      : isImage(medium)
        ? html`<div class="strips"><div class="plane"${takesPin && html` data-pin`}><img ${widths(medium.id, sizes)} alt="${name}"><svg class="pins" aria-hidden="true">${pins.map(pinMark)}</svg></div></div>`
        : mediumTile(medium);
  const link =
    medium !== undefined &&
    isImage(medium) &&
    (about === undefined
      ? html`<span><a href="/files/${medium.id}" title="${medium.label}">full size</a>, ${typeWords(medium)}</span>`
      : html`<span>${mediumLine(medium)}</span>`);
  return html`<figure>${picture}<figcaption class="under"><b>v${version.version} ${version.variant}</b> ${versionChip(version)}${about}${link}</figcaption></figure>`;
}

/** The buttons that zoom all stills of the page at once. The script of the page shows them, because they need it. */
const zoomButtons: Markup = html`<div class="zoom" role="group" aria-label="Zoom" title="Drag, or the arrow keys, to move" data-zoom hidden><button type="button" class="plain" value="0.5" aria-label="Zoom out">−</button><button type="button" class="plain" value="0">Fit</button><button type="button" class="plain" value="2" aria-label="Zoom in">+</button></div>`;

/** One version in the whole width, or two side by side. */
export function viewer(versions: readonly ViewedVersion[]): Markup {
  const isSingle = versions.length < 2;
  const figures = versions.map((version) => figure(version, isSingle ? wholeColumn : halfColumn));
  return html`<div class="viewer ${isSingle ? "single" : "grid half"}">${figures}${versions.some(({ medium }) => medium !== undefined && isImage(medium)) && zoomButtons}</div>`;
}

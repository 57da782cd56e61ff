// The types of media in words, for people: what a file is, and whether browsers show it.

import { inlineTypes } from "../../core/store/media_types.ts";
import type { PictureFacts } from "../../core/store/picture_headers.ts";
import type { Film } from "./film_codecs.ts";

/** A medium as the pages know it. */
export interface KnownMedium {
  content_type: string;
  film?: Film | undefined;
  picture?: PictureFacts | undefined;
  /** What browsers play in place of a film that they do not play: it is there, or it is being made. */
  preview?: "ready" | "waits" | undefined;
}

/** Names of types. */
const names: Readonly<Record<string, string>> = {
  "image/jpeg": "JPEG",
  "image/png": "PNG",
  "image/gif": "GIF",
  "image/webp": "WebP",
  "image/avif": "AVIF",
  "image/heic": "HEIC",
  "image/heif": "HEIF",
  "image/tiff": "TIFF",
  "image/vnd.adobe.photoshop": "Photoshop picture",
  "image/x-exr": "OpenEXR",
  "image/x-dpx": "DPX",
  "image/jp2": "JPEG 2000",
  "image/jpx": "JPEG 2000",
  "image/jpm": "JPEG 2000",
  "image/j2c": "JPEG 2000",
  "video/mp4": "MP4 film",
  "video/quicktime": "QuickTime film",
  "video/webm": "WebM film",
  "video/x-matroska": "Matroska film",
  "video/x-msvideo": "AVI film",
  "application/mxf": "MXF film",
  "video/mpeg": "MPEG film",
  "video/mp2t": "MPEG film",
  "video/mj2": "JPEG 2000 film",
  "video/ogg": "Ogg film",
  "audio/wav": "WAV sound",
  "audio/x-aiff": "AIFF sound",
  "audio/mpeg": "MP3 sound",
  "audio/flac": "FLAC sound",
  "audio/ogg": "Ogg sound",
  "application/ogg": "Ogg file",
  "audio/mp4": "M4A sound",
  "application/pdf": "PDF",
  "application/zip": "ZIP archive",
  "model/gltf-binary": "glTF model",
  "model/gltf+json": "glTF model",
  "text/plain": "text",
};

/** "camera raw (NEF)", of a type such as image/x-nikon-nef; undefined for another one. */
function rawName(type: string): string | undefined {
  const [, ending] = /^(?:image|video)\/x-[a-z]+-([a-z0-9]{2,4})$/.exec(type) ?? [];
  return ending && `camera raw (${ending.toUpperCase()})`;
}

const isPicture = (type: string): boolean => type.startsWith("image/");
export const isFilm = ({ content_type }: KnownMedium): boolean =>
  content_type.startsWith("video/") || content_type === "application/mxf";

/** Whether browsers show it as a picture. */
export const isShownPicture = ({ content_type }: KnownMedium): boolean =>
  isPicture(content_type) && inlineTypes.has(content_type);
/** Whether browsers play it. */
export const isPlayed = ({ content_type, film }: KnownMedium): boolean =>
  content_type.startsWith("video/") && inlineTypes.has(content_type) && film?.plays !== false;

/** What a picture is besides its type. */
const pictureWords = ({ isCut, isAnimated, hasPlace }: PictureFacts): string =>
  `${isCut ? " that is cut off: a part of it is missing" : ""}${isAnimated ? ", animated" : ""}${hasPlace ? ", says at which place it was made" : ""}`;

/** Files of films that browsers play with none of their codecs, in words. */
const inContainers: Readonly<Record<string, string>> = {
  "video/x-matroska": " in Matroska",
  "video/x-msvideo": " in AVI",
  "application/mxf": " in MXF",
  "video/mp2t": " in MPEG-TS",
  "video/ogg": " in Ogg",
};

/** What a film is, with the codec where browsers do not play it. */
function filmWords(medium: KnownMedium, name: string): string {
  if (isPlayed(medium)) return name;
  const { content_type, film } = medium;
  const codec = film?.codec && `${film.codec}${inContainers[content_type] ?? ""}`;
  return `${codec ?? name}, which browsers do not play`;
}

/** What a medium is: "JPEG", or "ProRes, which browsers do not play". */
export function typeWords(medium: KnownMedium): string {
  const { content_type, film, picture } = medium;
  const type = names[content_type] ?? rawName(content_type) ?? "file of an unknown type";
  const name = picture === undefined ? type : `${type}${pictureWords(picture)}`;
  if (film?.isCut === "description") return `${name} that is cut off: what describes it is missing`;
  if (isFilm(medium)) return `${filmWords(medium, name)}${film?.isCut ? ", cut off: a part of it is missing" : ""}`;
  return isPicture(content_type) && !isShownPicture(medium) ? `${name}, which browsers do not show` : name;
}

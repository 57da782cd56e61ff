// Says of a film by which codecs its picture and its sound are coded, and whether browsers play them: reads the headers
// of MP4, QuickTime, Matroska, WebM, AVI, MXF, MPEG and Ogg alone.
import { open } from "node:fs/promises";
import { type Described, describedBoxes, type FilePlaces } from "./film_boxes.ts";
import { describedAvi, describedMatroska, describedMxf } from "./film_containers.ts";
import { describedOgg, describedProgram, describedTransport } from "./film_streams.ts";

/** What is known of a film. */
export interface Film {
  /** The name of the codec; undefined if it is not known. */
  codec: string | undefined;
  plays: boolean;
  /** Whether only some browsers play it. */
  isRare?: true;
  /** The file ends before what describes the film, or before the film does. */
  isCut?: "description" | "part";
}

/** The codecs of films by their names in files, and whether browsers play them. */
const codecs: readonly (readonly [names: RegExp, codec: string, plays: boolean])[] = [
  [/^avc[1-4]|^[xh]264|^V_MPEG4\/ISO\/AVC|^mxf 013/i, "H.264", true],
  [/^vp0?8|^V_VP8/i, "VP8", true],
  [/^vp0?9|^V_VP9/i, "VP9", true],
  [/^av01|^V_AV1/i, "AV1", true],
  [/^ap(?:c[nhso]|4[hx])|^V_PRORES|^mxf 0306/, "ProRes", false],
  [/^ap(?:rn|rh)/, "ProRes RAW", false],
  [/^(?:hvc1|hev1|dvh[1e]|hevc|h265|x265)|^V_MPEGH/i, "HEVC", false],
  [/^AVdn|^mxf 71[01]/, "DNxHD", false],
  [/^AVdh|^mxf 712/, "DNxHR", false],
  [/^CFHD/i, "CineForm", false],
  [/^brxq|^brst|^brvn|^brs2|^brhq|^brlt/, "Blackmagic RAW", false],
  [/^(?:jpeg|mjp[abg])|^V_MJPEG/i, "Motion JPEG", false],
  [/^mp4v|^xvid|^divx|^dx50|^fmp4|^mp4[123s]|^div[345]|^V_MPEG4|^mxf 0120/i, "MPEG-4", false],
  [/^(?:xd|hd[v1-9]|mx[345]|mpeg|m2v1|mp2v|mpg2)|^V_MPEG2|^mxf 010/i, "MPEG-2", false],
  [/^mpg1|^V_MPEG1|^mxf 011/i, "MPEG-1", false],
  [/^(?:dv[c5hp]|dvcp|dvsd|dvhd|dv25|dv50)|^mxf 02/i, "DV", false],
  [
    /^(?:2vuy|v210|v308|v408|v410|yuv2|yuy2|uyvy|i420|yv12|raw |r210|b64a|\0{4})|^V_UNCOMPRESSED/i,
    "uncompressed video",
    false,
  ],
  [/^mjp2|^mj2c|^mxf 0301/, "JPEG 2000", false],
  [/^(?:s263|h263)/i, "H.263", false],
  [/^(?:hfyu|ffvh)/i, "Huffyuv", false],
  [/^(?:ul[rhy]|um[rhy])/i, "Ut Video", false],
  [/^wmv/i, "Windows Media Video", false],
  [/^V_THEORA/, "Theora", false],
  [/^cvid/, "Cinepak", false],
  [/^rle /, "Animation", false],
  [/^png /, "PNG pictures", false],
  [/^SVQ/, "Sorenson Video", false],
  [/^FFV1|^V_FFV1/, "FFV1", false],
  [/^drac|^V_DIRAC/i, "Dirac", false],
  [/^vc-1|^wvc1/i, "VC-1", false],
];
/** The profiles of H.264 that browsers do not play: more than 8 bits, or other colours than 4:2:0. */
const deepProfiles = new Set([110, 122, 244, 44]);

/** The codecs of sound that browsers do not play, by their names in files. */
const soundCodecs: readonly (readonly [names: RegExp, codec: string])[] = [
  [/^ac-3/, "AC-3"],
  [/^ec-3/, "E-AC-3"],
  [/^dts/, "DTS"],
  [/^(?:sowt|twos|lpcm|in24|in32|fl32|fl64|raw )/, "uncompressed"],
];

/** The film of a picture's description. */
function filmOf(entry: string, type: string): Film {
  const [, codec, plays = false] = codecs.find(([names]) => names.test(entry)) ?? [];
  const profileAt = entry.indexOf("avcC") + 5;
  if (plays && profileAt > 4 && deepProfiles.has(entry.charCodeAt(profileAt)))
    return { codec: `${codec} in more than 8 bits or 4:2:0`, plays: false };
  const isEverywhere = type === "video/webm" ? codec !== "AV1" : type === "video/mp4" && codec === "H.264";
  return { codec, plays, ...(plays && !isEverywhere && { isRare: true }) };
}

const readers: Readonly<Record<string, (file: FilePlaces) => Promise<Described>>> = {
  "video/mp4": describedBoxes,
  "video/quicktime": describedBoxes,
  "video/x-matroska": describedMatroska,
  "video/webm": describedMatroska,
  "video/x-msvideo": describedAvi,
  "application/mxf": describedMxf,
  "video/mp2t": describedTransport,
  "video/mpeg": describedProgram,
  "video/ogg": describedOgg,
};

/** The types of films whose headers are read. */
export const isRead = (content_type: string): boolean => Object.hasOwn(readers, content_type);

/** What is known of a film of a type that `isRead`. Throws the system's error if there is no file. */
export async function filmIn(file: string, content_type: string): Promise<Film> {
  const handle = await open(file, "r");
  try {
    const read = readers[content_type] as (file: FilePlaces) => Promise<Described>; // the caller has asked isRead
    const { picture, sound, isCut } = await read({ handle, size: (await handle.stat()).size });
    const cut = isCut && { isCut };
    // Sound alone, or a form that is not known: the browser decides.
    if (picture === undefined) return { codec: undefined, plays: isCut !== "description", ...cut };
    const film = { ...filmOf(picture, content_type), ...cut };
    const silent = sound && soundCodecs.find(([names]) => names.test(sound))?.[1];
    return film.plays && silent ? { ...film, codec: `${film.codec} with ${silent} sound`, plays: false } : film;
  } finally {
    await handle.close();
  }
}

// Runs ffmpeg and ffprobe on a stored film: each in a process of its own that the system bounds, with the demuxer that
// the film's bytes name, and without any other file: what a film refers to is never opened.
import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { headOf } from "../../core/store/media_types.ts";
import { hasProgram } from "./memory_bound.ts";

/**
 * The demuxer of each type of films. None of them opens other files; those that do (concat, hls, dash, image2, imf) are
 * not here.
 */
const demuxers: Readonly<Record<string, string>> = {
  "video/mp4": "mov",
  "video/quicktime": "mov",
  "video/webm": "matroska",
  "video/x-matroska": "matroska",
  "video/x-msvideo": "avi",
  "application/mxf": "mxf",
  "video/mpeg": "mpeg",
  "video/mp2t": "mpegts",
  "video/ogg": "ogg",
  "application/ogg": "ogg",
};

/** Whether a type is one of films that ffmpeg is given. */
export const isFilmType = (content_type: string): boolean => Object.hasOwn(demuxers, content_type);

/** A film to be read: its file and the type of its bytes. */
export interface FilmFile {
  file: string;
  content_type: string;
}

/** What a process may take of memory and write into one file, in bytes. */
export const maxMemory = 1 << 30;
export const maxPreview = 512 << 20;
/** Larger frames are not decoded. */
export const maxPixels = 64_000_000;

/** How MPEG begins that is pictures alone, without the packets of a program. */
const mpegPictures = Buffer.from("000001b3", "hex");

/** The demuxer that the bytes of a film name. Throws the system's error if there is no file. */
function demuxerOf({ file, content_type }: FilmFile): string {
  const demuxer = demuxers[content_type] as string; // the caller has asked isFilmType
  const isPictures = demuxer === "mpeg" && headOf(file).subarray(0, mpegPictures.length).equals(mpegPictures);
  return isPictures ? "mpegvideo" : demuxer;
}

/**
 * A film as input. `-f` names the demuxer, so that a text that calls itself a playlist is none; of the protocols there
 * is `file` alone.
 */
const inputOf = (film: FilmFile): string[] => {
  const demuxer = demuxerOf(film);
  const references = demuxer === "mov" ? ["-enable_drefs", "0", "-use_absolute_path", "0"] : [];
  return [
    "-protocol_whitelist",
    "file",
    "-f",
    demuxer,
    ...references,
    "-max_pixels",
    `${maxPixels}`,
    "-i",
    `file:${film.file}`,
  ];
};

let tools: { isInstalled: boolean; before: string[] } | undefined;

/** Whether ffmpeg is installed, and what stands before it: bounds of the system where it has the programs. */
function toolsOf(): { isInstalled: boolean; before: string[] } {
  tools ??= {
    isInstalled: hasProgram("ffmpeg") && hasProgram("ffprobe"),
    before: [
      ...(hasProgram("prlimit") ? ["prlimit", `--data=${maxMemory}`, `--fsize=${maxPreview}`, "--core=0"] : []),
      ...(hasProgram("nice") ? ["nice", "-n", "19"] : []),
    ],
  };
  return tools;
}

export const isInstalled = (): boolean => toolsOf().isInstalled;

/** How a process ended: with its output, or killed because it took too long or by the system, or otherwise. */
type Ended = { ended: "done"; output: string } | { ended: "late" | "failed" };

/** More output is not read. */
const maxOutput = 1 << 20;

function run(program: string, args: readonly string[], timeout: number, signal: AbortSignal): Promise<Ended> {
  const [command = program, ...rest] = [...toolsOf().before, program, ...args];
  return new Promise((resolve) => {
    const { PATH = "" } = process.env;
    const child = spawn(command, rest, { stdio: ["ignore", "pipe", "ignore"], env: { PATH } });
    let output = "";
    const kill = () => child.kill("SIGKILL");
    const timer = setTimeout(kill, timeout);
    signal.addEventListener("abort", kill, { once: true });
    child.stdout.on("data", (bytes: Buffer) => {
      if (output.length <= maxOutput) output += bytes.toString();
    });
    const end = (ended: Ended) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", kill);
      resolve(ended);
    };
    child.on("error", () => end({ ended: "failed" }));
    child.on("close", (status, by) => {
      if (status === 0 && output.length <= maxOutput) end({ ended: "done", output });
      else end({ ended: by === "SIGKILL" ? "late" : "failed" });
    });
  });
}

interface Stream {
  codec_type?: string;
  codec_name?: string;
  pix_fmt?: string;
  height?: number;
  color_space?: string;
  color_transfer?: string;
  color_primaries?: string;
  disposition?: { attached_pic?: number };
}

/** How the colours of a film are meant: as its tags say, or without them as every player takes them. */
export type Colours = "tagged" | "untagged HD" | "wide" | "HDR";

/** What is known of a film. */
export interface FilmFacts {
  /** In seconds; undefined if the film does not say it. */
  length: number | undefined;
  /** Whether every browser plays it as it is. */
  plays: boolean;
  colours: Colours;
}

export const probeTime = 10_000;
const entries =
  "stream=codec_type,codec_name,pix_fmt,height,color_space,color_transfer,color_primaries:" +
  "stream_disposition=attached_pic:format=duration";

/** From this height on players take a film without tags as HD. */
const heightOfHd = 720;
const hdrTransfers = new Set(["smpte2084", "arib-std-b67"]);
const widePrimaries = new Set(["bt2020", "smpte431", "smpte432"]);

let convertsColours: boolean | undefined;

/** Whether the ffmpeg that is installed has the filters that make other colours narrower. */
async function hasColourFilters(signal: AbortSignal): Promise<boolean> {
  if (convertsColours === undefined) {
    const done = await run("ffmpeg", ["-v", "error", "-filters"], probeTime, signal);
    if (done.ended !== "done") return false;
    convertsColours = / zscale /.test(done.output) && / tonemap /.test(done.output);
  }
  return convertsColours;
}

async function coloursOf(film: Stream, signal: AbortSignal): Promise<Colours> {
  const { color_space = "unknown", color_transfer = "unknown", color_primaries = "unknown", height = 0 } = film;
  if (!film.pix_fmt?.startsWith("yuv")) return "tagged";
  if (color_space === "unknown") return height >= heightOfHd ? "untagged HD" : "tagged";
  const isHdr = hdrTransfers.has(color_transfer) && color_primaries !== "unknown";
  const isWide = widePrimaries.has(color_primaries) && color_transfer !== "unknown";
  if (!(isHdr || isWide) || !(await hasColourFilters(signal))) return "tagged";
  return isHdr ? "HDR" : "wide";
}

/** Whether every browser plays streams of these codecs in a file of this type. */
function playsEverywhere(
  content_type: string,
  [film, ...others]: readonly Stream[],
  sounds: readonly Stream[],
): boolean {
  if (film === undefined || others.length > 0) return false;
  if (content_type === "video/mp4")
    return (
      film.codec_name === "h264" &&
      /^yuvj?420p$/.test(film.pix_fmt ?? "") &&
      sounds.every(({ codec_name }) => codec_name === "aac")
    );
  return content_type === "video/webm" && /^vp[89]$/.test(film.codec_name ?? "");
}

/** Reads what a film is; undefined if it has no moving picture that can be read. */
export async function filmFactsOf(film: FilmFile, signal: AbortSignal): Promise<FilmFacts | "late" | undefined> {
  const args = ["-v", "error", ...inputOf(film), "-show_entries", entries, "-of", "json"];
  const done = await run("ffprobe", args, probeTime, signal);
  if (done.ended !== "done") return done.ended === "late" ? "late" : undefined;
  // As ffprobe writes it; a field that is missing is undefined.
  const { streams = [], format = {} } = JSON.parse(done.output) as {
    streams?: Stream[];
    format?: { duration?: string };
  }; // ffprobe's JSON
  const films = streams.filter((one) => one.codec_type === "video" && one.disposition?.attached_pic !== 1);
  const [first] = films;
  if (first === undefined) return undefined;
  const length = Number(format.duration);
  const sounds = streams.filter((one) => one.codec_type === "audio");
  return {
    length: Number.isFinite(length) && length > 0 ? length : undefined,
    plays: playsEverywhere(film.content_type, films, sounds),
    colours: await coloursOf(first, signal),
  };
}

/** The light of paper-white in films of high range, in candela a square metre (ITU-R BT.2408). */
const paperWhite = 203;

/**
 * Filters that make a frame no larger than `most` in `by`, of square pixels, with colours of a usual screen, in a
 * matrix and range of YUV. Films of high range and of a wide gamut look faded without a conversion.
 */
function filtersFor(
  { colours }: FilmFacts,
  most: number,
  by: "iw*sar" | "max(iw*sar,ih)",
  into: { matrix: "bt601" | "bt709"; range: "full" | "limited" },
): string {
  const part = `min(1,${most}/(${by}))`;
  const size = `scale=w='max(2,trunc(iw*sar*${part}/2)*2)':h='max(2,trunc(ih*${part}/2)*2)'`;
  const written = `out_color_matrix=${into.matrix}:out_range=${into.range}`;
  if (colours === "tagged") return `${size}:${written},setsar=1`;
  if (colours === "untagged HD") return `${size}:in_color_matrix=bt709:${written},setsar=1`;
  const light = `zscale=t=linear:npl=${paperWhite},format=gbrpf32le,zscale=p=bt709`;
  const mapped = colours === "HDR" ? `${light},tonemap=mobius:desat=0` : light;
  return `${size},${mapped},zscale=t=bt709:m=bt709:r=tv,format=yuv444p,scale=${written},setsar=1`;
}

const common = ["-nostdin", "-v", "error", "-y", "-threads", "2"];

/** Makes a JPEG of a frame near the beginning, no wider than `width`. Returns whether it was made. */
export async function makePoster(
  film: FilmFile,
  facts: FilmFacts,
  { into, width, timeout }: { into: string; width: number; timeout: number },
  signal: AbortSignal,
): Promise<Ended["ended"]> {
  const filters = filtersFor(facts, width, "iw*sar", { matrix: "bt601", range: "full" });
  const frame = (at: number) =>
    run(
      "ffmpeg",
      [
        ...common,
        ...(at > 0 ? ["-ss", at.toFixed(3)] : []),
        ...inputOf(film),
        "-map",
        "0:V:0",
        "-frames:v",
        "1",
      ].concat(
        ["-vf", `${filters},format=yuvj420p`],
        ["-map_metadata", "-1", "-q:v", "4", "-fs", `${8 << 20}`, "-f", "mjpeg", `file:${into}`],
      ),
      timeout,
      signal,
    );
  const at = Math.min((facts.length ?? 0) / 10, 5);
  const { ended } = await frame(at);
  const isMade = ended === "done" && (statSync(into, { throwIfNoEntry: false })?.size ?? 0) > 0;
  // Behind the last frame of a film with one, or of one that is cut off, ffmpeg writes nothing.
  return isMade || at === 0 ? ended : (await frame(0)).ended;
}

/** Makes the preview: H.264 and AAC in MP4 of at most 1280 pixels, with its index in front. */
export async function makePreview(
  film: FilmFile,
  facts: FilmFacts,
  { into, timeout }: { into: string; timeout: number },
  signal: AbortSignal,
): Promise<Ended["ended"]> {
  const sound = 128_000;
  const most = Math.min(5_000_000, Math.floor((maxPreview * 8 * 0.9) / Math.max(facts.length ?? 0, 1)) - sound);
  const filters = filtersFor(facts, 1280, "max(iw*sar,ih)", { matrix: "bt709", range: "limited" });
  const args = [...common, ...inputOf(film), "-map", "0:V:0", "-map", "0:a:0?", "-sn", "-dn"].concat(
    ["-map_metadata", "-1", "-map_chapters", "-1", "-vf", `${filters},format=yuv420p`, "-fpsmax", "60"],
    ["-c:v", "libx264", "-preset", "veryfast", "-crf", "24", "-maxrate", `${most}`, "-bufsize", `${2 * most}`],
    ["-colorspace", "bt709", "-c:a", "aac", "-ac", "2", "-b:a", `${sound}`, "-movflags", "+faststart"],
    ["-f", "mp4", `file:${into}`],
  );
  return (await run("ffmpeg", args, timeout, signal)).ended;
}

// Makes a small JPEG of a still, or of the first frame of a movie, with the ffmpeg that is installed: one thread, low
// priority, bounded in time, memory and bytes. It reads that one file and no other, whatever the file says.
import { type ExecFileException, execFile } from "node:child_process";
import { open } from "node:fs/promises";
import { setPriority } from "node:os";
import { promisify } from "node:util";
import { minute } from "../../core/times.ts";

/** How ffmpeg reads a kind of file: demuxers are named, so that a playlist under a movie's name opens nothing else. */
const stills = ["-f", "image2", "-pattern_type", "none"];
const movies = ["-format_whitelist", "mov,mxf,matroska,avi,mpegts,mpeg,asf,dv,gxf,gif"];
const endings = {
  stills: "jpg jpeg png tif tiff dpx exr bmp tga webp psd jp2",
  movies: "mov mp4 m4v mxf mkv webm avi mts m2ts ts mpg mpeg wmv dv gxf gif heic heif hif avif",
};
const kinds: ReadonlyMap<string, readonly string[]> = new Map([
  ...endings.stills.split(" ").map((ending) => [ending, stills] as const),
  ...endings.movies.split(" ").map((ending) => [ending, movies] as const),
]);

const endingOf = (path: string): string => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";

/** Whether a stand-in can be made of a file, by its name. */
export const isPicture = (path: string): boolean => kinds.has(endingOf(path));

/** The maximum size of a stand-in, in bytes and in pixels per side. */
export const mostBytes = 1_000_000;
const longestSide = 2048;

/** Pixels a side and the encoder's quality, best first: the first one that is small enough is taken. */
const attempts = [
  [longestSide, 3],
  [longestSide, 8],
  [1280, 8],
  [640, 8],
] as const;

const timeout = minute;
const mostOutput = 16 << 20;
const mostMemory = 1 << 30;
const mostPixels = 300_000_000;

const execute = promisify(execFile);

interface Output {
  bytes: Buffer;
  /** The last bytes of its standard error. */
  complaint: string;
  status: number | string;
}

/**
 * Runs ffmpeg; ends it when the time, the output or the agent's life is over. Throws the system's error if it cannot be
 * run.
 */
async function run(program: string, args: readonly string[], signal: AbortSignal): Promise<Output> {
  const limits = { timeout, maxBuffer: mostOutput, killSignal: "SIGKILL", signal } as const;
  const running = execute(program, args, { ...limits, encoding: "buffer" });
  try {
    if (running.child.pid !== undefined) setPriority(running.child.pid, 10);
  } catch {
    // not every system lets it be
  }
  try {
    return { bytes: (await running).stdout, complaint: "", status: 0 };
  } catch (error) {
    const {
      syscall,
      stdout,
      stderr,
      code,
      signal: ended,
      killed,
      // the error of execFile, with the output as bytes
    } = error as ExecFileException & { stdout: Buffer; stderr: Buffer };
    if (syscall !== undefined) throw error;
    const complaint = stderr.toString().slice(-300).trim();
    return { bytes: stdout, complaint, status: killed ? "SIGKILL" : (code ?? ended ?? "") };
  }
}

/** The version of an ffmpeg that can write JPEGs; undefined if `program` is not such an ffmpeg. */
export async function probe(program: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const version = /^ffmpeg version (\S+)/.exec((await run(program, ["-version"], signal)).bytes.toString())?.[1];
    const encoders = (await run(program, ["-hide_banner", "-encoders"], signal)).bytes.toString();
    return /\bmjpeg\b/.test(encoders) ? version : undefined;
  } catch {
    return undefined;
  }
}

const reading = `-hide_banner -loglevel error -nostdin -max_alloc ${mostMemory} -threads 1 -max_pixels ${mostPixels} -protocol_whitelist file`;
const firstFrame = "-map 0:v:0 -frames:v 1 -an -sn -dn";
const writing = "-threads 1 -c:v mjpeg -f image2pipe";

/** A frame of square pixels, no side longer than `side`, in the colours that a JPEG has. */
function scaled(side: number): string {
  const part = `min(1,${side}/max(iw*sar,ih))`;
  const size = `w='max(1,round(iw*sar*${part}))':h='max(1,round(ih*${part}))'`;
  return `scale=${size}:out_color_matrix=bt601:out_range=full,setsar=1,format=yuvj420p`;
}

const argumentsOf = (file: string, side: number, quality: number): string[] => [
  ...reading.split(" "),
  ...(endingOf(file) === "exr" ? ["-apply_trc", "iec61966_2_1"] : []), // its light is linear
  ...(kinds.get(endingOf(file)) ?? []),
  ...["-i", `file:${file}`],
  ...firstFrame.split(" "),
  "-vf",
  scaled(side),
  ...writing.split(" "),
  ...["-q:v", String(quality), "pipe:1"],
];

/** How much of a picture of tiles is looked at, in bytes: what it consists of stands in its beginning. */
const lookedAt = 64 << 10;

/** Whether a file is a picture of tiles, as telephones write HEIC: ffmpeg takes the first tile for the picture. */
async function isOfTiles(file: string): Promise<boolean> {
  if (!/^(?:hei[cf]|hif|avif)$/.test(endingOf(file))) return false;
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(lookedAt), 0, lookedAt, 0);
    return buffer.subarray(0, bytesRead).includes("grid");
  } finally {
    await handle.close();
  }
}

/** A JPEG that shows the file, or the reason why there is none. */
export async function makeJpeg(program: string, file: string, signal: AbortSignal): Promise<Buffer | string> {
  if (await isOfTiles(file).catch(() => false)) return "it is a picture of tiles, which ffmpeg does not put together";
  for (const [side, quality] of attempts) {
    const { bytes, complaint, status } = await run(program, argumentsOf(file, side, quality), signal);
    signal.throwIfAborted();
    if (status !== 0 || bytes.length === 0)
      return status === "SIGKILL" ? "ffmpeg took too long or wrote too much" : `ffmpeg: ${complaint || status}`;
    if (bytes.length <= mostBytes) return bytes;
  }
  return "no JPEG of it is small enough";
}

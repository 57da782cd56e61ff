// Makes a JPEG of at most 1 MB of a stored image that is larger or of another format, with ffmpeg if it is installed: one at a time,
// bounded in time, memory and bytes. ffmpeg reads that one file and no other.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { HttpError, unprocessable } from "../../core/errors.ts";

/** In bytes. */
export const maxStill = 1_000_000;
const timeout = 20_000;
const run = promisify(execFile);

/** Pixels a side and the encoder's quality, best first: the first one that is small enough is taken. */
const attempts = [
  [2048, 4],
  [1280, 8],
  [640, 8],
] as const;

const argumentsOf = (file: string, side: number, quality: number): string[] => [
  "-loglevel",
  "error",
  "-nostdin",
  "-max_alloc",
  String(1 << 30),
  "-max_pixels",
  "300000000",
  "-threads",
  "1",
  "-protocol_whitelist",
  "file,pipe",
  "-format_whitelist",
  "image2,image2pipe,jpeg_pipe,png_pipe,gif,webp_pipe,mov",
  "-i",
  `file:${file}`,
  "-map",
  "0:v:0",
  "-frames:v",
  "1",
  "-vf",
  `scale=w='min(${side},iw)':h='min(${side},ih)':force_original_aspect_ratio=decrease,format=yuvj420p`,
  "-c:v",
  "mjpeg",
  "-q:v",
  String(quality),
  "-f",
  "image2pipe",
  "pipe:1",
];

let isBusy = false;

/** Returns the JPEG. Throws 503 if another one is being made, 422 if ffmpeg is not installed or cannot make it. */
export async function smallStill(file: string): Promise<Buffer> {
  if (isBusy) throw new HttpError(503, "another still is being made smaller; try again");
  isBusy = true;
  try {
    for (const [side, quality] of attempts) {
      const options = { encoding: "buffer", timeout, maxBuffer: 16 << 20, killSignal: "SIGKILL" } as const;
      const { stdout } = await run("ffmpeg", argumentsOf(file, side, quality), options);
      if (stdout.length > 0 && stdout.length <= maxStill) return stdout;
    }
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT")
      throw unprocessable(
        "the still must be made smaller for MCP, and this server has no ffmpeg; GET its content over REST",
      );
  } finally {
    isBusy = false;
  }
  throw unprocessable("ffmpeg cannot make a small picture of this still; GET its content over REST");
}

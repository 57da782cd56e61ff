// Stand-ins: bounded JPEGs of stills and of the first frame of movies, made by the installed ffmpeg.
// Thorough: only --all runs it.
import { execFileSync, spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { chmodSync, existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isPicture, makeJpeg, probe } from "../../src/agent/pictures/ffmpeg.ts";
import { inspectJpeg } from "../../src/graph/jpeg.ts";
import { AgentHarness, openTestServer, put, temporaryFolder, until } from "../support/agent_harness.ts";
import { isThorough } from "../support/proportion.ts";

const server = await openTestServer();
const harnesses: AgentHarness[] = [];
const installed = spawnSync("ffmpeg", ["-version"]).status === 0;
const signal = new AbortController().signal;
const folder = temporaryFolder();

/** Draws a test picture, or a movie of one second, into a file. */
function draw(file: string, size: string, source = "testsrc2", ...more: string[]): string {
  const words = ["-loglevel", "error", "-y", "-f", "lavfi", "-i", `${source}=size=${size}:rate=5`, "-t", "1"];
  execFileSync("ffmpeg", [...words, ...more, file]);
  return file;
}
const still = ["-frames:v", "1"];
/** Width and height of the stand-in of a file. Fails if it has more than 1 MB. */
async function sidesOf(file: string): Promise<[number, number]> {
  const picture = await makeJpeg("ffmpeg", file, signal);
  if (typeof picture === "string") throw new Error(picture);
  const frame = inspectJpeg(picture);
  if (typeof frame === "string") throw new Error(frame);
  assert.ok(picture.length <= 1_000_000, `${picture.length} bytes`);
  return [frame.width, frame.height];
}
/** The stand-ins on the server: path and SHA-256. */
const standIns = ({ install_id }: AgentHarness): [string, string][] =>
  server.store.database
    .prepare(
      "SELECT f.path, m.sha256 FROM media m JOIN asset_files f ON f.id = m.asset_file_id WHERE f.install_id = ? ORDER BY 1",
    )
    .raw()
    .all(install_id) as [string, string][];
async function openHarness(): Promise<AgentHarness> {
  const harness = await AgentHarness.open(server);
  harnesses.push(harness);
  return harness;
}

const pictures = suite(installed ? "a stand-in" : "a stand-in: skipped, no ffmpeg is installed");
const check = installed ? pictures : pictures.skip;

check("is a JPEG of at most 2,048 pixels a side and 1 MB, whatever the file is", async () => {
  assert.equal(await sidesOf(draw(join(folder, "small.tif"), "321x201", "testsrc", ...still)), [321, 201]);
  assert.equal(await sidesOf(draw(join(folder, "tall.dpx"), "100x2500", "testsrc2", ...still)), [82, 2048]);
  assert.equal(await sidesOf(draw(join(folder, "linear.exr"), "64x64", "testsrc2", ...still)), [64, 64]);
  assert.equal(await sidesOf(draw(join(folder, "clip.mp4"), "64x36")), [64, 36]);
  if (!isThorough) return; // the large pictures take seconds
  assert.equal(await sidesOf(draw(join(folder, "large.png"), "2400x1600", "testsrc2", ...still)), [2048, 1365]);
  const noise = ["-vf", "noise=alls=100:allf=t", ...still];
  const [width = 0] = await sidesOf(draw(join(folder, "noise.bmp"), "2048x2048", "testsrc", ...noise));
  assert.ok(width < 2048, `${width} pixels`);
});

check(
  "is made of the named file even if the name looks like a pattern, and not of a file that is not a picture",
  async () => {
    const file = draw(join(folder, "frame.png"), "16x16", "testsrc2", ...still);
    for (const name of ["frame %03d.png", "a*b[1].png", "-y.png", "ü \n é.png"]) {
      writeFileSync(join(folder, name), readFileSync(file));
      assert.equal(await sidesOf(join(folder, name)), [16, 16], name);
    }
    for (const [name, bytes] of [
      ["empty.mov", ""],
      ["text.png", "no picture"],
      ["cut.mp4", readFileSync(draw(join(folder, "whole.mp4"), "64x64")).subarray(0, 900)],
      ["list.mov", `ffconcat version 1.0\nfile '${file}'\n`],
      ["playlist.mp4", `#EXTM3U\n#EXTINF:1,\nfile://${file}\n#EXT-X-ENDLIST\n`],
    ] as const) {
      writeFileSync(join(folder, name), bytes);
      assert.match(String(await makeJpeg("ffmpeg", join(folder, name), signal)), /^ffmpeg: /, name);
    }
  },
);

check("has the colours of a film in bt709, as a JPEG has them, and square pixels", async () => {
  const green = "format=rgb24,geq=r=0:g=180:b=0,scale=out_color_matrix=bt709";
  const bt709 = ["-vf", green, "-colorspace", "bt709", "-pix_fmt", "yuv420p"];
  const film = draw(join(folder, "bt709.mp4"), "64x64", "testsrc", ...bt709);
  writeFileSync(join(folder, "bt709.jpg"), await makeJpeg("ffmpeg", film, signal));
  const decode = ["-v", "error", "-i", join(folder, "bt709.jpg"), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"];
  const [red = 99, lime = 0, blue = 99] = execFileSync("ffmpeg", decode);
  assert.ok(red < 6 && Math.abs(lime - 180) < 6 && blue < 6, `${[red, lime, blue]}`);
  const wide = draw(join(folder, "wide.mov"), "64x48", "testsrc2", "-vf", "setsar=2", "-c:v", "prores_ks");
  assert.equal(await sidesOf(wide), [128, 48]);
});

const readsAvif = (): boolean => {
  const file = draw(join(folder, "still.avif"), "64x48", "testsrc2", ...still);
  return spawnSync("ffmpeg", ["-v", "error", "-i", file, "-f", "null", "-"]).status === 0;
};

check("is made of an AVIF where ffmpeg reads it; of a picture of tiles it says why there is none", async () => {
  for (const ending of ["heic", "heif", "hif", "avif"]) assert.ok(isPicture(`IMG_1.${ending.toUpperCase()}`));
  if (readsAvif()) assert.equal(await sidesOf(join(folder, "still.avif")), [64, 48]);
  const tiles = join(folder, "tiles.heic");
  writeFileSync(tiles, "\0\0\0\x18ftypheic\0\0\0\0mif1heic\0\0\0\x1cinfe\x02\0\0\0\0\x31\0\0grid\0");
  assert.is(await makeJpeg("ffmpeg", tiles, signal), "it is a picture of tiles, which ffmpeg does not put together");
  writeFileSync(tiles, "\0\0\0\x18ftypheic\0\0\0\0mif1heic");
  assert.match(String(await makeJpeg("ffmpeg", tiles, signal)), /^ffmpeg: /);
});

check("is posted for each still and movie, again when the file changes, and only then", async () => {
  const harness = await openHarness();
  draw(join(harness.root, "still.png"), "64x64", "testsrc2", ...still);
  draw(join(harness.root, "movie.mp4"), "64x64");
  put(harness.root, "broken.mov", "no movie");
  put(harness.root, "notes.txt");
  assert.equal((await harness.once()).stand_ins, { made: 2, impossible: 1 });
  const before = standIns(harness);
  const picture = await makeJpeg("ffmpeg", join(harness.root, "still.png"), signal);
  assert.equal([before.map(([path]) => path), before[1]?.[1]], [["movie.mp4", "still.png"], hash("sha256", picture)]);
  assert.equal((await harness.once()).stand_ins, { made: 0, impossible: 0 });
  draw(join(harness.root, "still.png"), "64x64", "smptebars", ...still);
  assert.equal((await harness.once()).stand_ins, { made: 1, impossible: 0 });
  const after = standIns(harness);
  assert.equal([after[0], after[1]?.[1] === before[1]?.[1]], [before[0], false]);
});

check("that was not made before a crash is made at the next start, also if memory holds fewer names", async () => {
  const harness = await openHarness();
  const bytes = readFileSync(draw(join(folder, "tiny.png"), "8x8", "testsrc2", ...still));
  for (let n = 0; n < 5; n++) put(harness.root, `seq/${n}.png`, bytes);
  const stop = new AbortController();
  const crashed = harness.once({ signal: stop.signal, log: (event) => event === "stand_in" && stop.abort() });
  await crashed.catch(() => {});
  assert.ok(standIns(harness).length < 5);
  await harness.once();
  assert.is(standIns(harness).length, 5);
});

/** A program that runs `script` before each picture that ffmpeg makes. */
function program(name: string, script: string): string {
  const file = join(folder, name);
  const isPictured = 'case "$*" in *-frames:v*) ';
  writeFileSync(file, `#!/bin/sh\n${isPictured}\n${script}\n;; esac\nexec ffmpeg "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}
const cores = availableParallelism();

/** Makes pictures of different ages: the higher the number, the newer. */
function putAged(harness: AgentHarness, count: number): void {
  const bytes = readFileSync(draw(join(folder, "aged.png"), "8x8", "testsrc2", ...still));
  for (let n = 0; n < count; n++) {
    put(harness.root, `${n}.png`, bytes);
    const time = 1_700_000_000 + n * 3600;
    utimesSync(join(harness.root, `${n}.png`), time, time);
  }
}
const onceWith = (harness: AgentHarness, ffmpeg: string, extra = {}) => {
  const { settings } = harness.options();
  return harness.once({ settings: { ...settings, ffmpeg }, ...extra });
};

check("is made for as many files at once as there are cores", async () => {
  const harness = await openHarness();
  putAged(harness, cores);
  const started = temporaryFolder();
  // Each one waits until all of them have started.
  const wait = `touch "${started}/$$"; n=0; while [ "$(ls "${started}" | wc -l)" -lt ${cores} ]; do n=$((n+1)); [ $n -gt 300 ] && exit 1; sleep 0.1; done`;
  assert.equal((await onceWith(harness, program("together", wait))).stand_ins, { made: cores, impossible: 0 });
});

check("is made for the newest files first", async () => {
  const harness = await openHarness();
  const count = 3 * cores;
  putAged(harness, count);
  const started = join(temporaryFolder(), "started");
  // As many as run at once wait for each other: none of them overtakes another one's start.
  const wait = `for one in "$@"; do case "$one" in file:*) echo "$one" >> "${started}"; mine=$one;; esac; done
at=$(grep -nxF "$mine" "${started}" | cut -d: -f1)
while [ "$(wc -l < "${started}")" -lt $(((at + ${cores} - 1) / ${cores} * ${cores})) ]; do sleep 0.1; done`;
  await onceWith(harness, program("first", wait));
  const order = [...readFileSync(started, "utf8").matchAll(/(\d+)\.png$/gm)].map(([, n]) => count - 1 - Number(n));
  assert.is(order.length, count);
  for (const [at, n] of order.entries()) assert.is(Math.floor(at / cores), Math.floor(n / cores), `${order}`);
});

check("is not made with noStandIns, but by the next run without it, once for a file that is no picture", async () => {
  const harness = await openHarness();
  putAged(harness, 2);
  put(harness.root, "broken.mov", "no movie");
  assert.equal((await harness.once({ noStandIns: true })).stand_ins, { made: 0, impossible: 0 });
  assert.equal((await harness.once()).stand_ins, { made: 2, impossible: 1 });
  assert.equal((await harness.once()).stand_ins, { made: 0, impossible: 0 });
  put(harness.root, "broken.mov", "still no movie");
  assert.equal((await harness.once()).stand_ins, { made: 0, impossible: 1 });
});

check("is made by a running agent for files that have stopped changing", async () => {
  const harness = await openHarness();
  await harness.running(async () => {
    await until(() => harness.logged("pass").length === 1);
    const file = draw(join(folder, "rested.png"), "8x8", "testsrc2", ...still);
    execFileSync("cp", ["-p", file, join(harness.root, "fresh.png")]);
    execFileSync("touch", ["-d", "2026-03-01 09:00:00Z", file]);
    execFileSync("cp", ["-p", file, join(harness.root, "rested.png")]);
    const { mtimeMs } = statSync(join(harness.root, "fresh.png"));
    const paths = () => standIns(harness).map(([path]) => path);
    await until(() => paths().includes("rested.png"));
    if (paths().includes("fresh.png"))
      assert.ok(Date.now() - mtimeMs >= 5000, "on a busy machine it has rested by now");
  });
});

pictures("is not made without ffmpeg, which is logged once, nor if the settings switch it off", async () => {
  const harness = await openHarness();
  for (const path of ["a.png", "b.mov"]) put(harness.root, path);
  const options = harness.options();
  options.settings.ffmpeg = "/nowhere/ffmpeg";
  assert.equal((await harness.once({ settings: options.settings })).stand_ins, { made: 0, impossible: 0 });
  assert.equal(
    harness.logged("ffmpeg").map(({ missing }) => typeof missing),
    ["string"],
  );
  const other = await openHarness();
  put(other.root, "a.png");
  const { settings } = other.options();
  await other.once({ settings: { ...settings, stand_ins: false } });
  assert.equal(other.logged("ffmpeg"), []);
});

pictures("is not made by a program that is not ffmpeg; one that hangs is stopped with the agent", async () => {
  const notFfmpeg = join(folder, "notFfmpeg");
  writeFileSync(notFfmpeg, "#!/bin/sh\necho hello\n");
  const sleeper = join(folder, "sleeper");
  writeFileSync(sleeper, `#!/bin/sh\nsleep 60 >/dev/null 2>&1\ntouch ${join(folder, "slept")}\n`);
  for (const file of [notFfmpeg, sleeper]) chmodSync(file, 0o755);
  assert.is(await probe(notFfmpeg, signal), undefined);
  assert.is(await probe("/nowhere", signal), undefined);
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error("stopped")), 50);
  await makeJpeg(sleeper, join(folder, "x.png"), stop.signal).then(
    () => assert.unreachable(),
    (error) => assert.is(error.message, "stopped"),
  );
  assert.not(existsSync(join(folder, "slept")));
  assert.equal(["a.MOV", "a.b.exr", ".png", "png", "a.txt", "d.mov/x"].map(isPicture), [
    true,
    true,
    true,
    ...[false, false, false],
  ]);
});
pictures.after(async () => {
  for (const harness of harnesses) harness.remove();
  rmSync(folder, { recursive: true });
  await server.stop();
});
pictures.run();

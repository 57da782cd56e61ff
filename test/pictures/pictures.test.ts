// GET /media/{id}/content?width=: smaller pictures, made once, in reach as the original, and what becomes of hostile
// images.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runTimer } from "../../src/features/pictures/sweep.ts";
import { assertRefused, mint, one, openTestServer, revoke } from "../support/app.ts";
import { noisyPng } from "../support/png.ts";
import { isThorough } from "../support/proportion.ts";
import { seedDataOf } from "../support/seed_data.ts";

const isInstalled = existsSync(new URL("../../node_modules/sharp", import.meta.url));
const server = await openTestServer();
const { store, folder, app } = server;
const seedData = seedDataOf(store);
const production_id = seedData.production;
const token = mint(store, { production_id });

const contentOf = (id: number, query = "", key = token, headers: Record<string, string> = {}) =>
  server.ask(key, `/api/v1/media/${id}/content${query}`, { headers });
const bytesOf = async (response: Response): Promise<Buffer> => {
  assert.is(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
};
const filesOf = (): string[] => {
  const pictures = join(folder, "pictures");
  if (!existsSync(pictures)) return [];
  return readdirSync(pictures, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("-"));
};
/** Stores an image as the still of a version, and returns the id of the medium. */
async function stored(bytes: Buffer): Promise<number> {
  const form = new FormData();
  form.append("file", new Blob([bytes]), "still");
  const landed = await server.ask(token, `/api/v1/assets/${seedData.asset}/versions`, { method: "POST", body: form });
  const { id } = (await landed.json()) as { id: number };
  return one(store, "SELECT id FROM media WHERE version_id = ?", id);
}
/** The width of a JPEG, or of a WebP with transparency, in pixels. */
function widthOf(jpeg: Buffer): number {
  if (jpeg.toString("latin1", 8, 16) === "WEBPVP8X") return jpeg.readUIntLE(24, 3) + 1;
  for (let at = 2; ; at += 2 + jpeg.readUInt16BE(at + 2))
    if ([0xc0, 0xc1, 0xc2].includes(jpeg[at + 1] as number)) return jpeg.readUInt16BE(at + 7);
}

const pictures = suite("GET /media/{id}/content?width=");
const made = isInstalled ? pictures : pictures.skip;
const png = await stored(noisyPng(1500, 1000));

made("is a JPEG that is no wider, with its own ETag, type and ranges", async () => {
  const original = await contentOf(png);
  await original.arrayBuffer();
  for (const width of [160, 320, 640, 1280]) {
    const response = await contentOf(png, `?width=${width}`);
    const bytes = await bytesOf(response);
    assert.is(widthOf(bytes), width);
    if (width <= 320) assert.ok(bytes.length <= 25_000, `${bytes.length} bytes`); // pixels of noise are the worst case
    assert.is(response.headers.get("content-type"), "image/jpeg");
    const etag = response.headers.get("etag") as string;
    assert.is.not(etag, original.headers.get("etag"));
    const again = await contentOf(png, `?width=${width}`, token, { "if-none-match": etag });
    assert.is(again.status, 304);
    const part = await contentOf(png, `?width=${width}`, token, { range: "bytes=2-9" });
    assert.is(part.status, 206);
    assert.equal(Buffer.from(await part.arrayBuffer()), bytes.subarray(2, 10));
  }
});

made("is made once, for many who ask at the same time too, and kept", async () => {
  const id = await stored(noisyPng(800, 601));
  const before = filesOf().length;
  const answers = await Promise.all(Array.from({ length: 20 }, () => contentOf(id, "?width=320").then(bytesOf)));
  for (const bytes of answers) assert.equal(bytes, answers[0]);
  assert.is(filesOf().length, before + 1);
  const sha256 = one<string>(store, "SELECT sha256 FROM media WHERE id = ?", id);
  const kept = join(folder, "pictures", sha256.slice(0, 2), `${sha256}-320.picture`);
  assert.equal(readFileSync(kept), answers[0]);
  writeFileSync(kept, ""); // as a power failure may leave it
  assert.equal(await bytesOf(await contentOf(id, "?width=320")), answers[0]);
});

made("is removed once its image is no longer stored", async () => {
  const id = await stored(noisyPng(700, 501));
  await bytesOf(await contentOf(id, "?width=160"));
  const sha256 = one<string>(store, "SELECT sha256 FROM media WHERE id = ?", id);
  const isKept = () => filesOf().some((name) => name.includes(sha256));
  await runTimer(app);
  assert.ok(isKept());
  store.writeSync(() => {
    store.database.prepare("DELETE FROM media WHERE id = ?").run(id);
    store.database.prepare("DELETE FROM blobs WHERE sha256 = ?").run(sha256);
  });
  await runTimer(app);
  assert.not.ok(isKept());
});

pictures("is the medium itself where it is small, no image, or cannot be decoded, and is not tried again", async () => {
  const small = Buffer.from(await (await contentOf(seedData.releasedStill as number)).arrayBuffer());
  const cases: [what: string, bytes: Buffer][] = [
    ["text", Buffer.from("not a picture")],
    ["a GIF without its end", Buffer.from("GIF89a and no more")],
    ["a PNG that is cut off", noisyPng(400, 301).subarray(0, 900)],
    ["a PNG whose header promises 2^30 pixels", withSize(noisyPng(32, 33), 32_768, 32_768)],
    ["a JPEG of random bytes", Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(3_000, "x")])],
    [
      "SVG with the head of a JPEG",
      Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>")]),
    ],
  ];
  assert.equal(await bytesOf(await contentOf(seedData.releasedStill as number, "?width=1280")), small);
  for (const [what, bytes] of cases) {
    const id = await stored(bytes);
    for (let round = 0; round < 2; round++) assert.equal(await bytesOf(await contentOf(id, "?width=320")), bytes, what);
  }
  // the others still get theirs
  if (isInstalled) assert.is(widthOf(await bytesOf(await contentOf(png, "?width=160"))), 160);
});

/** Used of the package sharp. */
interface Maker {
  png(options: object): Maker;
  avif(options: object): Maker;
  jpeg(options: object): Maker;
  toColourspace(space: string): Maker;
  toBuffer(): Promise<Buffer>;
}
type Sharp = (options: { create: object }) => Maker;

/** To make the images takes seconds of a processor, and Deno lets the tests load no sharp. */
const making = isThorough && !("Deno" in globalThis) ? made : pictures.skip;

making("is the medium itself where decoding would take more memory than a decoder may have", async () => {
  const name = "sharp"; // not inside import(), because its types may be absent
  // of the package only what is declared above is used
  const { default: sharp } = (await import(name)) as { default: Sharp };
  const flat = (side: number, channels: 3 | 4) =>
    sharp({ create: { width: side, height: side, channels, background: { r: 90, g: 60, b: 30, alpha: 0.5 } } });
  const kinds: Record<string, [large: number, small: number, make: (side: number) => Promise<Buffer>]> = {
    "an AVIF, 4:4:4 with alpha": [
      8_000,
      1_000,
      (side) =>
        // The large one takes six seconds of a processor to make; it was made so.
        side === 8_000
          ? readFile(new URL("../support/picture_files/sharp-8000-pixels.avif", import.meta.url))
          : flat(side, 4).avif({ quality: 1, effort: 0, chromaSubsampling: "4:4:4" }).toBuffer(),
    ],
    "an interlaced PNG of 16 bits": [
      6_000,
      1_000,
      (side) => flat(side, 4).toColourspace("rgb16").png({ progressive: true, compressionLevel: 9 }).toBuffer(),
    ],
    "a progressive JPEG in CMYK": [
      7_000,
      1_000,
      (side) => flat(side, 3).toColourspace("cmyk").jpeg({ progressive: true, quality: 1 }).toBuffer(),
    ],
  };
  for (const [what, [large, small, make]] of Object.entries(kinds)) {
    const [hostile, harmless] = (await Promise.all([large, small].map(make))) as [Buffer, Buffer];
    assert.equal(await bytesOf(await contentOf(await stored(hostile), "?width=320")), hostile, what);
    const kept = await bytesOf(await contentOf(await stored(harmless), "?width=320"));
    assert.is(widthOf(kept), 320, `${what}, small`);
  }
});

made("is decoded by a process that has a bound of the system on its memory", async () => {
  const shell = (script: string) => execFileSync("sh", ["-c", script], { encoding: "utf8" });
  if (shell("command -v prlimit || true") === "") return;
  await bytesOf(await contentOf(await stored(noisyPng(700, 501)), "?width=160"));
  const limits = shell(
    `for each in $(cat /proc/${process.pid}/task/*/children); do grep -qa pictures/[d]ecoder /proc/$each/cmdline && cat /proc/$each/limits; done; true`,
  );
  const [, soft, hard] = /^Max data size +(\S+) +(\S+)/m.exec(limits) ?? [];
  assert.ok(Number(soft) >= 512 * 2 ** 20 && soft === hard, limits);
});

/** A PNG whose header has other dimensions. */
function withSize(png: Buffer, width: number, height: number): Buffer {
  const copy = Buffer.from(png);
  copy.writeUInt32BE(width, 16);
  copy.writeUInt32BE(height, 20);
  return copy;
}

pictures(
  "is in reach as the original: 404 for who does not reach it, 401 for a revoked key, and 403 without read",
  async () => {
    const vendor = mint(store, { production_id, engagement_id: seedData.sceneGrantee, scopes: ["read"] });
    const { media } = await server.get(vendor, "/me/manifest");
    const reached = new Set(media.map(({ id }: { id: number }) => id));
    const all = store.database
      .prepare("SELECT id FROM media WHERE production_id = ?")
      .pluck()
      .all(production_id) as number[];
    for (const id of all) {
      const { status } = await contentOf(id, "?width=160", vendor);
      assert.is(status, reached.has(id) ? 200 : 404, String(id));
    }
    assert.ok(reached.size > 0 && all.length > reached.size);
    const foreign = mint(store, { production_id: seedData.otherProduction });
    await assertRefused(await contentOf(png, "?width=160", foreign), 404, "not found");
    const blind = mint(store, { production_id, scopes: ["write"] });
    await assertRefused(await contentOf(png, "?width=160", blind), 403, /`read` scope/);
    const short = mint(store, { production_id, label: "short" });
    assert.is((await contentOf(png, "?width=160", short)).status, 200);
    revoke(store, "short");
    await assertRefused(await contentOf(png, "?width=160", short), 401);
  },
);

pictures("takes four widths, and refuses another one", async () => {
  for (const width of ["0", "161", "1.5", "wide", "-320", "99999"])
    await assertRefused(await contentOf(png, `?width=${width}`), 422, /^width must be one of 160, 320, 640, 1280/);
});

pictures("is the original where nothing can be written", async () => {
  const id = await stored(noisyPng(500, 401));
  rmSync(join(folder, "pictures"), { recursive: true, force: true });
  writeFileSync(join(folder, "pictures"), "a file in the way");
  assert.equal(await bytesOf(await contentOf(id, "?width=160")), await bytesOf(await contentOf(id)));
});

pictures.after(() => server.stop());
pictures.run();

// GET /media/{id}/content?width= keeps what a picture shows: its colours, transparency, proportions and first frame;
// and leaves out at which place it was made. test/support/picture_files has pictures that ImageMagick and ffmpeg wrote.
// Thorough: only --all runs it.
import { existsSync, readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../support/app.ts";
import { seedDataOf } from "../support/seed_data.ts";

/** Used of the package sharp. */
interface Image {
  png(options?: object): Image;
  jpeg(options?: object): Image;
  webp(options?: object): Image;
  avif(options?: object): Image;
  tiff(options?: object): Image;
  toColourspace(space: string): Image;
  withIccProfile(name: string): Image;
  withExif(exif: object): Image;
  withMetadata(options: object): Image;
  raw(): Image;
  ensureAlpha(): Image;
  metadata(): Promise<{ width: number; height: number; exif?: Buffer; pages?: number; format: string }>;
  toBuffer(): Promise<Buffer>;
}
type Sharp = (input: Buffer | { create: object }) => Image;

const pictures = suite("smaller pictures show what the picture shows");
const isInstalled = existsSync(new URL("../../node_modules/sharp", import.meta.url));
// Deno lets the tests load no sharp, with which they look at pixels.
if (isInstalled && !("Deno" in globalThis)) await testPictures();
else {
  pictures.skip("are not tested: sharp cannot be loaded", () => {});
  pictures.run();
}

async function testPictures(): Promise<void> {
  const name = "sharp"; // not inside import(), because its types may be absent
  // of the package only what is declared above is used
  const { default: sharp } = (await import(name)) as { default: Sharp };
  const server = await openTestServer();
  const { store } = server;
  const seedData = seedDataOf(store);
  const token = mint(store, { production_id: seedData.production });

  async function stored(bytes: Buffer): Promise<number> {
    const form = new FormData();
    form.append("file", new Blob([bytes]), "still");
    const landed = await server.ask(token, `/api/v1/assets/${seedData.asset}/versions`, { method: "POST", body: form });
    const { id } = (await landed.json()) as { id: number };
    return one(store, "SELECT id FROM media WHERE version_id = ?", id);
  }
  async function pictureOf(bytes: Buffer, width = 160): Promise<{ bytes: Buffer; type: string }> {
    const response = await server.ask(token, `/api/v1/media/${await stored(bytes)}/content?width=${width}`);
    assert.is(response.status, 200);
    return {
      bytes: Buffer.from(await response.arrayBuffer()),
      type: response.headers.get("content-type") as string,
    };
  }
  const file = (named: string): Buffer => readFileSync(new URL(`../support/picture_files/${named}`, import.meta.url));
  const flat = (background: object, side = 400, channels = 3): Image =>
    sharp({ create: { width: side, height: side, channels, background } });
  /** Red, green, blue and opacity of a pixel, by its place from 0 to 1. */
  async function pixel(bytes: Buffer, at = 0.1): Promise<number[]> {
    const raw = await sharp(bytes).ensureAlpha().raw().toBuffer();
    const { width, height } = await sharp(bytes).metadata();
    const from = (Math.floor(height / 2) * width + Math.floor(width * at)) * 4;
    return [...raw.subarray(from, from + 4)];
  }
  function assertNear(actual: readonly number[], expected: readonly number[], what: string, most = 5): void {
    const isNear = expected.every((part, at) => Math.abs(part - (actual[at] ?? -1000)) <= most);
    assert.ok(isNear, `${what}: ${actual} is not near ${expected}`);
  }

  const green = { r: 0, g: 255, b: 0 };
  const skin = { r: 200, g: 120, b: 90 };
  const colours: [what: string, image: Image, expected: number[]][] = [
    ["16 bits with sRGB", flat(green).toColourspace("rgb16").withIccProfile("srgb").png(), [0, 255, 0]],
    ["16 bits without a profile", flat(green).toColourspace("rgb16").png(), [0, 255, 0]],
    ["16 bits of skin without a profile", flat(skin).toColourspace("rgb16").png(), [200, 120, 90]],
    ["16 bits in Display P3", flat(skin).toColourspace("rgb16").withIccProfile("p3").png(), [200, 120, 90]],
    ["8 bits in Display P3", flat(skin).withIccProfile("p3").png(), [200, 120, 90]],
    ["a JPEG in Display P3", flat(skin).withIccProfile("p3").jpeg({ quality: 95 }), [200, 120, 90]],
    ["an AVIF in Display P3", flat(skin).withIccProfile("p3").avif({ quality: 90 }), [200, 120, 90]],
    ["16 bits of grey", flat({ r: 128, g: 128, b: 128 }).toColourspace("grey16").png(), [128, 128, 128]],
  ];
  for (const [what, image, expected] of colours)
    pictures(`${what}: the colours stay`, async () => {
      const { bytes, type } = await pictureOf(await image.toBuffer());
      assert.is(type, "image/jpeg");
      assertNear(await pixel(bytes), expected, what);
    });

  pictures("CMYK becomes the colours that it prints, and is never answered as it is", async () => {
    const { bytes } = await pictureOf(file("imagemagick-cmyk.jpg"));
    assertNear(await pixel(bytes), [0, 105, 100], "as a press prints cyan, half of yellow and some black", 15);
  });

  pictures("transparency stays, in a WebP; an opaque picture with alpha is a JPEG", async () => {
    const drawn = file("imagemagick-alpha.png");
    const wide = await flat({ ...skin, alpha: 0.5 }, 900, 4)
      .png()
      .toBuffer();
    const deep = await flat({ ...green, alpha: 0.5 }, 900, 4)
      .toColourspace("rgb16")
      .withIccProfile("srgb")
      .png()
      .toBuffer();
    for (const [bytes, expected] of [
      [wide, [200, 120, 90, 128]],
      [deep, [0, 255, 0, 128]],
    ] as const) {
      const made = await pictureOf(bytes, 320);
      assert.is(made.type, "image/webp");
      assertNear(await pixel(made.bytes), expected, "half transparent", 12);
    }
    const small = await pictureOf(drawn);
    assertNear((await pixel(small.bytes, 0.9)).slice(3), [0], "drawn");
    const opaque = await flat({ ...skin, alpha: 1 }, 900, 4)
      .png()
      .toBuffer();
    assert.is((await pictureOf(opaque)).type, "image/jpeg");
  });

  pictures("pixels that are not square become square, turned pictures too", async () => {
    const shapes: [named: string, width: number, height: number][] = [
      ["ffmpeg-wide-pixels.jpg", 128, 48],
      ["imagemagick-wide-pixels.jpg", 128, 48],
      ["ffmpeg-narrow-pixels.png", 32, 48],
      ["imagemagick-wide-pixels.png", 128, 48],
    ];
    for (const [named, width, height] of shapes) {
      const { bytes } = await pictureOf(file(named));
      const shown = await sharp(bytes).metadata();
      assert.equal([shown.width, shown.height], [width, height], named);
    }
    const jfif = file("ffmpeg-wide-pixels.jpg");
    const exif = Buffer.from("ffe1002245786966000049492a0008000000010012010300010000000600000000000000", "hex");
    const turned = Buffer.concat([jfif.subarray(0, 20), exif, jfif.subarray(20)]);
    const shown = await sharp((await pictureOf(turned)).bytes).metadata();
    assert.equal([shown.width, shown.height], [48, 128]);
  });

  pictures("an animated picture gives its first frame", async () => {
    for (const named of ["imagemagick-animated.gif", "ffmpeg-animated.png", "ffmpeg-animated.webp"]) {
      const { bytes } = await pictureOf(file(named));
      const { pages = 1, format } = await sharp(bytes).metadata();
      assert.is(`${pages} ${format}`, "1 jpeg", named);
      assertNear(await pixel(bytes), [254, 0, 0], named, 12);
    }
  });

  pictures("no smaller picture carries a place, however small the picture is", async () => {
    const place = { IFD0: { Make: "Maker" }, IFD3: { GPSLatitudeRef: "N", GPSLatitude: "51/1 30/1 0/1" } };
    const small = flat(skin, 16).withExif(place);
    for (const [kind, image] of Object.entries({
      jpeg: small.jpeg(),
      png: flat(skin, 16).withExif(place).png(),
      webp: flat(skin, 16).withExif(place).webp(),
      avif: flat(skin, 16).withExif(place).avif(),
    })) {
      const original = await image.toBuffer();
      assert.ok((await sharp(original).metadata()).exif !== undefined, kind);
      const { bytes } = await pictureOf(original, 1280);
      assert.is((await sharp(bytes).metadata()).exif, undefined, kind);
      assert.not.equal(bytes, original);
    }
  });

  pictures("above 64 megapixels there is a picture where its decoder holds few rows", async () => {
    const jpeg = await flat(skin, 9_000).jpeg({ quality: 1 }).toBuffer();
    const { bytes } = await pictureOf(jpeg, 320);
    assert.is((await sharp(bytes).metadata()).width, 320);
    const png = await flat(skin, 9_000).png({ compressionLevel: 1 }).toBuffer();
    assert.is((await sharp((await pictureOf(png, 320)).bytes).metadata()).width, 320);
  });

  pictures.after(() => server.stop());
  pictures.run();
}

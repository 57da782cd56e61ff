// What the parts around the pixels of a picture say: whether it moves, carries a place, has pixels that are not square,
// or is cut off.
// Thorough: only --all runs it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type PictureFacts, pictureFactsOf } from "../../src/core/store/picture_headers.ts";

const headers = suite("what is known of a picture");
const place = mkdtempSync(join(tmpdir(), "pictures-"));
const written = (named: string): Buffer => readFileSync(new URL(`../support/picture_files/${named}`, import.meta.url));
function factsOf(bytes: Buffer): Promise<PictureFacts> {
  const file = join(place, "picture");
  writeFileSync(file, bytes);
  return pictureFactsOf(file);
}
const plain = { isAnimated: false, hasPlace: false, aspect: 1, isCut: false };

/** Exif data with a latitude, in either order of bytes; without one, only the directory of places. */
function exif(order: "II" | "MM", hasLatitude = true): Buffer {
  const bytes = Buffer.alloc(8 + 2 + 12 + 4 + 2 + 12 + 4);
  const two = (value: number, at: number) =>
    order === "II" ? bytes.writeUInt16LE(value, at) : bytes.writeUInt16BE(value, at);
  const four = (value: number, at: number) =>
    order === "II" ? bytes.writeUInt32LE(value, at) : bytes.writeUInt32BE(value, at);
  bytes.write(order, 0, "latin1");
  two(42, 2);
  four(8, 4);
  two(1, 8);
  two(0x8825, 10);
  two(4, 12);
  four(1, 14);
  four(26, 18);
  two(1, 26);
  two(hasLatitude ? 2 : 0, 28);
  two(5, 30);
  four(3, 32);
  return bytes;
}
/** A JPEG with data of a kind after its first part. */
function withApp1(name: string, data: Buffer): Buffer {
  const jpeg = written("ffmpeg-wide-pixels.jpg");
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(2 + name.length + data.length, 2);
  return Buffer.concat([jpeg.subarray(0, 20), head, Buffer.from(name, "latin1"), data, jpeg.subarray(20)]);
}
/** A PNG with a part after its header. */
function withChunk(type: string, data: Buffer): Buffer {
  const png = written("imagemagick-alpha.png");
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length);
  chunk.write(type, 4, "latin1");
  data.copy(chunk, 8);
  return Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]);
}

headers("says which pictures move", async () => {
  for (const named of ["imagemagick-animated.gif", "ffmpeg-animated.png", "ffmpeg-animated.webp"])
    assert.equal(await factsOf(written(named)), { ...plain, isAnimated: true }, named);
  const gif = written("imagemagick-animated.gif");
  const second = gif.lastIndexOf(Buffer.from("21f904", "hex"));
  assert.equal(await factsOf(Buffer.concat([gif.subarray(0, second), Buffer.from(";")])), plain, "one frame of it");
});

headers("says the proportions of pixels, as each program writes them", async () => {
  for (const [named, aspect] of [
    ["ffmpeg-wide-pixels.jpg", 2],
    ["imagemagick-wide-pixels.jpg", 2],
    ["imagemagick-wide-pixels.png", 2],
    ["ffmpeg-narrow-pixels.png", 0.5],
  ] as const)
    assert.is(Math.round((await factsOf(written(named))).aspect * 100) / 100, aspect, named);
  const jpeg = written("ffmpeg-wide-pixels.jpg");
  for (const [x, y] of [
    [0, 0],
    [0, 7],
    [65535, 1],
  ] as const) {
    const odd = Buffer.from(jpeg);
    odd.writeUInt16BE(x, 14);
    odd.writeUInt16BE(y, 16);
    assert.is((await factsOf(odd)).aspect, 1, `${x} by ${y} means nothing`);
  }
});

headers("says which pictures carry a place", async () => {
  const xmp = Buffer.from('<rdf:Description exif:GPSLatitude="51,30N"/>');
  for (const order of ["II", "MM"] as const) {
    const placed: [what: string, bytes: Buffer][] = [
      ["JPEG", withApp1("Exif\0\0", exif(order))],
      ["JPEG with XMP", withApp1("http://ns.adobe.com/xap/1.0/\0", xmp)],
      ["PNG", withChunk("eXIf", exif(order))],
      ["PNG with XMP", withChunk("iTXt", xmp)],
      ["TIFF", exif(order)],
      ["HEIC", Buffer.concat([Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic"), Buffer.alloc(70_000), exif(order)])],
      ["AVIF", Buffer.concat([Buffer.from("\0\0\0\x14ftypavif\0\0\0\0mif1"), Buffer.alloc(65_515), exif(order)])],
    ];
    for (const [what, bytes] of placed) assert.is((await factsOf(bytes)).hasPlace, true, `${what} ${order}`);
    assert.is((await factsOf(withApp1("Exif\0\0", exif(order, false)))).hasPlace, false, "a directory without a place");
  }
});

headers("says which files end too early", async () => {
  for (const named of ["imagemagick-cmyk.jpg", "imagemagick-alpha.png", "imagemagick-animated.gif"]) {
    const whole = written(named);
    assert.is((await factsOf(whole)).isCut, false, named);
    for (const end of [whole.length - 9, Math.ceil(whole.length / 2), 24])
      assert.is((await factsOf(whole.subarray(0, end))).isCut, true, `${named} until ${end}`);
  }
  assert.is((await factsOf(written("ffmpeg-animated.webp").subarray(0, 200))).isCut, true);
  const motion = Buffer.concat([written("imagemagick-cmyk.jpg"), Buffer.alloc(200_000)]); // a film behind a photograph
  assert.is((await factsOf(motion)).isCut, false);
});

headers("reads any bytes", async () => {
  for (const named of [
    "imagemagick-animated.gif",
    "ffmpeg-animated.png",
    "ffmpeg-animated.webp",
    "imagemagick-cmyk.jpg",
  ])
    for (let at = 0; at < written(named).length; at += 3)
      for (const value of [0, 0x80, 0xff]) {
        const bytes = written(named);
        bytes[at] = value;
        assert.type((await factsOf(bytes)).hasPlace, "boolean");
      }
  assert.equal(await factsOf(Buffer.from("no picture")), plain);
});

headers.after(() => rmSync(place, { recursive: true }));
headers.run();

// Validating JPEGs: what decoders accept is accepted, everything else is refused with the reason.
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { inspectJpeg, parseJpeg } from "../../src/graph/jpeg.ts";
import { inserted, patched, progressive, resized, segmentAt, sequential, without } from "../support/pictures.ts";
import { inProportion } from "../support/proportion.ts";
import { assertProperty, sampling } from "../support/sampling.ts";

const test = suite("the structure of a JPEG");

const refused = (bytes: Buffer, why: RegExp) => assert.match(inspectJpeg(bytes) as string, why);
const frameOf = (jpeg: Buffer, width = 24, height = 16) => ({ width, height, size: jpeg.length });

test("accepts a sequential picture with restart markers", () => {
  assert.ok(sequential.includes(Buffer.of(0xff, 0xd0)));
  assert.equal(inspectJpeg(sequential), frameOf(sequential));
});

test("accepts a progressive picture", () => assert.equal(inspectJpeg(progressive), frameOf(progressive)));

test("returns the dimensions of the frame header, up to the format's maximum", () =>
  assert.equal(inspectJpeg(resized(sequential, 65535, 4097)), frameOf(sequential, 65535, 4097)));

test("skips fill bytes before a marker", () => {
  const filled = inserted(sequential, 0xc4, Buffer.of(0xff, 0xff));
  assert.equal(inspectJpeg(filled), frameOf(filled));
});

test("does not count zero padding after the end", () =>
  assert.equal(inspectJpeg(Buffer.concat([sequential, Buffer.alloc(512)])), frameOf(sequential)));

test("inspectJpeg refuses a preview after the end, and walkJpeg ignores it", () => {
  const both = Buffer.concat([sequential, progressive]);
  refused(both, /bytes after its end marker/);
  assert.equal(parseJpeg(both), frameOf(sequential));
});

test("refuses a picture that is cut off anywhere", () => {
  for (const jpeg of [sequential, progressive])
    for (let end = 0; end < jpeg.length; end++) assert.type(inspectJpeg(jpeg.subarray(0, end)), "string", `${end}`);
});

test("refuses bytes that are not a JPEG", () => {
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    Buffer.from("GIF89a"),
    Buffer.of(0xff, 0xd8),
  ])
    refused(bytes, /is not a JPEG|is truncated/);
});

test("refuses a picture without a frame, a scan or its tables", () => {
  refused(Buffer.of(0xff, 0xd8, 0xff, 0xd9), /no picture in it/);
  refused(without(sequential, 0xc0), /scan before its frame/);
  refused(without(sequential, 0xdb), /before any quantization table/);
  refused(without(without(sequential, 0xc4), 0xc4), /before any Huffman table/);
});

test("refuses lossless, hierarchical and arithmetic coding by name", () => {
  const frame = segmentAt(sequential, 0xc0);
  for (const marker of [0xc3, 0xc5, 0xc9, 0xcb, 0xcf]) refused(patched(sequential, frame + 1, marker), /lossless/);
  refused(inserted(sequential, 0xc0, Buffer.of(0xff, 0xcc, 0, 3, 0)), /arithmetic/);
});

test("refuses a wrong frame header", () => {
  const frame = segmentAt(sequential, 0xc0);
  refused(resized(sequential, 0, 16), /no width or no height/);
  refused(resized(sequential, 24, 0), /no width or no height/);
  refused(patched(sequential, frame + 4, 12), /12 bits per sample/);
  refused(patched(sequential, frame + 9, 3), /wrong length/);
  refused(patched(sequential, frame + 11, 0x55), /sampling factor/);
  refused(inserted(sequential, 0xda, sequential.subarray(frame, frame + 13)), /two frame headers/);
});

test("refuses a wrong scan header", () => {
  const scan = segmentAt(sequential, 0xda);
  refused(patched(sequential, scan + 5, 77), /component that is not in its frame/);
  refused(patched(sequential, scan + 4, 2), /wrong length/);
});

test("refuses a segment with an impossible length, a stray marker and bytes between segments", () => {
  refused(patched(sequential, 4, 0, 1), /impossible length/);
  refused(patched(sequential, 4, 0xff, 0xff), /is truncated in a segment/);
  refused(inserted(sequential, 0xdb, Buffer.of(0xff, 0xd8)), /marker in a place where it is not allowed/);
  refused(inserted(sequential, 0xdb, Buffer.of(0)), /bytes between/);
});

test("refuses hundreds of scans", () => {
  const scan = sequential.subarray(segmentAt(sequential, 0xda), -2);
  const many = Buffer.concat([
    sequential.subarray(0, -2),
    ...Array.from({ length: 256 }, () => scan),
    sequential.subarray(-2),
  ]);
  refused(many, /more than 256 scans/);
});

test("reads millions of fill bytes in one pass", () =>
  inProportion("fill bytes", (scale) => {
    refused(Buffer.concat([sequential.subarray(0, -2), Buffer.alloc(scale * (8 << 20), 0xff)]), /is truncated/);
  }));

test("returns a frame or a sentence for any bytes and any damage", () => {
  assertProperty(
    fc.property(fc.nat(progressive.length - 1), fc.uint8Array({ maxLength: 40 }), (at, bytes) => {
      for (const damaged of [
        patched(progressive, Math.min(at, progressive.length - bytes.length), ...bytes),
        Buffer.from(bytes),
      ]) {
        const answer = inspectJpeg(damaged);
        if (typeof answer === "string") assert.match(answer, /^(is|has|uses|names) /);
        else assert.ok(answer.width > 0 && answer.height > 0 && answer.size <= damaged.length);
      }
    }),
    sampling(2000),
  );
});

test.run();

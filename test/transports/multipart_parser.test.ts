// Tests which bytes the parts of a form get, and that what is no form is refused, however the body is cut.
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { formParts } from "../../src/transports/http/multipart_parts.ts";
import { sampling } from "../support/sampling.ts";

const boundary = "aXb";

/** Cuts bytes into chunks of these lengths, again and again. */
function* cut(bytes: Buffer, lengths: readonly number[]): Generator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] as number;
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

/** The parts of a body. */
async function read(body: Buffer, lengths = [body.length]) {
  async function* chunks(): AsyncGenerator<Buffer> {
    yield* cut(body, lengths);
  }
  const parts: { name: string; file_name: string | null; text: string }[] = [];
  for await (const { name, file_name, content } of formParts(chunks(), boundary)) {
    let text = "";
    for await (const bytes of content) text += bytes.toString("latin1");
    parts.push({ name, file_name, text });
  }
  return parts;
}

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const partWith = (headers: string, content: string): string => `--${boundary}\r\n${headers}\r\n\r\n${content}\r\n`;
const end = `--${boundary}--\r\n`;

const bodyOf = (parts: readonly string[]): Buffer =>
  latin1(parts.map((part, at) => partWith(`Content-Disposition: form-data; name="${at}"`, part)).join("") + end);

const bytes = suite("bytes of parts");

bytes("are those that were sent, however the body is cut and however much of a boundary they contain", async () => {
  const pieces = ["\r", "\n", "-", "--", "\r\n--", "\r\n--a", "\r\n--aX", `\r\n--${boundary}a`, "aXb", "x".repeat(300)];
  const part = fc
    .array(fc.constantFrom(...pieces), { maxLength: 12 })
    .map((those) => those.join(""))
    .filter((text) => !/\r\n--aXb[\r-]/.test(`${text}\r\n`));
  const lengths = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), lengths, async (sent, lengths) => {
      const parts = await read(bodyOf(sent), lengths);
      assert.equal(
        parts,
        sent.map((text, at) => ({ name: String(at), file_name: null, text })),
      );
    }),
    sampling(200),
  );
});

bytes("are yielded once each, without copies of the whole, if many of them could begin a boundary", async () => {
  const buffers = new Set<ArrayBufferLike>();
  const value = `${"\r\n".repeat(30)}${"x".repeat(2000)}`.repeat(500);
  const body = bodyOf([value]);
  async function* chunks(): AsyncGenerator<Buffer> {
    yield* cut(body, [10_000]);
  }
  for await (const { content } of formParts(chunks(), boundary))
    for await (const own of content) buffers.add(own.buffer);
  const allocated = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
  assert.ok(allocated < 4 * value.length, `${allocated} bytes were allocated for ${value.length}`);
});

bytes("of base64 are decoded across chunks and lines", async () => {
  const sent = "bytes \u00ff\u0000 and more of them".repeat(20);
  const lines = latin1(sent).toString("base64").replace(/.{76}/g, "$&\r\n");
  const headers = 'Content-Disposition: form-data; name="f"; filename="a"\r\nContent-Transfer-Encoding: BASE64';
  for (const length of [1, 3, 7, 1000]) {
    const [part] = await read(latin1(partWith(headers, lines) + end), [length]);
    assert.is(part?.text, sent);
  }
});

bytes.run();

const parts = suite("parts");
const named = (disposition: string) => partWith(`content-disposition:${disposition}`, "x");

parts("have the name and the file name of their disposition, as browsers and programs write them", async () => {
  const dispositions: [string, string, string | null][] = [
    [' form-data; name="a b"', "a b", null],
    [" form-data; name=token", "token", null],
    [' form-data; name=""', "", null],
    [" form-data", "", null],
    [' form-data; name="f"; filename=""', "f", ""],
    ['form-data; filename="C:\\shots\\plate.dpx"; name="f"', "f", "plate.dpx"],
    [' form-data; name="f"; filename="say %22hi%22 &#8364;.txt"', "f", 'say "hi" €.txt'],
    [' form-data; name="f"; filename=plain.txt', "f", "plain.txt"],
  ];
  for (const [disposition, name, file_name] of dispositions)
    assert.equal(await read(latin1(named(disposition) + end), [5]), [{ name, file_name, text: "x" }], disposition);
});

parts(
  "may have no headers, come after a preamble and before an epilogue, and lack the last boundary's end",
  async () => {
    const part = `--${boundary}\r\n\r\nx\r\n`;
    for (const body of [
      part + end,
      `hello\r\n${part}${end}`,
      `${part}${end}bye`,
      part + end.slice(0, -4),
      `${part}--${boundary}\r\n`,
    ])
      for (const length of [1, 2, 1000])
        assert.equal(await read(latin1(body), [length]), [{ name: "", file_name: null, text: "x" }], body);
    assert.equal(await read(latin1(end)), []);
  },
);

parts("that are not well-formed, or whose end is missing, are refused", async () => {
  const whole = named(' form-data; name="a"');
  const refused = [
    "",
    "no boundary at all",
    whole.slice(0, -1),
    whole.slice(0, -10),
    whole,
    partWith("no colon", "x") + end,
    partWith(": no name", "x") + end,
    partWith("na me: x", "x") + end,
    partWith("a: x\ry", "x") + end,
    partWith("Content-Transfer-Encoding: quoted-printable", "x") + end,
  ];
  for (const body of refused)
    for (const length of [1, 1000]) {
      let status = 0;
      await read(latin1(body), [length]).catch((error) => {
        status = error.status;
      });
      assert.is(status, 422, JSON.stringify(body));
    }
});

parts.run();

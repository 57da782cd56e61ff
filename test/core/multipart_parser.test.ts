// Tests the private members of formidable that we use: fails if a new version changes them. Tests which bytes a part
// gets, how many of them the parser looks at, and how much memory it takes.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as fc from "fast-check";
import formidable, { multipart, MultipartParser as Parser } from "formidable";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { handlePart, limitParts, type MultipartParser, parserOf } from "../../src/core/http/multipart_limits.ts";
import { sampling } from "../support/sampling.ts";

const privateMembers = suite("private members of formidable");

/** Parses one form with one field, `name`; returns its fields. `prepare` gets the form and its parser. */
async function parse(
  prepare: (form: Parameters<typeof limitParts>[0], parser: MultipartParser) => void,
  value = "value",
): Promise<Record<string, readonly string[] | undefined>> {
  let fields: Record<string, readonly string[] | undefined> = {};
  const server = createServer((req, res) => {
    const form = formidable({
      enabledPlugins: [multipart, (made: Parameters<typeof limitParts>[0]) => prepare(made, parserOf(made))] as never,
    });
    form.onPart = (part) => void handlePart(form, part);
    void form.parse(req).then(([parsed]) => {
      fields = parsed;
      res.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const body = new FormData();
  body.append("name", value);
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { method: "POST", body });
  await new Promise((resolve) => server.close(resolve));
  return fields;
}

privateMembers(
  "are _handleCallback, which the parser calls for each event, and _transform, which feeds it",
  async () => {
    const events: string[] = [];
    let chunks = 0;
    const fields = await parse((_, parser) => {
      const handle = parser._handleCallback.bind(parser);
      const transform = parser._transform.bind(parser);
      parser._handleCallback = (name, ...rest) => {
        events.push(name);
        handle(name, ...rest);
      };
      parser._transform = (...given) => {
        chunks++;
        transform(...given);
      };
    });
    assert.equal(fields, { name: ["value"] });
    assert.ok(chunks > 0);
    for (const name of ["partBegin", "headerField", "headerValue", "partData", "partEnd", "end"])
      assert.ok(events.includes(name), `there was no event ${name}`);
  },
);

privateMembers("throw an error that says so if a version does not have them", async () => {
  assert.throws(() => parserOf({}), /a different multipart parser/);
  await handlePart({}, {} as never).then(
    () => assert.unreachable(),
    (error) => assert.match(error.message, /handles parts differently/),
  );
});

privateMembers.run();

const memory = suite("memory of the parser");

memory("is in proportion to the body, also if many bytes of it could begin a boundary", async () => {
  const buffers = new Set<ArrayBufferLike>();
  const value = `${"\r\n".repeat(30)}${"x".repeat(2000)}`.repeat(500);
  const fields = await parse((form, parser) => {
    const handle = parser._handleCallback.bind(parser);
    parser._handleCallback = (name, buffer, ...rest) => {
      if (buffer !== undefined) buffers.add(buffer.buffer);
      handle(name, buffer, ...rest);
    };
    limitParts(form, {});
  }, value);
  const allocated = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
  assert.ok(fields.name?.[0] === value, "the field is another text");
  assert.ok(allocated < 4 * value.length, `${allocated} bytes were allocated for ${value.length}`);
});

memory.run();

const boundary = "aXb";

/** Sends chunks to a parser. Returns the bytes of each part, and how many bytes the parser itself looked at. */
async function partsOf(chunks: readonly Buffer[]): Promise<{ parts: string[]; headers: string[]; looked: number }> {
  const parser = new Parser() as unknown as MultipartParser & { initWithBoundary(text: string): void };
  parser.initWithBoundary(boundary);
  let looked = 0;
  const transform = parser._transform.bind(parser);
  parser._transform = (chunk, ...rest) => {
    looked += chunk.length;
    transform(chunk, ...rest);
  };
  limitParts({ _parser: parser } as unknown as Parameters<typeof limitParts>[0], {});
  const parts: string[] = [];
  const headers: string[] = [];
  parser.on("data", ({ name, buffer, start, end }) => {
    if (name === "headerField" || name === "headerValue") headers.push(buffer.toString("utf8", start, end));
    if (name === "partBegin") parts.push("");
    if (name === "partData") parts.push(parts.pop() + buffer.toString("latin1", start, end));
  });
  const ended = new Promise((resolve, reject) => parser.once("end", resolve).once("error", reject));
  for (const chunk of chunks) parser.write(chunk);
  parser.end();
  await ended;
  return { parts, headers, looked };
}

const bodyOf = (parts: readonly string[]): Buffer =>
  Buffer.from(
    `${parts.map((part, at) => `--${boundary}\r\nContent-Disposition: form-data; name="${at}"\r\n\r\n${part}\r\n`).join("")}--${boundary}--\r\n`,
    "latin1",
  );

const bytes = suite("bytes of parts");

bytes("are those that were sent, however the body is cut and however much of a boundary they contain", async () => {
  const pieces = ["\r", "\n", "-", "--", "\r\n--", "\r\n--a", "\r\n--aX", `\r\n--${boundary}a`, "aXb", "x".repeat(300)];
  const part = fc
    .array(fc.constantFrom(...pieces), { maxLength: 12 })
    .map((those) => those.join(""))
    .filter((text) => !/\r\n--aXb[\r-]/.test(`${text}\r\n`));
  const cuts = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), cuts, async (sent, cuts) => {
      const body = bodyOf(sent);
      const chunks: Buffer[] = [];
      for (let at = 0, cut = 0; at < body.length; at += cuts[cut++ % cuts.length] as number)
        chunks.push(body.subarray(at, at + (cuts[cut % cuts.length] as number)));
      assert.equal((await partsOf(chunks)).parts, sent);
    }),
    sampling(200),
  );
});

bytes("of a header arrive together, so that no character is cut", async () => {
  for (const length of [10, 300, 1_200]) {
    const name = "の".repeat(length);
    const body = Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nx\r\n--${boundary}--\r\n`,
    );
    for (const size of [1, 7, 100, body.length]) {
      const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, at) =>
        body.subarray(size * at, size * (at + 1)),
      );
      const { parts, headers } = await partsOf(chunks);
      assert.equal([parts, headers], [["x"], ["Content-Disposition", `form-data; name="${name}"`]]);
    }
  }
});

bytes("are not looked at one by one, whatever they are", async () => {
  for (const text of ["a", "\r", "\r\n--", "\r\n--aX", `\r\n--${boundary}a`]) {
    const content = text.repeat(200_000 / text.length);
    const body = bodyOf([content]);
    const chunks = Array.from({ length: Math.ceil(body.length / 10_000) }, (_, at) =>
      body.subarray(10_000 * at, 10_000 * (at + 1)),
    );
    const { parts, looked } = await partsOf(chunks);
    assert.ok(parts[0] === content, "the part has other bytes");
    assert.ok(looked < content.length / 10, `${looked} of ${content.length} bytes of ${JSON.stringify(text)}`);
  }
});

bytes.run();

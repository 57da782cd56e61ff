// Tests the private members of formidable that we use: fails if a new version changes them. Tests how much memory the parser takes.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import formidable, { multipart } from "formidable";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { handlePart, limitParts, type MultipartParser, parserOf } from "../../src/transports/http/multipart_limits.ts";

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
    form.parse(req).then(([parsed]) => {
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

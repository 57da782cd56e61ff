// Tests the private members of formidable that we use: fails if a new version changes them.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import formidable, { multipart } from "formidable";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { handlePart, type MultipartParser, parserOf } from "../../src/transports/http/multipart_parser.ts";

const privateMembers = suite("private members of formidable");

/** Parses one form with `name=value`; returns its fields. `prepare` gets the form and its parser. */
async function parse(prepare: (form: unknown, parser: MultipartParser) => void): Promise<Record<string, unknown>> {
  let fields: Record<string, unknown> = {};
  const server = createServer((req, res) => {
    const form = formidable({
      enabledPlugins: [multipart, (made: unknown) => prepare(made, parserOf(made))] as never,
    });
    form.onPart = (part) => void handlePart(form, part);
    form.parse(req).then(([parsed]) => {
      fields = parsed;
      res.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const body = new FormData();
  body.append("name", "value");
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

// The names of files that are sent: folders stay in labels, what is dropped is told, and an empty file is refused by
// its name.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { cleanLabel } from "../../src/graph/media_rows.ts";
import { mint, one, openTestServer } from "../support/app.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const seedData = seedDataOf(store);
const production_id = one(store, "SELECT production_id FROM engagements WHERE id = ?", seedData.submitter);
const vendor = mint(store, { production_id, engagement_id: seedData.submitter, scopes });
const wide = mint(store, { production_id, scopes });
const node_id = one(store, "SELECT min(id) FROM nodes WHERE kind <> 'scene' AND production_id = ?", production_id);
const long = "x".repeat(400);

const names = suite("names of files that are sent");
names.after(() => server.stop());

const labels: Readonly<Record<string, string>> = {
  "SH010/left/0001.exr": "SH010/left/0001.exr",
  "/SH010//left/./0001.exr": "SH010/left/0001.exr",
  "../../etc/passwd": "etc/passwd",
  "C:/shots/sh010.mov": "shots/sh010.mov",
  "sh\u0000010\n.mov": "sh010.mov",
  [`${long}.exr`]: `${"x".repeat(296)}.exr`,
  [`${long}/0001.exr`]: `${"x".repeat(296)}.exr`,
  "C:\\shots\\matte.exr": "matte.exr",
  "..\\x.exe": "x.exe",
  "a\\..\\..\\b.exe": "a\\b.exe",
  "\\\\srv\\share\\x": "srv\\share\\x",
  "C:x": "x",
  "a/C: C:..\\.\\b.exe": "a/b.exe",
  "left\\0001.exr": "left\\0001.exr",
  "..": "file",
  "..\\": "file",
  "": "file",
  "plan:B.mov": "plan:B.mov",
  "ßß/Ködel.mov": "ßß/Ködel.mov",
};
for (const [sent, label] of Object.entries(labels))
  names(`${JSON.stringify(sent.slice(0, 40))} has the label ${JSON.stringify(label.slice(0, 40))}`, () => {
    assert.is(cleanLabel(sent, "file"), label);
  });

const submit = (files: readonly (readonly [name: string, text: string])[]) => {
  const body = new FormData();
  for (const [name, text] of files) body.append("files", new Blob([text]), name);
  return server.ask(vendor, `/api/v1/turnovers/${seedData.delivery}/submissions`, { method: "POST", body });
};

names("a submission tells the names that were changed, and keeps folders", async () => {
  const sent = await submit([
    ["SH010/left/0001.exr", "one"],
    ["../SH010/0002.exr", "two"],
    ["..\\0003.exr", "three"],
  ]);
  const { id, media } = (await sent.json()) as { id: number; media: { label: string; sent_as?: string }[] };
  assert.equal(
    media.map(({ label, sent_as }) => [label, sent_as]),
    [
      ["SH010/left/0001.exr", undefined],
      ["SH010/0002.exr", "../SH010/0002.exr"],
      ["0003.exr", "..\\0003.exr"],
    ],
  );
  const list = await server.get<{ id: number; media: object[] }[]>(
    vendor,
    `/turnovers/${seedData.delivery}/submissions`,
  );
  assert.ok(list.find((one) => one.id === id)?.media.every((medium) => !("sent_as" in medium)));
  const path = one<string>(store, "SELECT path FROM media WHERE label = 'SH010/left/0001.exr'");
  assert.match(path, /^\d+\/0001\.\w+$/, path);
});

names("a version tells it, too, of at most 300 characters", async () => {
  const body = new FormData();
  body.append("file", new Blob(["x"]), `./${long}.exr`);
  const sent = await server.ask(wide, `/api/v1/assets/${node_id}/versions`, { method: "POST", body });
  const { sent_as } = (await sent.json()) as { sent_as: string };
  assert.is(sent_as, `./${long}`.slice(0, 300));
});

const refused = async (response: Response, name: string): Promise<void> => {
  const { detail } = (await response.json()) as { detail: string };
  assert.is(response.status, 422, detail);
  assert.match(detail, name);
};

names("a file of 0 bytes is refused by its name, and nothing of the request is kept", async () => {
  const before = one(store, "SELECT count(*) FROM media");
  await refused(
    await submit([
      ["one.exr", "one"],
      ["empty.exr", ""],
    ]),
    "empty.exr",
  );
  const body = new FormData();
  body.append("file", new Blob([]), "nothing.jpg");
  await refused(await server.ask(wide, `/api/v1/assets/${node_id}/versions`, { method: "POST", body }), "nothing.jpg");
  assert.is(one(store, "SELECT count(*) FROM media"), before);
});

/** What a client writes into Content-Disposition behind `form-data; name="files"; `, and the label of the file. */
const written: readonly (readonly [client: string, header: string, label: string])[] = [
  ["Chromium, Firefox", 'filename="Grüße 10%22.exr"', 'Grüße 10".exr'],
  ["Safari with a backslash", 'filename="a\\b.exr"', "a\\b.exr"],
  ["curl 8", 'filename="take %22one%22.mov"', 'take "one".mov'],
  ["curl before 7.81, Go", 'filename="take \\"one\\".mov"', 'take "one".mov'],
  ["Go, with a semicolon", 'filename="a; name=b.mov"', "a; name=b.mov"],
  ["PowerShell 7", "filename=plate.exr; filename*=utf-8''plate.exr", "plate.exr"],
  [
    ".NET",
    `filename="=?utf-8?B?${Buffer.from("größe 1.exr").toString("base64")}?="; filename*=utf-8''gr%C3%B6%C3%9Fe%201.exr`,
    "größe 1.exr",
  ],
  [".NET Framework", `filename="=?utf-8?B?${Buffer.from("größe 2.exr").toString("base64")}?="`, "größe 2.exr"],
  [
    "an encoded word in capitals",
    `filename="=?UTF-8?B?${Buffer.from("größe 3.exr").toString("base64")}?="`,
    "größe 3.exr",
  ],
  ["filename* before filename", "filename*=UTF-8'de'%e2%82%ac.exr; filename=euro.exr", "€.exr"],
  ["filename* in Latin-1", "filename=x.exr; filename*=iso-8859-1''gr%FC%DFe.exr", "grüße.exr"],
  ["filename* alone", "filename*=utf-8''alone.exr", "alone.exr"],
  ["a filename* with a broken byte", "filename=fallback.exr; filename*=utf-8''%C3.exr", "fallback.exr"],
  ["a filename* of another charset", "filename=\"fallback.exr\"; filename*=koi8-r''%C3.exr", "fallback.exr"],
  ["a filename* with a broken escape", "filename=\"fallback.exr\"; filename*=utf-8''%zz.exr", "fallback.exr"],
  ["a broken encoded word", 'filename="=?utf-8?B?w===?="', "=?utf-8?B?w===?="],
  ["no quotes", "filename=plain name.exr", "plain name.exr"],
];
for (const [client, header, label] of written)
  names(`${client}: ${header}`, async () => {
    const head = `--X\r\nContent-Disposition: form-data; name="files"; ${header}\r\n\r\n`;
    const sent = await server.ask(vendor, `/api/v1/turnovers/${seedData.delivery}/submissions`, {
      method: "POST",
      headers: { "content-type": "multipart/form-data; boundary=X" },
      body: `${head}bytes of ${label}\r\n--X--\r\n`,
    });
    const { media } = (await sent.json()) as { media: { label: string }[] };
    assert.equal(
      media?.map((medium) => medium.label),
      [label],
    );
  });

names("two parts of a field that takes one file are refused", async () => {
  const body = new FormData();
  for (const name of ["a.jpg", "b.jpg"]) body.append("file", new Blob(["x"]), name);
  const sent = await server.ask(wide, `/api/v1/assets/${node_id}/versions`, { method: "POST", body });
  await refused(sent, "file must be one file, not 2");
});

const tus = { "tus-resumable": "1.0.0" };
names("an upload of 0 bytes is refused where it is created", async () => {
  const metadata = `filename ${Buffer.from("zero.mov").toString("base64")}`;
  const headers = { ...tus, "upload-length": "0", "upload-metadata": metadata };
  await refused(await server.ask(vendor, "/api/v1/uploads", { method: "POST", headers }), "zero.mov");
});

names("MCP refuses it, and tells a changed name", async () => {
  const call = async (filename: string, text: string) => {
    const files = [{ filename, content_base64: Buffer.from(text).toString("base64") }];
    const message = {
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name: "submit_turnover", arguments: { delivery_id: seedData.delivery, files } },
    };
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify(message);
    const response = await server.ask(vendor, "/mcp", { method: "POST", headers, body });
    return ((await response.json()) as { result: { isError: boolean; content: { text: string }[] } }).result;
  };
  const empty = await call("void.mov", "");
  assert.ok(empty.isError);
  assert.match(empty.content[0]?.text ?? "", "void.mov");
  const named = await call("/a//b.mov", "b");
  assert.is(JSON.parse(named.content[0]?.text ?? "").media[0].sent_as, "/a//b.mov");
});

names.run();

// The types of media come from their bytes, for what film people send; stored ones are typed again after an upgrade.
// Thorough: only --all runs it.
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { sniff } from "../../src/core/store/media_types.ts";
import { mint, one, openTestServer } from "../support/app.ts";
import { temporaryFolder } from "../support/folder.ts";
import { isThorough } from "../support/proportion.ts";

const hex = (text: string, behind = ""): Buffer =>
  Buffer.concat([Buffer.from(text.replaceAll(" ", ""), "hex"), Buffer.from(behind, "latin1")]);
const box = (type: string, content: string): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(8 + content.length);
  return Buffer.concat([size, Buffer.from(type + content, "latin1")]);
};
const ftyp = (brand: string, others = "isom"): Buffer => box("ftyp", `${brand}\0\0\0\0${others}`);

/** A TIFF with these entries of its first directory: of each the tag and a number, or a text behind the directory. */
function tiff(entries: Readonly<Record<number, number | string>>, isLittle = true): Buffer {
  const all = Object.entries(entries);
  const end = 8 + 2 + 12 * all.length + 4;
  const bytes = Buffer.alloc(end);
  const write = (value: number, at: number, size: 2 | 4): void =>
    void (isLittle ? bytes.writeUIntLE(value, at, size) : bytes.writeUIntBE(value, at, size));
  bytes.write(isLittle ? "II*\0" : "MM\0*", 0, "latin1");
  write(8, 4, 4);
  write(all.length, 8, 2);
  const texts: string[] = [];
  for (const [n, [tag, value]] of all.entries()) {
    const at = 10 + 12 * n;
    const isText = typeof value === "string";
    write(Number(tag), at, 2);
    write(isText ? 2 : 3, at + 2, 2);
    write(isText ? value.length : 1, at + 4, 4);
    write(isText ? end + texts.join("").length : value, at + 8, isText ? 4 : 2);
    if (isText) texts.push(value);
  }
  return Buffer.concat([bytes, Buffer.from(texts.join(""), "latin1")]);
}

const packets = Buffer.alloc(188 * 5);
for (let at = 0; at < packets.length; at += 188) packets[at] = 0x47;

const kinds: Readonly<Record<string, readonly Buffer[]>> = {
  "image/jpeg": [hex("ffd8ffe0")],
  "image/png": [hex("89504e470d0a1a0a")],
  "image/gif": [Buffer.from("GIF87a"), Buffer.from("GIF89a")],
  "image/webp": [Buffer.from("RIFF\x10\0\0\0WEBPVP8 ", "latin1")],
  "image/avif": [ftyp("avif"), ftyp("avis"), ftyp("mif1", "mif1avif")],
  "image/heic": [ftyp("heic"), ftyp("heix"), ftyp("mif1", "mif1heic")],
  "image/heif": [ftyp("mif1", "mif1jpeg")],
  "image/tiff": [
    tiff({ 256: 100 }),
    tiff({ 256: 100 }, false),
    tiff({ 259: 1, 271: "NIKON CORPORATION\0" }),
    hex("49492b00 08000000"),
  ],
  "image/vnd.adobe.photoshop": [Buffer.from("8BPS\0\x01", "latin1")],
  "image/x-exr": [hex("762f3101 02000000")],
  "image/x-dpx": [Buffer.from("SDPX"), Buffer.from("XPDS")],
  "image/jp2": [hex("0000000c6a5020200d0a870a 00000014 66747970", "jp2 ")],
  "image/jpx": [hex("0000000c6a5020200d0a870a 00000014 66747970", "jpx ")],
  "image/j2c": [hex("ff4fff51 002f")],
  "image/x-canon-cr2": [hex("49492a00 10000000 4352 0200")],
  "image/x-canon-cr3": [ftyp("crx ")],
  "image/x-nikon-nef": [tiff({ 254: 1, 271: "NIKON CORPORATION\0" }, false)],
  "image/x-sony-arw": [tiff({ 254: 1, 259: 6, 271: "SONY\0" })],
  "image/x-adobe-dng": [tiff({ 254: 1, 271: "Leica\0", 50706: 1 })],
  "image/x-pentax-pef": [tiff({ 259: 65535, 271: "PENTAX Corporation\0" }, false)],
  "image/x-fuji-raf": [Buffer.from("FUJIFILMCCD-RAW 0201")],
  "image/x-olympus-orf": [Buffer.from("IIRO\x08\0\0\0", "latin1")],
  "image/x-panasonic-rw2": [Buffer.from("IIU\0\x18\0\0\0", "latin1")],
  "video/mp4": [ftyp("isom"), ftyp("mp42"), ftyp("avc1")],
  "audio/mp4": [ftyp("M4A ")],
  "video/quicktime": [
    ftyp("qt  "),
    box("moov", "\0\0\0\x6cmvhd"),
    hex("00000008", "wide\0\x10\0\0mdat"),
    Buffer.concat([box("free", "\0".repeat(40)), box("moov", "mvhd")]),
    hex("00000001", "mdat"),
  ],
  "video/x-matroska": [hex("1a45dfa3 9f 4286 81 01 4282 88", "matroska")],
  "video/webm": [hex("1a45dfa3 9f 4286 81 01 4282 84", "webm")],
  "video/x-msvideo": [Buffer.from("RIFF\x10\0\0\0AVI LIST", "latin1")],
  "application/mxf": [hex("060e2b34 02050101 0d010201 01020400")],
  "video/mpeg": [hex("000001ba 44"), hex("000001b3 14")],
  "video/mp2t": [packets],
  "audio/wav": [Buffer.from("RIFF\x10\0\0\0WAVEfmt ", "latin1"), Buffer.from("RF64\xff\xff\xff\xffWAVEds64", "latin1")],
  "audio/x-aiff": [Buffer.from("FORM\0\0\0\x10AIFF", "latin1"), Buffer.from("FORM\0\0\0\x10AIFC", "latin1")],
  "audio/mpeg": [hex("494433 04"), hex("fffb9064 0000")],
  "audio/flac": [Buffer.from("fLaC\0", "latin1")],
  "audio/ogg": [Buffer.from(`OggS${"\0".repeat(25)}\x01vorbis`, "latin1")],
  "video/ogg": [Buffer.from(`OggS${"\0".repeat(25)}\x80theora`, "latin1")],
  "application/pdf": [Buffer.from("%PDF-1.7")],
  "application/zip": [hex("504b0304"), hex("504b0506")],
  "model/gltf-binary": [Buffer.from("glTF\x02\0\0\0", "latin1")],
  "model/gltf+json": [Buffer.from('{"asset": {"generator": "Blender", "version": "2.0"}, "scenes": []}')],
  "text/plain": [
    Buffer.from("INT. KITCHEN - DAY\n"),
    Buffer.from("a"),
    Buffer.from("Ködel és ő".repeat(600)), // cut inside a character
    hex("fffe 4100 0a00"),
    hex("d1d6c5cdc0 20 31 0a"), // Windows-1251
    Buffer.from('{"a": 1}'),
  ],
  "application/octet-stream": [
    Buffer.alloc(0),
    hex("00010203"),
    Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"),
    Buffer.from("\uFEFF \n<!doctype html><script>"),
    Buffer.from("RIFF\x10\0\0\0ABCD", "latin1"),
    hex("1a45dfa3 9f 4282 84", "none"),
  ],
};

const types = suite("content_type");
for (const [type, files] of Object.entries(kinds))
  types(`is ${type} by the bytes`, () => {
    for (const [at, bytes] of files.entries()) assert.is(sniff(bytes), type, `${type} ${at}`);
  });

types("is found in any beginning of any bytes, without an error", () => {
  for (const bytes of Object.values(kinds).flat())
    for (let end = 0; end < Math.min(bytes.length, 64); end++) assert.type(sniff(bytes.subarray(0, end)), "string");
});

const hasFfmpeg = spawnSync("ffmpeg", ["-version"]).status === 0;
const folder = temporaryFolder();
const source = ["-f", "lavfi", "-i", "testsrc=d=0.2:s=64x48:r=25", "-f", "lavfi", "-i", "sine=d=0.2"];
/** Of an audio, of films in the two most frequent forms and of a still; a run of everything makes one of each. */
const quickEndings = new Set(["mp4", "mov", "wav", "exr"]);
for (const [ending, [options, type]] of Object.entries({
  mp4: [["-pix_fmt", "yuv420p"], "video/mp4"],
  mov: [["-c:v", "prores"], "video/quicktime"],
  mkv: [[], "video/x-matroska"],
  webm: [["-c:v", "libvpx"], "video/webm"],
  avi: [[], "video/x-msvideo"],
  mxf: [["-c:v", "mpeg2video", "-ar", "48000"], "application/mxf"],
  mpg: [[], "video/mpeg"],
  ts: [[], "video/mp2t"],
  wav: [["-vn"], "audio/wav"],
  aiff: [["-vn"], "audio/x-aiff"],
  mp3: [["-vn"], "audio/mpeg"],
  flac: [["-vn"], "audio/flac"],
  ogg: [["-vn"], "audio/ogg"],
  m4a: [["-vn"], "audio/mp4"],
  tiff: [["-frames:v", "1", "-an"], "image/tiff"],
  dpx: [["-frames:v", "1", "-an"], "image/x-dpx"],
  exr: [["-frames:v", "1", "-an", "-pix_fmt", "gbrpf32le"], "image/x-exr"],
  jp2: [["-frames:v", "1", "-an"], "image/jp2"],
} as const))
  types(`of a .${ending} that ffmpeg writes is ${type}${hasFfmpeg ? "" : ": skipped, ffmpeg is not installed"}`, () => {
    if (!hasFfmpeg || !(isThorough || quickEndings.has(ending))) return;
    const file = join(folder, `made.${ending}`);
    execFileSync("ffmpeg", ["-v", "error", "-nostdin", "-y", ...source, ...options, file]);
    assert.is(sniff(readFileSync(file)), type);
  });

let server = await openTestServer();
const key = mint(server.store, { production_id: 1, scopes });
const again = suite("stored media are typed again after an upgrade");
again.after(() => server.stop());

const node_id = one(server.store, "SELECT min(id) FROM nodes WHERE kind <> 'scene' AND production_id = 1");
async function send(bytes: Buffer, name: string): Promise<number> {
  const body = new FormData();
  body.append("file", new Blob([new Uint8Array(bytes)]), name);
  const sent = await server.ask(key, `/api/v1/assets/${node_id}/versions`, { method: "POST", body });
  const { id } = (await sent.json()) as { id: number };
  return one(server.store, "SELECT id FROM media WHERE version_id = ?", id);
}
type Row = { id: number; updated_at: string; content_type: string };
const list = async (): Promise<Map<number, Row>> =>
  new Map((await server.get<Row[]>(key, "/media?limit=500")).map((row) => [row.id, row]));
const etagOf = async (id: number) => {
  const response = await server.ask(key, `/api/v1/media/${id}/content`);
  await response.arrayBuffer();
  return response.headers.get("etag");
};

again("another type moves updated_at, the ETag stays, and a missing file keeps its type", async () => {
  const film = await send(box("moov", "\0\0\0\x6cmvhd one"), "one.mov");
  const still = await send(hex("ffd8ffe0 01"), "two.jpg");
  const lost = await send(box("moov", "\0\0\0\x6cmvhd three"), "three.mov");
  const etag = await etagOf(film);
  rmSync(server.blobs.fileOf(one<string>(server.store, "SELECT sha256 FROM media WHERE id = ?", lost)));
  const change = (sql: string) => server.store.writeSync(() => server.store.database.exec(sql));
  change("UPDATE blobs SET content_type = 'application/octet-stream' WHERE content_type = 'video/quicktime'");
  const before = await list();
  assert.is(before.get(film)?.content_type, "application/octet-stream");
  // As the version before left it, which was stopped after one half of the files.
  const half = one<string>(server.store, "SELECT min(sha256) FROM blobs");
  change(`INSERT INTO media_typing (one, last) VALUES (1, '${half}')`);
  const { folder: data } = server;
  await server.close();
  server = await openTestServer({ data });
  const isTyped = () => one(server.store, "SELECT count(*) FROM media_typing") === 0;
  for (let n = 0; n < 600 && !isTyped(); n++) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(isTyped());
  const after = await list();
  assert.is(after.get(film)?.content_type, "video/quicktime");
  assert.is(after.get(lost)?.content_type, "application/octet-stream");
  assert.ok((after.get(film)?.updated_at ?? "") > (before.get(film)?.updated_at ?? ""));
  assert.is(after.get(still)?.updated_at, before.get(still)?.updated_at);
  assert.is(after.get(lost)?.updated_at, before.get(lost)?.updated_at);
  assert.is(await etagOf(film), etag);
});

types.run();
again.run();

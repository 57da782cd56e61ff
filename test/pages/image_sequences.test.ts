// Sequences of pictures, and the words and links of what browsers do not show.
// Thorough: only --all runs it.
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { isSequence, sequencesIn } from "../../src/features/pages/image_sequences.ts";
import { mint, one, openTestServer } from "../support/app.ts";
import { temporaryFolder } from "../support/folder.ts";
import { jpeg } from "../support/jpeg.ts";
import { signIn } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const found = (labels: readonly string[], content_type = "image/x-exr") =>
  sequencesIn(labels.map((label) => ({ label, content_type }))).map((one) =>
    isSequence(one) ? [one.name, one.media.length, one.missing] : one.label,
  );
const range = (from: number, to: number, step = 1, width = 0, name = (n: string) => `sh010.${n}.exr`) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, n) =>
    name(String(from + n * step).padStart(width, "0")),
  );

const sequences = suite("sequences of pictures");

sequences("are one line, which says what is missing", () => {
  const labels = range(1001, 1100).filter((label) => !/\.(?:1017|1030|1031|1032)\./.test(label));
  assert.equal(found(labels), [["sh010.[1001-1100].exr", 96, "1017, 1030-1032"]]);
});

sequences("keep the zeros of their numbers, also where they need none any more", () => {
  assert.equal(found(range(998, 1002, 1, 4)), [["sh010.[0998-1002].exr", 5, ""]]);
  assert.equal(found(range(8, 12, 1, 0)), [["sh010.[8-12].exr", 5, ""]]);
});

sequences("say a constant step, and miss what is missing of it", () => {
  assert.equal(found(range(1001, 1099, 2)), [["sh010.[1001-1099x2].exr", 50, ""]]);
  const labels = range(1001, 1099, 2).filter((label) => !label.includes(".1013."));
  assert.equal(found(labels), [["sh010.[1001-1099x2].exr", 49, "1013"]]);
});

sequences("are of three pictures at least, of one type, folder and name, with half of their numbers", () => {
  for (const labels of [
    ["a.1.exr", "a.2.exr"],
    ["a/1.exr", "a/2.exr", "b/3.exr"],
    ["a.1.exr", "a.2.exr", "b.3.exr"],
    ["a.1.exr", "a.2.exr", "a.9.exr"],
    ["comp_v1.exr", "comp_v2.exr", "comp_v3.exr"],
    ["comp ver1.exr", "comp ver2.exr", "comp ver3.exr"],
    ["take_1.exr", "take_2.exr", "take_3.exr"],
    ["a.1.exr", "a.1.exr", "a.2.exr", "a.3.exr"],
    ["one.exr", "two.exr", "three.exr"],
  ])
    assert.equal(found(labels), labels, labels.join(" "));
  assert.equal(found(range(1, 3), "video/mp4"), range(1, 3), "films are no pictures");
  assert.equal(found(range(1, 3, 1, 0, (n) => `L/cave${n}.jpg`)), [["L/cave[1-3].jpg", 3, ""]]);
});

sequences("stand where their first picture does, among other files", () => {
  assert.equal(found(["notes.exr", ...range(1, 3), "end.exr"]), ["notes.exr", ["sh010.[1-3].exr", 3, ""], "end.exr"]);
});

const server = await openTestServer();
const { store } = server;
const seedData = seedDataOf(store);
const production_id = one(store, "SELECT production_id FROM engagements WHERE id = ?", seedData.submitter);
const vendor = mint(store, { production_id, engagement_id: seedData.submitter, scopes });
const pages = suite("files on pages");
pages.after(() => server.stop());

const exr = Buffer.from("762f310102000000", "hex");
const submit = async (files: readonly (readonly [name: string, bytes: Buffer])[]) => {
  const body = new FormData();
  for (const [name, bytes] of files) body.append("files", new Blob([new Uint8Array(bytes)]), name);
  const path = `/api/v1/turnovers/${seedData.delivery}/submissions`;
  assert.is((await server.ask(vendor, path, { method: "POST", body })).status, 200);
};

pages("name each file, say its type in words, and link it, the vendor's and the production's", async () => {
  const frames = range(1, 8).map((name, at) => [name, Buffer.concat([exr, Buffer.from([at])])] as const);
  await submit([...frames, ["plan.pdf", Buffer.from("%PDF-1.7")], ["z.jpg", Buffer.from(jpeg(16, 16))]]);
  const wide = mint(store, { production_id, scopes });
  for (const [key, path] of [
    [vendor, "/turnovers"],
    [wide, "/deliveries"],
  ] as const) {
    const page = await (await signIn(server, key)).text(`${path}/${seedData.delivery}`);
    assert.match(page, /<summary>sh010\.\[1-8\]\.exr, 8 files, OpenEXR, which browsers do not show<\/summary>/);
    assert.match(page, /<a href="\/files\/\d+">sh010\.8\.exr<\/a>/);
    assert.match(page, /<a href="\/files\/\d+">plan\.pdf<\/a> <span class="under">PDF/);
    assert.match(page, /<img[^>]*src="\/thumbnails\/\d+"[\s\S]{0,300}z\.jpg<\/a> <span class="under">JPEG/);
  }
});

pages("name the file of each version of an asset, of older ones too, for whoever may see them", async () => {
  const wide = mint(store, { production_id: seedData.production, scopes });
  const reader = mint(store, { production_id: seedData.production, scopes: ["read"] });
  const versions: number[] = [];
  for (const [name, bytes] of [
    ["plan.pdf", Buffer.from("%PDF-1.7")],
    ["newer.jpg", Buffer.from(jpeg(16, 16))],
  ] as const) {
    const body = new FormData();
    body.append("file", new Blob([new Uint8Array(bytes)]), name);
    const path = `/api/v1/assets/${seedData.asset}/versions`;
    const landed = await server.ask(wide, path, { method: "POST", body });
    const { id, version } = (await landed.json()) as { id: number; version: number };
    versions.push(version);
    const released = await server.ask(wide, `/api/v1/admin/versions/${id}/release`, { method: "POST" });
    assert.is(released.status, 200);
  }
  for (const key of [wide, reader]) {
    const browser = await signIn(server, key);
    const [older, newer] = versions.map((version) => `/assets/${seedData.asset}?version=${version}`) as [
      string,
      string,
    ];
    assert.match(await browser.text(older), /<a href="\/files\/\d+">plan\.pdf<\/a> <span class="under">PDF</);
    assert.match(await browser.text(newer), /<a href="\/files\/\d+">newer\.jpg<\/a> <span class="under">JPEG</);
  }
});

pages("say which pictures move, carry a place, or are cut off", async () => {
  const written = (name: string) => readFileSync(new URL(`../support/picture_files/${name}`, import.meta.url));
  const [cmyk, wide] = [written("imagemagick-cmyk.jpg"), written("ffmpeg-wide-pixels.jpg")];
  const xmp = Buffer.from('http://ns.adobe.com/xap/1.0/\0<x exif:GPSLatitude="51,30N"/>', "latin1");
  const part = Buffer.concat([Buffer.from([0xff, 0xe1, 0, 2 + xmp.length]), xmp]);
  await submit([
    ["dance.gif", written("imagemagick-animated.gif")],
    ["set.jpg", Buffer.concat([wide.subarray(0, 20), part, wide.subarray(20)])],
    ["broken.jpg", cmyk.subarray(0, cmyk.length / 2)],
  ]);
  const page = await (await signIn(server, vendor)).text(`/turnovers/${seedData.delivery}`);
  assert.match(page, /dance\.gif<\/a> <span class="under">GIF, animated</);
  assert.match(page, /set\.jpg<\/a> <span class="under">JPEG, says at which place it was made</);
  assert.match(page, /broken\.jpg<\/a> <span class="under">JPEG that is cut off: a part of it is missing</);
});

pages("name the delivery's own files and their sequences, and link what fed a version", async () => {
  const { delivery } = seedData;
  const newest = "SELECT max(id) FROM versions WHERE production_id = ?";
  const version_id = one<number>(store, newest, production_id);
  const own = range(1, 4, 1, 0, (n) => `own/${n}.exr`);
  await submit(own.map((name, at) => [name, Buffer.concat([exr, Buffer.from([9, at])])] as const));
  await submit([["fabric.pdf", Buffer.from("%PDF-1.7 fabric")]]);
  const wide = mint(store, { production_id, scopes });
  store.writeSync(() => {
    const { database } = store;
    database.prepare("UPDATE media SET work_item_id = NULL, delivery_id = ? WHERE label LIKE 'own/%'").run(delivery);
    const made = "INSERT INTO ingredients (production_id, kind, label) VALUES (?, 'swatch', 'Red wool') RETURNING id";
    const { id } = database.prepare(made).get(production_id) as { id: number };
    database
      .prepare("UPDATE media SET work_item_id = NULL, delivery_id = NULL, ingredient_id = ? WHERE label = 'fabric.pdf'")
      .run(id);
    const fed = "INSERT INTO version_ingredients (production_id, version_id, ingredient_id) VALUES (?, ?, ?)";
    database.prepare(fed).run(production_id, version_id, id);
  });
  for (const [key, path] of [
    [vendor, "/turnovers"],
    [wide, "/deliveries"],
  ] as const) {
    const page = await (await signIn(server, key)).text(`${path}/${delivery}`);
    assert.match(page, /<h2>Files[\s\S]*<summary>own\/\[1-4\]\.exr, 4 files, OpenEXR, which browsers do not show</);
  }
  const node_id = one(store, "SELECT node_id FROM versions WHERE id = ?", version_id);
  const page = await (await signIn(server, wide)).text(`/assets/${node_id}`);
  assert.match(page, /<a href="\/files\/\d+"><span dir="auto">Red wool<\/span><\/a><span class="under">swatch, PDF</);
});

const hasFfmpeg = spawnSync("ffmpeg", ["-version"]).status === 0;
const skipped = hasFfmpeg ? "" : ": skipped, ffmpeg is not installed";

pages(`do not play ProRes, 10 bits, AC-3 sound, or a film that is cut off, and say so${skipped}`, async () => {
  if (!hasFfmpeg) return;
  const folder = temporaryFolder();
  const film = (name: string, ...options: string[]): Buffer => {
    const file = join(folder, name);
    const source = ["-f", "lavfi", "-i", "testsrc=d=0.4:s=64x48:r=25"];
    execFileSync("ffmpeg", ["-v", "error", "-nostdin", "-y", ...source, ...options, file]);
    return readFileSync(file);
  };
  const plain = film("plain.mp4", "-pix_fmt", "yuv420p", "-c:v", "libx264");
  const sound = (name: string, codec: string) =>
    film(name, "-f", "lavfi", "-i", "sine=d=0.4", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-c:a", codec);
  await submit([
    ["plain.mov", film("plain.mov", "-pix_fmt", "yuv420p", "-c:v", "libx264")],
    ["plain.mp4", plain],
    ["sound.mp4", sound("sound.mp4", "aac")],
    ["prores.mov", film("prores.mov", "-c:v", "prores")],
    ["dolby.mp4", sound("dolby.mp4", "ac3")],
    ["pcm.mov", sound("pcm.mov", "pcm_s16le")],
    ["deep.mp4", film("deep.mp4", "-pix_fmt", "yuv422p10le", "-c:v", "libx264")],
    ["cut.mp4", plain.subarray(0, Math.floor(plain.length / 2))],
    ["dnx.mxf", film("dnx.mxf", "-vf", "scale=1280:720,format=yuv422p", "-c:v", "dnxhd", "-profile:v", "dnxhr_lb")],
    ["jpeg.avi", film("jpeg.avi", "-c:v", "mjpeg")],
    ["deep.mkv", film("deep.mkv", "-pix_fmt", "yuv422p10le", "-c:v", "libx264")],
    ["dvd.mpg", film("dvd.mpg", "-c:v", "mpeg2video", "-f", "vob")],
    ["old.mpg", film("old.mpg", "-c:v", "mpeg1video")],
    ["broadcast.ts", film("broadcast.ts", "-pix_fmt", "yuv420p", "-c:v", "libx264")],
    ["camera.m2ts", film("camera.m2ts", "-c:v", "mpeg2video", "-f", "mpegts", "-mpegts_m2ts_mode", "1")],
    ["free.ogv", film("free.ogv", "-pix_fmt", "yuv420p", "-c:v", "libtheora")],
    ["part.mov", film("part.mov", "-c:v", "prores", "-movflags", "+faststart").subarray(0, -500)],
  ]);
  const page = await (await signIn(server, vendor)).text(`/turnovers/${seedData.delivery}`);
  assert.match(page, /dnx\.mxf<\/a> <span class="under">DNxHR in MXF, which browsers do not play/);
  assert.match(page, /jpeg\.avi<\/a> <span class="under">Motion JPEG in AVI, which browsers do not play/);
  assert.match(page, /deep\.mkv<\/a> <span class="under">H\.264 in more than 8 bits or 4:2:0 in Matroska, which/);
  for (const [name, words] of [
    ["dvd.mpg", "MPEG-2"],
    ["old.mpg", "MPEG-1"],
    ["broadcast.ts", "H.264 in MPEG-TS"],
    ["camera.m2ts", "MPEG-2 in MPEG-TS"],
    ["free.ogv", "Theora in Ogg"],
  ] as const)
    assert.ok(page.includes(`${name}</a> <span class="under">${words}, which browsers do not play`), name);
  assert.match(page, /part\.mov<\/a> <span class="under">ProRes, which browsers do not play, cut off: a part of it/);
  assert.match(
    page,
    /<video aria-label="plain\.mov"[^>]*><source src="\/files\/\d+"><source src="\/files\/\d+\?preview=/,
  );
  assert.match(page, /prores\.mov<\/a> <span class="under">ProRes, which browsers do not play/);
  assert.match(page, /dolby\.mp4<\/a> <span class="under">H\.264 with AC-3 sound, which browsers do not play/);
  assert.match(page, /pcm\.mov<\/a> <span class="under">H\.264 with uncompressed sound, which browsers do not play/);
  assert.match(
    page,
    /deep\.mp4<\/a> <span class="under">H\.264 in more than 8 bits or 4:2:0, which browsers do not play/,
  );
  assert.match(page, /cut\.mp4<\/a> <span class="under">MP4 film that is cut off/);
  assert.match(page, /<video[^>]*aria-label="plain\.mp4"/);
  assert.match(page, /<video[^>]*aria-label="sound\.mp4"/);
  assert.is([...page.matchAll(/<video/g)].length, 3);
});

sequences.run();
pages.run();

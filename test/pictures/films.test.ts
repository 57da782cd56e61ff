// GET /media/{id}/content of films: posters by ?width=, previews by ?preview=, what a film may not refer to, and who
// may ask. Skipped by name without ffmpeg.
// It makes and decodes films with ffmpeg, in processes of their own.
// Thorough: only --all runs it.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isInstalled } from "../../src/features/pictures/ffmpeg.ts";
import { runTimer } from "../../src/features/pictures/sweep.ts";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { isThorough } from "../support/proportion.ts";
import { seedDataOf } from "../support/seed_data.ts";

const films = suite("posters and previews of films");
if (isInstalled()) await testFilms();
else {
  films.skip("are not tested: there is no ffmpeg", () => {});
  films.run();
}

async function testFilms(): Promise<void> {
  const server = await openTestServer();
  const { store, folder, app } = server;
  const seedData = seedDataOf(store);
  const token = mint(store, { production_id: seedData.production });
  const vendor = mint(store, { production_id: seedData.otherProduction });
  const place = mkdtempSync(join(tmpdir(), "films-"));

  /** What ffmpeg wrote, by its arguments and the type of the file. */
  const writtenFilms = new Map<string, Buffer>();
  const made = (name: string, ...args: string[]): Buffer => {
    const file = join(place, name);
    const key = [extname(name), ...args].join(" ");
    const known = writtenFilms.get(key);
    if (known === undefined) execFileSync("ffmpeg", ["-v", "error", "-y", ...args, file]);
    else writeFileSync(file, known);
    const bytes = readFileSync(file);
    writtenFilms.set(key, bytes);
    return Buffer.from(bytes);
  };
  const bars = (size = "320x180") => ["-f", "lavfi", "-i", `testsrc=size=${size}:rate=25:duration=0.2`];
  const tone = ["-f", "lavfi", "-i", "sine=duration=0.2", "-shortest"];
  const contentOf = (id: number, query = "", key = token, headers: Record<string, string> = {}, method = "GET") =>
    server.ask(key, `/api/v1/media/${id}/content${query}`, { headers, method });
  async function stored(bytes: Buffer, name = "film"): Promise<number> {
    const form = new FormData();
    form.append("file", new Blob([bytes]), name);
    const landed = await server.ask(token, `/api/v1/assets/${seedData.asset}/versions`, { method: "POST", body: form });
    const { id } = (await landed.json()) as { id: number };
    return one(store, "SELECT id FROM media WHERE version_id = ?", id);
  }
  const bytesOf = async (response: Promise<Response>) => Buffer.from(await (await response).arrayBuffer());
  /** Asks until the preview is made, or is not to be. */
  async function previewOf(id: number): Promise<Response> {
    for (let tries = 0; tries < 300; tries++) {
      const response = await contentOf(id, "?preview=true");
      if (response.status !== 503) return response;
      assert.ok(Number(response.headers.get("retry-after")) > 0);
      await response.text();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error("the preview was not made");
  }
  const streamsOf = (bytes: Buffer): Record<string, string>[] => {
    const file = join(place, "answer.mp4");
    writeFileSync(file, bytes);
    const json = execFileSync("ffprobe", ["-v", "error", "-show_streams", "-of", "json", file], { encoding: "utf8" });
    return JSON.parse(json).streams;
  };

  const prores = ["-c:v", "prores_ks", "-profile:v", "3"];
  const kinds: [name: string, args: string[]][] = [
    ["prores.mov", [...bars(), ...tone, ...prores]],
    ["hevc.mp4", [...bars(), "-c:v", "libx265", "-x265-params", "log-level=none"]],
    ["dnxhr.mxf", [...bars("1280x720"), "-c:v", "dnxhd", "-profile:v", "dnxhr_sq", "-pix_fmt", "yuv422p"]],
    ["mjpeg.avi", [...bars(), "-c:v", "mjpeg"]],
    ["ten-bit.mp4", [...bars(), "-c:v", "libx264", "-pix_fmt", "yuv420p10le"]],
    ["four-two-two.mkv", [...bars(), "-c:v", "libx264", "-pix_fmt", "yuv422p"]],
    [
      "eight.mov",
      [
        ...bars(),
        "-f",
        "lavfi",
        "-i",
        "anullsrc=channel_layout=7.1:duration=0.2",
        "-c:v",
        "libx264",
        "-c:a",
        "pcm_s16le",
      ],
    ],
    ["av1.mp4", [...bars(), "-c:v", "libaom-av1", "-cpu-used", "8", "-b:v", "200k"]],
    ["vertical.mov", [...bars("180x320"), ...prores]],
    ["one-frame.mov", [...bars(), "-frames:v", "1", ...prores]],
    ["pictures.m1v", [...bars(), "-c:v", "mpeg1video", "-f", "mpeg1video"]],
    ["camera.m2ts", [...bars(), "-c:v", "libx264", "-f", "mpegts", "-mpegts_m2ts_mode", "1"]],
  ];

  /** A quick run makes the first, with sound. */
  for (const [name, args] of isThorough ? kinds : kinds.slice(0, 1))
    films(`${name} has a poster and a preview that every browser plays`, async () => {
      const id = await stored(made(name, ...args), name);
      const poster = await contentOf(id, "?width=160");
      assert.is(poster.status, 200);
      assert.is(poster.headers.get("content-type"), "image/jpeg");
      const [frame] = streamsOf(Buffer.from(await poster.arrayBuffer()));
      assert.is(Number(frame?.width), 160);
      const response = await previewOf(id);
      assert.is(response.status, 200);
      assert.is(response.headers.get("content-type"), "video/mp4");
      assert.match(response.headers.get("content-disposition") ?? "", /^inline; .*\.mp4/);
      const bytes = Buffer.from(await response.arrayBuffer());
      assert.ok(bytes.indexOf("moov") < bytes.indexOf("mdat"), "its index is in front");
      const streams = streamsOf(bytes);
      const [film, sound] = streams;
      assert.is(`${film?.codec_name} ${film?.pix_fmt}`, "h264 yuv420p");
      assert.is(sound?.codec_name, name === "prores.mov" || name === "eight.mov" ? "aac" : undefined);
    });

  const fromScreen = "setparams=color_primaries=bt709:color_trc=bt709:colorspace=smpte170m:range=tv";
  const toHdr = `format=yuv444p,${fromScreen},zscale=t=linear:npl=203,format=gbrpf32le,zscale=p=bt2020`;
  const hdrTags = ["-color_primaries", "bt2020", "-color_trc", "arib-std-b67", "-colorspace", "bt2020nc"];
  /** The colour of the middle of a picture or a film: red, green and blue. */
  const middleOf = (bytes: Buffer, name: string): number[] => {
    writeFileSync(join(place, name), bytes);
    const pixel = made("middle.rgb", "-i", join(place, name), "-vf", "crop=2:2,format=rgb24", "-f", "rawvideo");
    return [...pixel.subarray(0, 3)];
  };

  if (isThorough)
    films("a film of high range, and one of HD without tags, keep their colours", async () => {
      const red = ["-f", "lavfi", "-i", "color=red:size=320x180:duration=0.2"];
      const filters = `${toHdr},zscale=t=arib-std-b67:m=bt2020nc:r=tv,format=yuv422p10le`;
      const hdr = await stored(made("hdr.mov", ...red, "-vf", filters, ...hdrTags, ...prores));
      const lime = ["-f", "lavfi", "-i", "color=lime:size=1280x720:duration=0.1"];
      const hd = await stored(
        made("hd.mov", ...lime, "-vf", "scale=out_color_matrix=bt709,format=yuv422p10le", ...prores),
      );
      const [r = 0, g = 0, b = 0] = middleOf(await bytesOf(contentOf(hdr, "?width=160")), "hdr.jpg");
      assert.ok(r > 170 && g < 40 && b < 40, `red is ${r}, ${g}, ${b}`);
      const [red2 = 0, green = 0, blue = 0] = middleOf(await bytesOf(contentOf(hd, "?width=160")), "hd.jpg");
      assert.ok(red2 < 12 && green > 243 && blue < 12, `green is ${red2}, ${green}, ${blue}`);
    });

  films("a preview has ranges, HEAD and an ETag of its own", async () => {
    const id = await stored(made("again.mov", ...bars(), ...prores));
    const whole = await previewOf(id);
    const bytes = Buffer.from(await whole.arrayBuffer());
    const etag = whole.headers.get("etag") as string;
    assert.is.not(etag, (await contentOf(id, "", token, {}, "HEAD")).headers.get("etag"));
    const part = await contentOf(id, "?preview=1", token, { range: "bytes=4-11" });
    assert.is(part.status, 206);
    assert.equal(Buffer.from(await part.arrayBuffer()), bytes.subarray(4, 12));
    const head = await contentOf(id, "?preview=1", token, {}, "HEAD");
    assert.is(head.headers.get("content-length"), String(bytes.length));
    assert.is((await contentOf(id, "?preview=1", token, { "if-none-match": etag })).status, 304);
    assert.is((await contentOf(id, "?preview=false")).headers.get("content-type"), "video/quicktime");
  });

  films(
    "is 404 for what is no film, what every browser plays, and what cannot be read; 422 for other values and with width",
    async () => {
      const h264 = ["-c:v", "libx264", "-pix_fmt", "yuv420p"];
      const plain = await stored(made("plain.mp4", ...bars(), ...tone, ...h264, "-c:a", "aac"));
      const silent = await stored(made("silent.mp4", ...bars(), ...h264));
      const webm = await stored(made("plays.webm", ...bars(), "-c:v", "libvpx"));
      const text = await stored(Buffer.from("This is no film.\n"), "film.mov");
      const cut = await stored(made("cut.mov", ...bars(), ...prores).subarray(0, 3_000));
      for (const id of [plain, silent, webm, text, cut]) assert.is((await previewOf(id)).status, 404);
      for (const id of [text, cut]) {
        const answer = await contentOf(id, "?width=320");
        assert.is(answer.headers.get("etag"), (await contentOf(id)).headers.get("etag"));
      }
      for (const query of ["preview=yes", "preview=", "preview=true&width=320"])
        await assertRefused(await contentOf(plain, `?${query}`), 422);
    },
  );

  films("is the same 404 for whoever does not reach the film, and makes nothing", async () => {
    const id = await stored(made("secret.mov", ...bars("280x180"), ...prores));
    const refused = await assertRefused(await contentOf(id, "", vendor), 404);
    for (const query of ["?preview=true", "?width=320", "?preview=true&width=320"])
      assert.is(await assertRefused(await contentOf(id, query, vendor), 404), refused);
    await previewOf(id);
    for (const query of ["?preview=true", "?width=320"])
      assert.is(await assertRefused(await contentOf(id, query, vendor), 404), refused);
    const sha256 = one<string>(store, "SELECT sha256 FROM media WHERE id = ?", id);
    assert.not.ok(existsSync(join(folder, "pictures", sha256.slice(0, 2), `${sha256}-320.poster`)));
  });

  films("a file that names another film shows nothing of it", async () => {
    const other = join(place, "other.mov");
    made("other.mov", ...bars(), ...prores);
    const playlist = `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:${other}\n#EXT-X-ENDLIST\n`;
    const dash = `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><Period><AdaptationSet><Representation><BaseURL>file:${other}</BaseURL></Representation></AdaptationSet></Period></MPD>`;
    const imf = `<?xml version="1.0"?><CompositionPlaylist xmlns="http://www.smpte-ra.org/schemas/2067-3/2016"><AssetMap><Path>file:${other}</Path></AssetMap></CompositionPlaylist>`;
    for (const text of [`ffconcat version 1.0\nfile '${other}'\n`, playlist, dash, imf]) {
      const id = await stored(Buffer.from(text), "list.mov");
      assert.is((await previewOf(id)).status, 404);
      assert.is((await contentOf(id, "?width=320")).headers.get("etag"), (await contentOf(id)).headers.get("etag"));
    }
  });

  /** A QuickTime film without a picture of its own: an alias in its header names the file that has them. */
  function referring(film: Buffer, other: string): Buffer {
    const path = ["moov", "trak", "mdia", "minf", "dinf", "dref"];
    const places: number[] = [];
    for (let [from, depth] = [0, 0]; depth < path.length; depth++) {
      while (film.toString("latin1", from + 4, from + 8) !== path[depth]) from += film.readUInt32BE(from);
      places.push(from);
      from += 8;
    }
    const name = Buffer.from(other);
    const alias = Buffer.alloc(162 + 4 + name.length + (name.length % 2) + 4);
    alias.writeUInt32BE(alias.length);
    alias.write("alis", 4, "latin1");
    let at = 12 + 10;
    alias.writeUInt8(0, at); // the name of a volume, then that of a file, then two levels of folders: all empty
    at += 28 + 12 + 64 + 16 + 4 + 16;
    alias.writeUInt16BE(2, at); // an absolute path
    alias.writeUInt16BE(name.length, at + 2);
    name.copy(alias, at + 4);
    alias.writeUInt16BE(0xffff, at + 4 + name.length + (name.length % 2));
    const dref = places.at(-1) as number;
    const end = dref + film.readUInt32BE(dref);
    const refers = Buffer.concat([film.subarray(0, dref + 16), alias, film.subarray(end, film.indexOf("mdat") - 4)]);
    const more = alias.length - (end - dref - 16);
    for (const place of places) refers.writeUInt32BE(refers.readUInt32BE(place) + more, place);
    return refers;
  }

  films("a QuickTime film that refers to another film shows nothing of it", async () => {
    const other = join(place, "other.mov");
    const film = made("other.mov", ...bars(), ...prores, "-movflags", "+faststart");
    const refers = referring(film, other);
    const file = join(place, "refers.mov");
    writeFileSync(file, refers);
    // With other options ffmpeg shows the other film: so this file does refer to it.
    const follows = ["-enable_drefs", "1", "-use_absolute_path", "1", "-i", file, "-frames:v", "1"];
    assert.ok(made("followed.png", ...follows).length > 0);
    const id = await stored(refers, "refers.mov");
    const { status, headers } = await contentOf(id, "?width=320");
    assert.is(status, 200);
    assert.is(headers.get("etag"), (await contentOf(id)).headers.get("etag"), "no poster");
    assert.is((await previewOf(id)).status, 404);
  });

  films("a film that is turned is shown upright", async () => {
    const film = made("turned.mov", ...bars(), ...prores);
    const matrix = film.indexOf("tkhd") + 44;
    const quarter = [0, 0x10000, 0, 0xffff0000, 0, 0, 180 << 16, 0, 0x40000000];
    for (const [at, number] of quarter.entries()) film.writeUInt32BE(number, matrix + 4 * at);
    const id = await stored(film, "turned.mov");
    const [poster] = streamsOf(Buffer.from(await (await contentOf(id, "?width=160")).arrayBuffer()));
    assert.is(`${poster?.width}x${poster?.height}`, "160x284");
    const [preview] = streamsOf(Buffer.from(await (await previewOf(id)).arrayBuffer()));
    assert.is(`${preview?.width}x${preview?.height}`, "180x320");
  });

  films("both go with their film", async () => {
    const id = await stored(made("goes.mov", ...bars("300x180"), ...prores));
    await (await previewOf(id)).arrayBuffer();
    await (await contentOf(id, "?width=160")).arrayBuffer();
    const sha256 = one<string>(store, "SELECT sha256 FROM media WHERE id = ?", id);
    const kept = () =>
      readdirSync(join(folder, "pictures", sha256.slice(0, 2))).filter((name) => name.startsWith(sha256));
    assert.is(kept().length, 2);
    await runTimer(app);
    assert.is(kept().length, 2);
    store.writeSync(() => {
      store.database.prepare("DELETE FROM media WHERE id = ?").run(id);
      store.database.prepare("DELETE FROM blobs WHERE sha256 = ?").run(sha256);
    });
    await runTimer(app);
    assert.is(kept().length, 0);
  });

  films.after(async () => {
    await server.close();
    rmSync(place, { recursive: true });
  });
  films.run();
}

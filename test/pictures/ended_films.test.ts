// GET /media/{id}/content of films whose poster or preview took too long, or whose process the system ended: it is
// tried again later. Stand-ins for ffmpeg and ffprobe are in front of PATH, so the machine needs neither.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer, temporaryFolder } from "../support/app.ts";
import { seedDataOf } from "../support/seed_data.ts";

const programs = join(temporaryFolder(), "programs");
const ends = join(programs, "ends");
const asked = join(programs, "asked");
const lost = join(programs, "lost");
mkdirSync(programs);
const program = (name: string, text: string) =>
  writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
const description = JSON.stringify({
  streams: [{ codec_type: "video", codec_name: "prores", pix_fmt: "rgb48" }],
  format: { duration: "1" },
});
program("ffprobe", `[ -e ${lost} ] && kill -9 $$\necho '${description}'`);
// The last argument is "file:" and where the poster or the preview is written.
program(
  "ffmpeg",
  `echo >> ${asked}\n[ -e ${ends} ] && kill -9 $$\nfor last; do :; done\necho a film > "\${last#file:}"`,
);
process.env.PATH = `${programs}${delimiter}${process.env.PATH}`;

let now = Date.parse("2026-11-24T09:00:00Z");
const server = await openTestServer({ clock: () => now });
const { store } = server;
const seedData = seedDataOf(store);
const token = mint(store, { production_id: seedData.production });

const films = suite("films whose program was ended");
films.after(() => server.stop());

/** A QuickTime film, as far as its type goes. */
async function stored(name: string): Promise<number> {
  const form = new FormData();
  form.append("file", new Blob([`\0\0\0\x14ftypqt  \0\0\0\0qt  ${name}`]), name);
  const landed = await server.ask(token, `/api/v1/assets/${seedData.asset}/versions`, { method: "POST", body: form });
  const { id } = (await landed.json()) as { id: number };
  return one(store, "SELECT id FROM media WHERE version_id = ?", id);
}

const contentOf = (id: number, query: string) => server.ask(token, `/api/v1/media/${id}/content${query}`);

/** The answer once it is not "later". */
async function settled(id: number, query: string): Promise<Response> {
  for (let tries = 0; tries < 200; tries++) {
    const response = await contentOf(id, query);
    if (response.status !== 503) return response;
    await response.arrayBuffer();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${query} is never answered`);
}

for (const [what, flag] of [
  ["ffmpeg", ends],
  ["ffprobe", lost],
] as const)
  films(`where ${what} was ended there is no poster for ten minutes and no preview for a day`, async () => {
    const id = await stored(what);
    writeFileSync(flag, "");
    assert.is((await settled(id, "?preview=true")).status, 404);
    assert.is((await settled(id, "?width=320")).headers.get("content-type"), "video/quicktime");
    rmSync(asked, { force: true });
    rmSync(flag);
    const later = (minutes: number) => {
      now += minutes * 60_000;
    };
    later(9);
    assert.is((await contentOf(id, "?width=320")).headers.get("content-type"), "video/quicktime");
    assert.not.ok(existsSync(asked), "nothing was tried");
    later(2);
    assert.is((await settled(id, "?width=320")).headers.get("content-type"), "image/jpeg");
    if (what === "ffmpeg") {
      later(23 * 60);
      assert.is((await contentOf(id, "?preview=true")).status, 404);
      later(2 * 60);
    }
    const preview = await settled(id, "?preview=true");
    assert.is(preview.status, 200);
    assert.is(await preview.text(), "a film\n");
  });

films.run();

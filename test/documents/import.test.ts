// Thorough: only --all runs it.
import { globSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { importDocument } from "../../src/features/documents/changes/creating.ts";
import { exportDocument } from "../../src/features/documents/export/export.ts";
import { readDocument } from "../../src/features/documents/read/whole.ts";
import { writeLarger } from "../support/larger.ts";
import { isThorough } from "../support/proportion.ts";
import { imported, joined, now, openEmpty, scratch, smallDocument, writeDocument } from "../support/small_document.ts";
import type { Opened } from "../support/template.ts";

const importing = suite("import");

/** Without the mark that says which database the folder belongs to. */
const mediaFiles = ({ folder }: Opened): string[] =>
  globSync("media/**/*", { cwd: folder })
    .filter((path) => path !== join("media", "database.json"))
    .filter((path) => statSync(join(folder, path)).isFile());
const tables = ["productions", "nodes", "versions", "media", "blobs", "activity", "storage_tasks"];
const rowsIn = ({ store }: Opened): number[] =>
  tables.map((table) => store.database.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number);

async function refusedBy(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return (error as Error).message;
  }
  assert.unreachable("no error was thrown");
  return "";
}

importing("writes every row and stores every media file", async () => {
  const opened = await imported(writeDocument(smallDocument()));
  assert.is(opened.store.database.pragma("foreign_key_check", { simple: false }) && rowsIn(opened)[3], 6);
  assert.is(mediaFiles(opened).length, 6);
  assert.not.ok(mediaFiles(opened).some((path) => path.includes("staging")));
  opened.store.close();
});

importing("assigns ids in the document's order, starting at the first free one", async () => {
  const opened = await imported(writeDocument(smallDocument()));
  const second = smallDocument();
  second.production.title = "Second";
  await importDocument(opened.store, opened.blobs, readDocument(writeDocument(second)), { now });
  const labels = opened.store.database.prepare("SELECT id || ' ' || label FROM nodes ORDER BY id").pluck().all();
  assert.equal(labels.slice(5), ["6 INT. HUT - DAY", "7 EXT. SEA - NIGHT", "8 Coat", "9 Coat", "10 Hero"]);
  const text = await joined(exportDocument(opened.store, opened.blobs, 2));
  assert.is(text.replace('"Second"', '"Small"'), await joined(exportDocument(opened.store, opened.blobs, 1)));
  opened.store.close();
});

importing("refuses a title that exists, in any case, and stores nothing", async () => {
  const opened = await imported(writeDocument(smallDocument()));
  const before = [rowsIn(opened), mediaFiles(opened).sort()];
  const again = smallDocument();
  again.production.title = "SMALL";
  again.ingredients[0].media.base64 = Buffer.from("other bytes").toString("base64");
  const message = await refusedBy(
    importDocument(opened.store, opened.blobs, readDocument(writeDocument(again)), { now }),
  );
  assert.match(message, /production\.title is taken: production 1 is "SMALL" already/);
  assert.equal([rowsIn(opened), mediaFiles(opened).sort()], before);
  opened.store.close();
});

importing("stores neither rows nor bytes, staged or placed, if it fails midway", async () => {
  const opened = await openEmpty();
  const read = readDocument(writeDocument(smallDocument()));
  const hook = () => {
    throw new Error("the audit entry could not be written");
  };
  const message = await refusedBy(importDocument(opened.store, opened.blobs, read, { now, record: hook }));
  assert.is(message, "the audit entry could not be written");
  assert.equal(
    rowsIn(opened),
    tables.map(() => 0),
  );
  assert.equal(mediaFiles(opened), []);
  opened.store.close();
});

importing("keeps the bytes of other productions if it fails", async () => {
  const opened = await imported(writeDocument(smallDocument()));
  const before = mediaFiles(opened).sort();
  const second = smallDocument();
  second.production.title = "Second";
  const hook = () => {
    throw new Error("no");
  };
  await refusedBy(
    importDocument(opened.store, opened.blobs, readDocument(writeDocument(second)), { now, record: hook }),
  );
  assert.equal(mediaFiles(opened).sort(), before);
  opened.store.close();
});

importing("stores nothing if a media file disappears after the document was read", async () => {
  const opened = await openEmpty();
  const document = smallDocument();
  delete document.deliveries[0].media[0].base64;
  document.deliveries[0].media[0].file = "document.json";
  const file = writeDocument(document);
  const read = readDocument(file);
  rmSync(file);
  assert.match(await refusedBy(importDocument(opened.store, opened.blobs, read, { now })), /ENOENT/);
  assert.equal(mediaFiles(opened), []);
  assert.is(rowsIn(opened)[0], 0);
  opened.store.close();
});

importing("returns what it imported", async () => {
  const opened = await openEmpty();
  const read = readDocument(writeDocument(smallDocument()));
  const counted = await importDocument(opened.store, opened.blobs, read, { now });
  assert.equal([counted.scenes, counted.assets, counted.versions, counted.media], [2, 3, 2, 6]);
  opened.store.close();
});

importing("takes the bytes of media from files", async () => {
  const folder = scratch();
  const document = smallDocument();
  delete document.ingredients[0].media.base64;
  document.ingredients[0].media.file = "document.json";
  const file = writeDocument(document, folder);
  const opened = await imported(file);
  const sha256 = opened.store.database
    .prepare("SELECT sha256 FROM media WHERE ingredient_id = 1")
    .pluck()
    .get() as string;
  assert.ok(opened.blobs.read(sha256).equals(readFileSync(file)));
  opened.store.close();
});

importing("of a whole document takes more people than an update brings a production to", async () => {
  const document = smallDocument();
  for (let n = 0; n < 30_001; n++) document.people.push({ name: `Extra ${n}`, role: "extra" });
  const opened = await openEmpty();
  await importDocument(opened.store, opened.blobs, readDocument(writeDocument(document)), { now });
  const people = opened.store.database.prepare("SELECT count(*) FROM people").pluck().get();
  assert.is(people, document.people.length);
  opened.store.close();
});

importing("reports progress and exports a larger production unchanged", async () => {
  const file = join(scratch(), "larger.json");
  const [scenes, assets] = isThorough ? [2000, 10_000] : [500, 2500];
  await writeLarger(file, { scenes, assets, versions: 2, engagements: 3 });
  const opened = await openEmpty();
  const seen: number[] = [];
  const counted = await importDocument(opened.store, opened.blobs, readDocument(file), {
    now,
    progress: (n) => seen.push(n),
  });
  assert.equal([counted.scenes, counted.assets, counted.versions], [scenes, assets, 2 * assets]);
  assert.ok(
    seen.length >= (isThorough ? 4 : 1) && seen.every((rows, at) => at === 0 || rows > (seen[at - 1] as number)),
  );
  const exported = await joined(exportDocument(opened.store, opened.blobs, counted.production_id));
  const squeezed = (text: string) => text.replace(/\n */g, "").replace(/": /g, '":');
  assert.ok(squeezed(exported) === squeezed(readFileSync(file, "utf8")));
  opened.store.close();
});

importing.run();

// tallylight export: a production out as the document that imports again, to standard output or into a folder.
import { once } from "node:events";
import { copyFileSync, createWriteStream, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { findProduction } from "../access/productions.ts";
import { exportBeside, exportDocument, fileNameOf } from "../document/export.ts";
import { type Data, openData, using } from "./data.ts";
import type { Answer, Command } from "./front.ts";

/** Writes pieces no faster than they are taken. */
async function pour(pieces: Iterable<string> | AsyncIterable<string>, stream: Writable): Promise<void> {
  let waiting = "";
  for await (const piece of pieces) {
    waiting += piece;
    if (waiting.length < 1 << 16) continue;
    if (!stream.write(waiting)) await once(stream, "drain");
    waiting = "";
  }
  if (!stream.write(waiting)) await once(stream, "drain");
}

async function writeBeside(
  { store, blobs }: Data,
  production: { id: number; title: string },
  out: string,
): Promise<Answer> {
  const name = fileNameOf(production.title, "production");
  const { lines, media } = exportBeside(store, production.id, `media/${name}`);
  mkdirSync(media.size > 0 ? join(out, "media", name) : out, { recursive: true });
  for (const [file, sha256] of media) copyFileSync(blobs.fileOf(sha256), join(out, file));
  const file = join(out, `${name}.json`);
  const stream = createWriteStream(`${file}.part`);
  await pour(lines, stream);
  stream.end();
  await once(stream, "finish");
  renameSync(`${file}.part`, file); // a document there is a whole one, and names media that are there
  return { document: { file, media: media.size }, lines: [`${file}, and ${media.size} media beside it`] };
}

export const exportCommand: Command = {
  words: "export",
  summary: "writes a production as a document, media within it, to standard output",
  flags: {
    production: { value: "ID", required: true, summary: "the production" },
    out: { value: "DIR", summary: "writes DIR/<title>.json with its media as files beside it instead" },
  },
  run: (given) =>
    using(openData(given.data), async (data) => {
      const production = findProduction(data.store, given.text("production") as string);
      const out = given.text("out");
      if (out !== undefined) return writeBeside(data, production, out);
      await pour(exportDocument(data.store, data.blobs, production.id), process.stdout);
      return undefined;
    }),
};

// tallylight export: a production out as the document that imports again, to standard output or into a folder.
import { once } from "node:events";
import type { Writable } from "node:stream";
import { writeBeside } from "../document/beside.ts";
import { exportBeside, exportDocument, fileNameOf } from "../document/export.ts";
import { larger } from "../document/pieces.ts";
import type { Answer, Command } from "./arguments.ts";
import { type Data, openData, productionOf, using } from "./data.ts";

/** Writes pieces no faster than they are taken. */
async function pour(pieces: AsyncIterable<string>, stream: Writable): Promise<void> {
  for await (const piece of larger(pieces)) if (!stream.write(piece)) await once(stream, "drain");
}

async function exportInto(
  { store, blobs }: Data,
  production: { id: number; title: string },
  options: { folder: string; force: boolean },
): Promise<Answer> {
  const name = fileNameOf(production.title, "production");
  const beside = exportBeside(store, production.id, `media/${name}`);
  const { file } = await writeBeside(blobs, beside, { name, ...options });
  const media = beside.media.size;
  return { document: { file, media }, lines: [`${file}, and ${media} media beside it`] };
}

export const exportCommand: Command = {
  words: "export",
  summary: "writes a production as a document, media within it, to standard output",
  flags: {
    production: { value: "ID", required: true, summary: "the production" },
    out: { value: "DIR", summary: "writes DIR/<title>.json with its media as files beside it instead" },
    force: { summary: "with --out: overwrites files that have other content" },
  },
  run: (args) =>
    using(openData(args.data), async (data) => {
      const production = productionOf(data.store, args);
      const folder = args.text("out");
      if (folder !== undefined) return exportInto(data, production, { folder, force: args.has("force") });
      await pour(exportDocument(data.store, data.blobs, production.id), process.stdout);
      return undefined;
    }),
};

// tallylight storage install; tallylight storage moves list, add.
import { addMove, installStorage, listMoves } from "../access/administration.ts";
import { findProduction } from "../access/productions.ts";
import type { Store } from "../store/database.ts";
import { type Command, type ParsedArgs, tabled } from "./arguments.ts";
import { openData, using } from "./data.ts";

const inProduction = { production: { value: "ID", required: true, summary: "the production" } } as const;
const productionOf = (store: Store, args: ParsedArgs): number =>
  findProduction(store, args.text("production") as string).id;
const columns = ["id", "filespace", "status", "src", "dst", "note", "settled_at"];

const install: Command = {
  words: "storage install",
  summary: "makes a filespace the production's active one",
  flags: { ...inProduction, filespace: { value: "NAME", required: true, summary: "the filespace" } },
  run: (args) =>
    using(openData(args.data), ({ store }) => {
      const filespace = args.text("filespace") as string;
      const { install, summary } = installStorage(
        store,
        { production_id: productionOf(store, args), filespace },
        args.now,
      );
      return { document: install, lines: [summary ?? `${filespace} is the active filespace already`] };
    }),
};

const moves: Command = {
  words: "storage moves list",
  summary: "shows the approved file moves and how they ended",
  flags: inProduction,
  run: (args) =>
    using(openData(args.data), ({ store }) => {
      const rows = listMoves(store, { production_id: productionOf(store, args) });
      return { document: rows, lines: tabled(rows as never, columns) };
    }),
};

const move: Command = {
  words: "storage moves add",
  summary: "approves a file move, which the storage agent finds at its next poll",
  flags: {
    ...inProduction,
    src: { value: "PATH", required: true, summary: "where the file is in the filespace" },
    dst: { value: "PATH", required: true, summary: "where it goes" },
  },
  run: (args) =>
    using(openData(args.data), ({ store }) => {
      const paths = { src: args.text("src") as string, dst: args.text("dst") as string };
      const added = addMove(store, { production_id: productionOf(store, args), ...paths }, args.now);
      return { document: added, lines: tabled([added] as never, columns) };
    }),
};

export const storageCommands: readonly Command[] = [install, moves, move];

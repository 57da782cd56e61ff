// tallylight storage install, storage moves list, storage moves add: the active filespace and its file moves.
import type { Command } from "../../core/command.ts";
import { rowsOutput } from "../../core/tables.ts";
import { dataCommand } from "../../graph/data_command.ts";
import { addMove, installStorage, listMoves } from "./storage_install.ts";

const inProduction = { production: { value: "ID", required: true, summary: "the production" } } as const;
const columns = ["id", "filespace", "status", "src", "dst", "note", "settled_at"] as const;

export const commands: readonly Command[] = [
  dataCommand({
    words: "storage install",
    summary: "makes a filespace the active one",
    details: "That of the production.",
    example: "tallylight storage install --production 1 --filespace show-main",
    flags: { ...inProduction, filespace: { value: "NAME", required: true, summary: "the filespace" } },
    run: (args, admin) => {
      const filespace = args.required("filespace");
      const { install, summary } = installStorage(admin, { production_id: args.production.id, filespace });
      return { document: install, lines: [summary ?? `${filespace} is already the active filespace`] };
    },
  }),
  dataCommand({
    words: "storage moves list",
    summary: "lists approved file moves and results",
    example: "tallylight storage moves list --production 1",
    flags: inProduction,
    run: ({ production }, { store }) => rowsOutput(listMoves(store, { production_id: production.id }), columns),
  }),
  dataCommand({
    words: "storage moves add",
    summary: "approves a file move",
    details: "The storage agent gets it at its next poll.",
    example: "tallylight storage moves add --production 1 --src in/a.mov --dst out/a.mov",
    flags: {
      ...inProduction,
      src: { value: "PATH", required: true, summary: "the file's path in the filespace" },
      dst: { value: "PATH", required: true, summary: "the file's new path" },
    },
    run: (args, admin) => {
      const paths = { src: args.required("src"), dst: args.required("dst") };
      const added = addMove(admin, { production_id: args.production.id, ...paths });
      return { ...rowsOutput([added], columns), document: added };
    },
  }),
];

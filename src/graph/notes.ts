// Notes on assets: list them, and add one. A version shows its newest note; the list has all of them.
import * as v from "valibot";
import { unprocessable } from "../core/errors.ts";
import * as input from "../core/inputs.ts";
import { operation, reading } from "../core/operation.ts";
import { change } from "../core/store/statements.ts";
import { recordActivity } from "./activity.ts";
import { keepVersionNote, requireAsset } from "./assets.ts";
import { touchNode } from "./nodes.ts";
import { maxNoteLength, note, notePlace } from "./note.ts";

const { describe } = input;

const insertNote = change("create_note");
const putVersionNote = change("put_version_note");

export const listNotes = reading({
  name: "list_notes",
  summary: "Lists every note on an asset, newest first, also those that a newer note of the same version has replaced.",
  path: "/assets/:node_id/notes",
  scope: "read",
  output: v.array(note),
  authorize: requireAsset,
});

export const getNote = reading({
  name: "get_note",
  summary: "Returns one note on an asset.",
  path: "/notes/:note_id",
  scope: "read",
  output: note,
});

export const createNote = operation({
  hints: ["replaces"],
  name: "create_note",
  summary:
    "Adds a note to an asset: to its newest version, which then shows it, or to the activity feed if it has no version.",
  method: "POST",
  path: "/assets/:node_id/notes",
  scope: "write",
  input: v.object({
    text: input.text(maxNoteLength),
    author: v.optional(describe(input.lineLabel(300), "The author; the key's label by default.")),
    place: v.optional(
      describe(
        notePlace,
        "The place on the still of the newest version that it is about. The asset must have a version.",
      ),
    ),
  }),
  output: note,
  authorize: requireAsset,
  run: (context, { node_id, text, author: named, place = null }) =>
    context.write((context) => {
      const { app, caller, now } = context;
      const { production_id } = caller;
      const author = named ?? caller.label;
      const { label, version_id, version } = requireAsset(context, { node_id });
      if (place !== null && version_id === null)
        throw unprocessable("place needs a version of the asset, and it has none; nothing was recorded");
      if (version_id !== null) {
        keepVersionNote(app.store, { production_id, version_id, now });
        putVersionNote(app.store, { production_id, version_id, text });
      }
      const { id } = insertNote(app.store, {
        ...{ production_id, node_id, version_id, text, author, now },
        place: place && JSON.stringify(place),
      });
      touchNode(app.store, { production_id, node_id, now });
      const on = version === null ? label : `${label} v${version}`;
      const by = author === caller.label ? "" : ` by ${author}`;
      recordActivity(
        context,
        { verb: "note.added", summary: `Note on ${on}${by}: ${text}`, node_id },
        { type: "note.created", subject: { kind: "note", id }, data: { node_id, version_id } },
      );
      return { id, node_id, version_id, text, author, created_at: now, place };
    }),
});

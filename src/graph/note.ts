// The schema of a note on an asset, and how long a note is. In a file of its own, because assets.ts lists notes and
// notes.ts asks assets.ts for the asset.
import * as v from "valibot";
import { describe } from "../core/inputs.ts";
import * as out from "../core/records.ts";

/** In characters: the activity entry also has the names of who and what, and at most 10,000 characters. */
export const maxNoteLength = 9_000;

const fraction = (what: string) => describe(v.pipe(v.number(), v.minValue(0), v.maxValue(1)), what);

/** A place on a still. */
export const notePlace = v.object({
  x: fraction("How far from the left edge: 0 is the left edge, 1 the right one."),
  y: fraction("How far from the top: 0 is the top, 1 the bottom."),
});

/** A note. */
export const note = out.record(
  "Note",
  v.object({
    id: out.id,
    node_id: out.id,
    version_id: describe(v.nullable(out.id), "Null if the asset had no version and the note became an activity entry."),
    text: out.text,
    author: out.text,
    created_at: out.timestamp,
    place: describe(v.nullable(notePlace), "The place on the still of the version that it is about; null without one."),
  }),
);

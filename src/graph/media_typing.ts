// Detects the types of stored files again after an upgrade that detects more: in the background, a few files at a time.
// It goes on after a restart where it was.
import { type FileHandle, open } from "node:fs/promises";
import type { App } from "../core/context.ts";
import { isDamage } from "../core/errors.ts";
import type { Serving } from "../core/serving.ts";
import { headBytes, sniff } from "../core/store/media_types.ts";
import { change, many, value } from "../core/store/statements.ts";
import { timestampOf } from "../core/times.ts";

interface Typed {
  sha256: string;
  content_type: string;
}

const typedTo = value<object, string>("get_media_typing");
const setTyped = change("set_media_typing");
const endTyping = change("end_media_typing");
const listBlobs = many<{ last: string; limit: number }, Typed>("list_typed_blobs");
const setTypes = change("set_blob_types");
const touchMedia = change("touch_typed_media");

/** How many files are typed between two rests, and how long a rest is, in milliseconds. */
const pieceOf = 50;
const rest = 100;

/** The beginning of a file; undefined if it is missing or cannot be read. */
async function beginningOf(file: string): Promise<Buffer | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, "r");
    const head = Buffer.alloc(headBytes);
    return head.subarray(0, (await handle.read(head, 0, head.length, 0)).bytesRead);
  } catch {
    return undefined;
  } finally {
    await handle?.close();
  }
}

/** Types the files after `last`. Returns the last of them; undefined if there is none any more. */
async function typePiece(app: App, last: string): Promise<string | undefined> {
  const { store, blobs } = app;
  const types: Record<string, string> = {};
  const piece = listBlobs(store, { last, limit: pieceOf });
  for (const { sha256, content_type } of piece) {
    const head = await beginningOf(blobs.fileOf(sha256));
    const type = head === undefined ? content_type : sniff(head); // a missing file keeps its type
    if (type !== content_type) types[sha256] = type;
  }
  const end = piece.at(-1)?.sha256;
  const isChanged = Object.keys(types).length > 0;
  const given = { types: JSON.stringify(types), now: timestampOf(app) };
  const record = (): void => {
    if (isChanged) {
      setTypes(store, { types: given.types });
      touchMedia(store, given);
    }
    if (end === undefined) endTyping(store, {});
    else setTyped(store, { last: end });
  };
  await store.write(record, isChanged ? {} : { durable: false, reports: true });
  return end;
}

/** Types every file that an older version has typed. `isOver` says whether the server ends. */
async function typeMedia(app: App, isOver: () => boolean = () => false): Promise<void> {
  if (app.blobs.absence() !== undefined) return;
  for (let at = typedTo(app.store, {}); at !== undefined && !isOver(); ) {
    at = await typePiece(app, at);
    await new Promise((resolve) => void setTimeout(resolve, rest).unref());
  }
}

export function start({ app, onListening }: Serving): void {
  if (app.copy !== undefined || app.store.unwritable !== undefined) return;
  let isOver = false;
  app.onClose(() => {
    isOver = true;
  });
  onListening(() => {
    typeMedia(app, () => isOver).catch((error: unknown) => {
      if (isDamage(error)) throw error; // otherwise the next start goes on
    });
  });
}

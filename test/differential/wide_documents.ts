// Random partial documents about several things of a production, with every kind of field: values, null, lists,
// references, renames and orders.
import type { Json } from "../support/update.ts";
import { integer, type Known, pick } from "./known.ts";
import { ofPaperwork } from "./wide_paperwork.ts";
import { ofScript } from "./wide_script.ts";

const makings = [...ofScript, ...ofPaperwork];

/** A document of one to three sections. */
export const wideDocument = (known: Known): Json =>
  Object.assign({}, ...Array.from({ length: 1 + integer(known, 3) }, () => pick(known, makings)(known)));

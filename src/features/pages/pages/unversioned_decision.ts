// Decides an approval whose page showed no version: a version that came since is signed by nobody who has not seen it.
// The operation is not one of the API, so its file has no other.
import type * as v from "valibot";
import type { WithIds } from "../../../core/ids.ts";
import { decideApproval, decideStepIn } from "../../../graph/approvals.ts";

type Given = WithIds<v.InferOutput<typeof decideApproval.input>>;

export const decideUnversioned: typeof decideApproval = {
  ...decideApproval,
  name: "decide_unversioned",
  run: (context, given) =>
    // The row is run with what its input has checked.
    context.write((context) => decideStepIn(context, { ...(given as Given), version_id: null })),
};

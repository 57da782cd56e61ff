// Vendors' turnovers: the deliveries within an engagement's reach, and the work handed in on them.
import { type Context, reach } from "../context.ts";
import { forbidden, notFound } from "../errors.ts";
import type { Upload } from "../inputs.ts";
import { cleanLabel, createMedia } from "../store/media.ts";
import { recordActivity } from "./activity.ts";

interface Turnover {
  id: number;
  title: string;
  can_submit: 0 | 1;
}

/** The delivery that the caller may hand work in on. Throws 403 without an engagement or with a read grant alone, else 404. */
export function requireTurnover(context: Context, { delivery_id }: { delivery_id: number }): Turnover {
  if (context.caller.engagement_id === null)
    throw forbidden("this key is bound to no engagement, so there is none to submit as");
  const turnover = context.app.store.get<Turnover>("get_turnover", { ...reach(context), delivery_id });
  if (turnover === undefined) throw notFound();
  if (turnover.can_submit === 0) throw forbidden("the key's engagement has no live submit grant on this delivery");
  return turnover;
}

interface Submission {
  delivery_id: number;
  title?: string | undefined;
  note?: string | undefined;
  files: Upload[];
}

/** POST /turnovers/{delivery_id}/submissions */
export async function submitTurnover(context: Context, { delivery_id, title, note, files }: Submission) {
  await context.app.blobs.prepare(files.map(({ staged }) => staged));
  return context.write((context) => {
    const { app, caller, now } = context;
    const { store, blobs } = app;
    const turnover = requireTurnover(context, { delivery_id }); // again: the upload took its time
    const { production_id, engagement_id, label: created_by } = caller;
    const named = title ?? turnover.title;
    const { id } = store.run("create_submission", {
      production_id,
      delivery_id,
      engagement_id,
      title: named,
      note: note ?? null,
      created_by,
      now,
    });
    files.forEach(({ file_name, staged }, at) => {
      const label = cleanLabel(file_name, `file ${at + 1}`);
      const media = {
        production_id,
        delivery_id,
        work_item_id: id,
        kind: "submission",
        label,
        created_by,
        created_at: now,
      };
      createMedia(store, blobs, staged, media, now);
    });
    recordActivity(context, { verb: "turnover.submitted", summary: `Submitted ${named} on ${turnover.title}` });
    return store.json("get_submission", { production_id, id }) as string;
  });
}

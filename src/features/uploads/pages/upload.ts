// A resumable upload of a page's script. The session and its proof have been checked.
import type { RequestContext } from "../../../core/http/request_context.ts";
import { uploadsPath } from "../../addresses/paths.ts";
import { scriptUploadsPath } from "../../pages/form_parts.ts";
import { uploadsTransport } from "../route.ts";

export async function answerUpload(ctx: RequestContext): Promise<void> {
  ctx.path = uploadsPath + ctx.path.slice(scriptUploadsPath.length);
  await uploadsTransport.answer(ctx);
}

// One-time links: they open a browser session for the admin of this server, for one production.
import { HttpError } from "../../core/errors.ts";
import type { ProductionId } from "../../core/ids.ts";
import type { Admin } from "../../graph/admin.ts";
import { recordAction } from "../../graph/audit.ts";
import { findProduction, listProductions } from "../../graph/find_production.ts";
import { addBeginLink } from "./first_visit.ts";
import { createSignInLink } from "./sessions.ts";

export interface AdminLink {
  /** Null if there is none yet: the link then begins the first one. */
  production_id: ProductionId | null;
  production: string | null;
  /** The address of the link. It works once, for linkLifetime or, with no production yet, for beginLinkLifetime. */
  link: string;
}

/** The path of a link. Its secret is in the query, which no log contains. */
export const openPath = "/open";

function createBeginLink(admin: Admin, url: string): AdminLink {
  return admin.store.writeSync(() => {
    recordAction(admin, { action: "link.created", production_id: null, detail: {} });
    return { production_id: null, production: null, link: addBeginLink(admin.store, url, admin.now) };
  });
}

/**
 * Creates a one-time link to the server at `url`. `named` is the id or title of a production; it may be absent if the
 * directory has only one or none. Throws 404 if there is no such production, 422 if it is absent and there are several.
 */
export function createAdminLink(admin: Admin, url: string, named: string | undefined): AdminLink {
  const { store, now } = admin;
  const productions = listProductions(store);
  const [only] = productions;
  if (only === undefined && named === undefined) return createBeginLink(admin, url);
  const chosen = productions.length > 1 ? undefined : only;
  if (named === undefined && chosen === undefined) {
    const listed = productions.map(({ id, title }) => `${id} (${title})`).join(", ");
    throw new HttpError(422, `--production is required, because there are several productions: ${listed}`);
  }
  const production = chosen !== undefined && named === undefined ? chosen : findProduction(store, named ?? "");
  const { id: production_id } = production;
  return store.writeSync(() => {
    const secret = createSignInLink(store, production_id, now);
    recordAction(admin, { action: "link.created", production_id, detail: {} });
    return { production_id, production: production.title, link: `${url}${openPath}?link=${secret}` };
  });
}

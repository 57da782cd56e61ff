// What people may do on a show, in three roles.
import type { Scope } from "../../../core/access/callers.ts";
import { html, type Markup } from "../../pages/html.ts";

interface Role {
  name: string;
  /** What it is for, where one is chosen. */
  about: string;
  /** What somebody who has it does. */
  does: string;
  scopes: readonly Scope[];
}

/** A vendor has none: what its grants need decides what its key may do. */
export const roles: Readonly<Record<string, Role>> = {
  look: { name: "Look", about: "See everything but money, change nothing", does: "looks", scopes: ["read"] },
  work: {
    name: "Work",
    about: "Also decide what is theirs, add versions and notes",
    does: "works",
    scopes: ["read", "write"],
  },
  run: {
    name: "Run the show",
    about: "Also change the schedule, script, crew and deliveries",
    does: "runs the show",
    scopes: ["read", "write", "edit"],
  },
};

/** The role of new people unless another one is chosen. */
const usual = "work";

/** The choice of one of them. */
export const roleChoice = (given: string | undefined): Markup =>
  html`<fieldset><legend>They may</legend>${Object.entries(roles).map(
    ([value, { name, about }]) =>
      html`<label class="choice"><input type="radio" name="role" value="${value}"${value === (given || usual) && html` checked`}><span><b>${name}</b><span class="under">${about}</span></span></label>`,
  )}</fieldset>`;

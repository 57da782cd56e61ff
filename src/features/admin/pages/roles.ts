// What people may do on a show, in three roles.
import type { Scope } from "../../../core/access/callers.ts";
import { html, type Markup } from "../../pages/html.ts";

export interface Role {
  name: string;
  /** What it is for, where one is chosen. */
  about: string;
  /** What somebody who has it does. */
  does: string;
  scopes: readonly Scope[];
  /** What it was called before. */
  formerly: string;
}

/** A vendor has none: what its grants need decides what its key may do. */
export const roles: Readonly<Record<string, Role>> = {
  look: {
    name: "Look",
    about: "See everything but money, change nothing",
    does: "looks",
    scopes: ["read"],
    formerly: "reader",
  },
  work: {
    name: "Work",
    about: "Also decide what is theirs, add versions and notes",
    does: "works",
    scopes: ["read", "write"],
    formerly: "member",
  },
  run: {
    name: "Run the show",
    about: "Also change the schedule, script, crew and deliveries",
    does: "runs the show",
    scopes: ["read", "write", "edit"],
    formerly: "coordinator",
  },
};

/** The role of new people unless another one is chosen. */
const usual = "work";

/** The role that a text names; the usual one if it is empty. */
export const roleNamed = (text: string): Role | undefined =>
  text === ""
    ? roles[usual]
    : Object.values(roles).find(({ name, formerly }) => [name.toLowerCase(), formerly].includes(text.toLowerCase()));

/** The choice of one of them. */
export const roleChoice = (given: string | undefined): Markup =>
  html`<fieldset><legend>They may</legend>${Object.entries(roles).map(
    ([value, { name, about }]) =>
      html`<label class="choice"><input type="radio" name="role" value="${value}"${value === (given || usual) && html` checked`}><span><b>${name}</b><span class="under">${about}</span></span></label>`,
  )}</fieldset>`;

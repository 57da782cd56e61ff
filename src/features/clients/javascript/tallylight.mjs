import { Calls } from "./calls.mjs";
import { Mirror } from "./mirror.mjs";

/** A server, as a key sees it. */
export class Tallylight extends Calls {
  async mirror(folder, { names = false } = {}) {
    return (await Mirror.open(this, folder)).run(names);
  }

  "@METHODS@";
}

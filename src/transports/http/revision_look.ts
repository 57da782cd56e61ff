// One look at the store's revision for all requests of one turn of the event loop. Whatever arrives in a turn was on its way
// before the first of it is handled; so what another process commits after the look came later than the requests did, and
// no request is given less than what stood when it was sent. Knows no answer and no rule.
import type { Store } from "../../store/database.ts";

/** Where more are open, one turn may gather arrivals more than once, and every request has its own look. */
const maxConnections = 100;
/** Deno's turns have other phases. */
const sharesLooks = !("Deno" in globalThis);

export function openRevisionLook(store: Store) {
  let connections = 0;
  /** The connections that asked in this turn. */
  const asked = new Set<object>();
  const end = () => asked.clear();
  return {
    /** Counts a connection until it closes. */
    connected(socket: NodeJS.EventEmitter): void {
      connections++;
      socket.once("close", () => {
        connections--;
      });
    },

    /** The store's revision for a request that came on `socket`. Only from where requests arrive: the loop's poll phase. */
    revision(socket: object): number {
      if (!sharesLooks || connections > maxConnections) return store.revision();
      if (asked.size === 0) setImmediate(end); // the phase after the arrivals
      // A second request on one connection was pipelined, perhaps after the look.
      const look = asked.size === 0 || asked.has(socket);
      asked.add(socket);
      return store.revision(look);
    },
  };
}

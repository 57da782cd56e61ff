// The input of operations that may wait for something new.
import * as v from "valibot";

const maxWait = 55;
const waitMessage = `must be a whole number of seconds from 0 to ${maxWait}`;
/** How long to wait for something new, in seconds. Examples wait 45, because proxies end a request after 50 or 60. */
export const wait = v.pipe(
  v.number(waitMessage),
  v.integer(waitMessage),
  v.minValue(0, waitMessage),
  v.maxValue(maxWait, waitMessage),
);

// Starts the requests that are read in one turn of the event loop together, so that they share one check of the database.

/** More requests are not kept waiting: a client that sends many at once must soon meet the limits of an unread response. */
const batchSize = 128;

/**
 * Starts the requests that are read in one turn of the event loop together, with a call of `startBatch` before them. So all of
 * them were received before that call, in whatever order the runtime reads.
 */
export function openBatches(startBatch: () => void): (start: () => void) => void {
  let batch: (() => void)[] = [];
  const run = (): void => {
    const starts = batch;
    batch = [];
    startBatch();
    for (const start of starts) start();
  };
  return (start) => {
    const length = batch.push(start);
    if (length === 1) setImmediate(run);
    else if (length === batchSize) run();
  };
}

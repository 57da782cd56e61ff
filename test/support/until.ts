// Waits for a condition, however busy the machine is.

/** In milliseconds. It only decides how long a failure takes. */
const limit = 300_000;

/** Waits until `isSo` returns true, checking every `pause` milliseconds. Throws after five minutes. */
export async function until(isSo: () => boolean | Promise<boolean>, pause = 20): Promise<void> {
  const end = performance.now() + limit;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`still false after ${limit} ms: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

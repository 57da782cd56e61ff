// Waits for a condition, however busy the machine is.

/** Waits until `isSo` returns true, checking every `pause` milliseconds; throws after `milliseconds`. */
export async function until(isSo: () => boolean | Promise<boolean>, milliseconds = 60_000, pause = 20): Promise<void> {
  const end = performance.now() + milliseconds;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`still false after ${milliseconds} ms: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

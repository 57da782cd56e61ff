// Work that must take time in proportion to its input. The gate does it at two sizes and compares the processor time,
// which other programs of the machine hardly change; a quick run does it at an eighth of the size and checks only its
// results.

export const isThorough = process.env.THOROUGH === "1";

/** Twice the input takes twice the time; four times would be a square. */
const most = 3.2;
/** In milliseconds. Less than this is not measured: it is mostly the noise of compiling and collecting garbage. */
const least = 40;

async function processorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * The processor times at a scale and at twice the scale, each the shortest of four; at once if the second is in
 * proportion.
 */
async function timesAt(scale: number, work: (scale: number) => unknown): Promise<{ one: number; two: number }> {
  const shortest = { one: Number.POSITIVE_INFINITY, two: Number.POSITIVE_INFINITY };
  for (let attempt = 0; attempt < 4; attempt++) {
    shortest.one = Math.min(shortest.one, await processorTime(() => work(scale)));
    shortest.two = Math.min(shortest.two, await processorTime(() => work(2 * scale)));
    if (isProportional(shortest)) break;
  }
  return shortest;
}

const isProportional = ({ one, two }: { one: number; two: number }): boolean => two < Math.max(least, most * one);

/**
 * Does `work` with inputs of the given scale. Throws if it takes much more than twice the time for scale 2 than for
 * scale 1, and also for scale 4 than for scale 2, and for scale 8 than for scale 4: between two sizes the collection of
 * garbage may begin.
 */
export async function inProportion(what: string, work: (scale: number) => unknown): Promise<void> {
  if (!isThorough) {
    await work(1 / 8);
    return;
  }
  const ratios: string[] = [];
  for (const scale of [1, 2, 4]) {
    const times = await timesAt(scale, work);
    if (isProportional(times)) return;
    ratios.push((times.two / times.one).toFixed(1));
  }
  throw new Error(`${what}: twice the input takes ${ratios.join(", then ")} times the processor time`);
}

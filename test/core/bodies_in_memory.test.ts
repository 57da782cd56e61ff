// The memory that request bodies take: those that are parsed at once are bounded by their bytes, and the others wait
// for their turn.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { allParsed, BodyBudget, bodiesOfKey, parsedOfKey } from "../../src/core/body_limits.ts";
import type { KeyId } from "../../src/core/ids.ts";

const key = (id: number) => id as KeyId; // as a row of the database has it
const megabytes = 2 ** 20;
/** A body that has arrived. */
function arrived(budget: BodyBudget, owner: number, size: number) {
  const share = budget.open(key(owner));
  share.take(size);
  return share;
}
/** What a body takes when it is parsed. */
const weight = 3;

const test = suite("bodies in memory");

test("the bodies of one key are parsed while there is memory, and the next one waits until one was answered", async () => {
  const budget = new BodyBudget();
  const [first, second] = [arrived(budget, 1, 12 * megabytes), arrived(budget, 1, 12 * megabytes)];
  assert.is(first.parse(), undefined);
  const waits = second.parse();
  assert.ok(waits instanceof Promise);
  const other = arrived(budget, 2, 12 * megabytes);
  assert.is(other.parse(), undefined, "another key has its own part");
  first.release();
  await waits;
  second.release();
  other.release();
});

test("all keys together parse no more than the limit, and each of those that wait has its turn", async () => {
  const budget = new BodyBudget();
  const size = 11 * megabytes;
  const all = Array.from({ length: 12 }, (_, at) => arrived(budget, at, size));
  let running = 0;
  let most = 0;
  const answered = all.map(async (share) => {
    await share.parse();
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    share.release();
  });
  await Promise.all(answered);
  assert.is(most, Math.floor(allParsed / (weight * (size + 256))));
  assert.is(arrived(budget, 1, 20 * megabytes).parse(), undefined, "everything was given back");
});

test("a body whose client goes while it waits takes nothing", async () => {
  const budget = new BodyBudget();
  const first = arrived(budget, 1, 20 * megabytes);
  assert.is(first.parse(), undefined);
  const gone = arrived(budget, 1, 20 * megabytes);
  const waits = gone.parse();
  gone.release();
  await waits?.then(
    () => assert.unreachable("it was parsed"),
    (error: unknown) => assert.match(String(error), /other request bodies use the memory/),
  );
  first.release();
  assert.is(arrived(budget, 1, 20 * megabytes).parse(), undefined);
});

test("a small body waits behind those of its key that wait, and not behind another key's", async () => {
  const budget = new BodyBudget();
  const shares = [20 * megabytes, 20 * megabytes, 10].map((size) => arrived(budget, 1, size));
  const [first, ...waits] = shares.map((share) => share.parse());
  assert.is(first, undefined);
  for (const one of waits) assert.ok(one instanceof Promise);
  assert.is(arrived(budget, 2, 10).parse(), undefined);
  for (const [at, share] of shares.entries()) {
    await waits[at - 1];
    share.release();
  }
});

test("the largest body of any path fits into what one key may parse", () => {
  assert.ok(weight * 18 * megabytes < parsedOfKey); // the form of the import page
  assert.ok(18 * megabytes < bodiesOfKey);
});

test.run();

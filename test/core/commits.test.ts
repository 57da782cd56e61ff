// The counters of commits: what ends a prepared answer of a production, and what does not.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openCommits } from "../../src/core/store/transactions.ts";

const counters = suite("counters of commits");

function open() {
  let version = 1;
  const commits = openCommits(() => version);
  commits.revision();
  return { commits, commitElsewhere: () => void version++ };
}

/** Which of two answers a commit ends: of production 1, of production 2. */
function endedBy(work: (opened: ReturnType<typeof open>) => void): string {
  const opened = open();
  const { commits } = opened;
  const begun = commits.revision();
  work(opened);
  commits.revision();
  return [1, 2].map((id) => (commits.changedAt(id) > begun ? "x" : "-")).join("");
}

counters("end what a commit may change, and nothing else", () => {
  const cases: [changes: Parameters<ReturnType<typeof openCommits>["count"]>[1], ended: string][] = [
    [undefined, "xx"],
    [{}, "xx"],
    [{ production_id: 1 }, "x-"],
    [{ production_id: 1, reports: false }, "x-"],
    [{ production_id: 2, reports: true }, "--"],
    [{ reports: true }, "--"],
  ];
  for (const [changes, ended] of cases)
    assert.is(
      endedBy(({ commits }) => commits.count(true, changes)),
      ended,
      JSON.stringify(changes),
    );
});

counters("end everything with a commit of another process, and nothing with a transaction that wrote nothing", () => {
  assert.is(
    endedBy(({ commitElsewhere }) => commitElsewhere()),
    "xx",
  );
  assert.is(
    endedBy(({ commits }) => commits.count(false)),
    "--",
  );
});

counters("do not look for commits of other processes unless they are asked to", () => {
  const { commits, commitElsewhere } = open();
  const begun = commits.revision();
  commitElsewhere();
  assert.is(commits.revision(false), begun);
  assert.is(commits.changedAt(1), begun);
  assert.is(commits.revision(), begun + 1);
  assert.is(commits.changedAt(1), begun + 1);
});

counters.run();

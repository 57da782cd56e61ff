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

/** Which of four answers a commit ends: of production 1, of 1 with reports, of 2, of 2 with reports. */
function endedBy(work: (opened: ReturnType<typeof open>) => void): string {
  const opened = open();
  const { commits } = opened;
  const begun = commits.revision();
  work(opened);
  commits.revision();
  const answers = [1, 2].flatMap((id) => [false, true].map((reports) => [id, reports] as const));
  return answers.map(([id, reports]) => (commits.changedAt(id, reports) > begun ? "x" : "-")).join("");
}

counters("end what a commit may change, and nothing else", () => {
  const cases: [concern: Parameters<ReturnType<typeof openCommits>["count"]>[1], ended: string][] = [
    [undefined, "xxxx"],
    [{}, "xxxx"],
    [{ production_id: 1 }, "xx--"],
    [{ production_id: 1, reports: false }, "xx--"],
    [{ production_id: 1, reports: true }, "-x--"],
    [{ production_id: 2, reports: true }, "---x"],
    [{ reports: true }, "-x-x"],
  ];
  for (const [concern, ended] of cases)
    assert.is(
      endedBy(({ commits }) => commits.count(true, concern)),
      ended,
      JSON.stringify(concern),
    );
});

counters("end everything with a commit of another process, and nothing with a transaction that wrote nothing", () => {
  assert.is(
    endedBy(({ commitElsewhere }) => commitElsewhere()),
    "xxxx",
  );
  assert.is(
    endedBy(({ commits }) => commits.count(false)),
    "----",
  );
});

counters("do not look for commits of other processes unless they are asked to", () => {
  const { commits, commitElsewhere } = open();
  const begun = commits.revision();
  commitElsewhere();
  assert.is(commits.revision(false), begun);
  assert.is(commits.changedAt(1, true), begun);
  assert.is(commits.revision(), begun + 1);
  assert.is(commits.changedAt(1, false), begun + 1);
});

counters.run();

// The revision of an update stands for what it changes, former values included: it refuses an update that would change
// something else.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openProduction } from "../support/update.ts";

const revisions = suite("a revision");
const person = (name: string) => ({ people: [{ name, role: "Stand-in" }] });
const role = (text: string) => ({ people: [{ name: "Una Rae", role: text }] });
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "",
    ({ message }) => message,
  );

revisions("serves the same update, whatever others changed elsewhere", async () => {
  const production = await openProduction();
  await production.update(person("Una Rae"));
  const { revision: if_revision } = await production.update(role("Gaffer"), { dry_run: true });
  await production.update({ scenes: [{ number: "1", synopsis: "Another." }] });
  await production.update(person("Ona Rae"));
  assert.is((await production.update(role("Gaffer"), { if_revision })).counts.changed, 1);
});

revisions("refuses after another value of what it changes, and not once that is changed back", async () => {
  const production = await openProduction();
  await production.update(person("Una Rae"));
  const { revision: if_revision } = await production.update(role("Gaffer"), { dry_run: true });
  await production.update(role("Grip"));
  assert.match(
    await refusal(production.update(role("Gaffer"), { if_revision })),
    /what this would change is another by now; nothing was changed$/,
  );
  await production.update(role("Stand-in"));
  assert.is((await production.update(role("Gaffer"), { if_revision })).counts.changed, 1);
});

revisions("of another update, or no revision at all, is refused", async () => {
  const production = await openProduction();
  const { revision } = await production.update(person("Una Rae"), { dry_run: true });
  const { revision: other } = await production.update(person("Ona Rae"), { dry_run: true });
  for (const if_revision of ["", "x", `${revision}0`, ` ${revision}`, other, "0".repeat(500), "__proto__"])
    assert.match(
      await refusal(production.update(person("Una Rae"), { if_revision })),
      /what this would change is another by now; nothing was changed$/,
      JSON.stringify(if_revision),
    );
});

revisions("has at most 500 characters, also of a whole production", async () => {
  const production = await openProduction();
  const { revision } = await production.update(await production.export(), { dry_run: true });
  assert.ok(revision.length < 450, String(revision.length));
});

revisions.run();

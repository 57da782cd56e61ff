// A stored production is updated from partial documents: ids stay, history stays, and the plan says what happens.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { documentOf, openProduction, silverButton } from "../support/update.ts";

const whole = suite("a whole document");
const document = documentOf(silverButton);

for (const exact of [false, true])
  whole(`that was exported plans nothing, ${exact ? "exact" : "merged"}`, async () => {
    const production = await openProduction();
    const plan = await production.update(await production.export(), { exact });
    assert.equal(plan.changes, []);
    assert.equal([plan.counts.added, plan.counts.changed, plan.counts.removed], [0, 0, 0]);
    assert.ok(plan.counts.unchanged > 100);
  });

whole.run();

const merge = suite("merging");

merge("sets the fields that are given, and keeps the others", async () => {
  const production = await openProduction();
  const [scene] = document.scenes;
  const plan = await production.update({ scenes: [{ number: scene.number, synopsis: "New." }] });
  assert.is(plan.changes.length, 1);
  const [{ section, key, action, fields }] = plan.changes as any;
  assert.equal(
    [section, key, action, fields],
    ["scenes", scene.number, "change", { synopsis: { from: scene.synopsis ?? null, to: "New." } }],
  );
  const after = (await production.export()).scenes[0];
  assert.equal({ ...after, updated_at: 0 }, { ...scene, synopsis: "New.", updated_at: 0 });
});

merge.run();

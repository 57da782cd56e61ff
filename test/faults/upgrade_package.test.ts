// tallylight upgrade PACKAGE, killed after each of its steps: the former version or the new one runs, and the second run completes. With ROUNDS every
// step is tried, otherwise a few.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { migrations } from "../../src/core/store/migrations.ts";
import {
  begin,
  current,
  folder,
  install,
  nameOf,
  place,
  running,
  schemaOf,
  uninstall,
  upgrade,
} from "../support/installation.ts";
import { until } from "../support/until.ts";

const test = suite("tallylight upgrade PACKAGE, killed");
test.before(install);
test.after(uninstall);
const isWhole = process.env.ROUNDS !== undefined;

const forward = [
  ...[`rename ${nameOf("1.6.0")}`, "run upgrade", "run backup", "rename upgrade.json"],
  ...["rename current", "systemctl restart"],
];
for (const step of isWhole ? forward : forward.slice(-2, -1))
  test(`killed after "${step}", one version runs, and the second run completes the upgrade`, async () => {
    await begin();
    const { status } = await upgrade("1.6.0", step);
    assert.is(status, null, "it was killed");
    await until(async () => (await running()) !== undefined);
    assert.match((await running()) ?? "", /^1\.[56]\.0$/);
    const { status: second, err } = await upgrade("1.6.0");
    assert.is(second, 0, err);
    assert.equal([await running(), current()], ["1.6.0", nameOf("1.6.0")]);
    assert.not.ok(existsSync(join(place, "upgrade.json")));
    assert.equal(
      readdirSync(place).filter((name) => name.endsWith(".part")),
      [],
    );
  });

test("killed once the new version was started, the second run finds that it answers, and does not restart it", async () => {
  await begin();
  assert.is((await upgrade("1.6.0", "systemctl restart")).status, null, "it was killed");
  await until(async () => (await running()) === "1.6.0");
  const pid = () => readFileSync(join(folder, "server.pid"), "utf8");
  const before = pid();
  const { status, out, err } = await upgrade("1.6.0");
  assert.is(status, 0, err);
  assert.match(out, /1\.6\.0-\S+ runs; tallylight-1\.5\.0-\S+ is still in/);
  assert.equal([pid(), await running(), existsSync(join(place, "upgrade.json"))], [before, "1.6.0", false]);
});

const back = ["systemctl stop", "rename tallylight.db", "rename current 2", "systemctl start"];
for (const step of isWhole ? back : back.slice(0, 1))
  test(`killed on the way back after "${step}", the second run goes back and then tries what it was asked`, async () => {
    await begin();
    assert.is((await upgrade("1.7.0", step)).status, null, "it was killed");
    const { status, out, err } = await upgrade("1.6.0");
    assert.is(status, 0, err);
    assert.match(out, /tallylight-1\.5\.0-\S+ runs again/);
    assert.equal([await running(), current()], ["1.6.0", nameOf("1.6.0")]);
    assert.is(schemaOf(), migrations().length + 1);
  });

test.run();

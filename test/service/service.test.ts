// tallylight service: what it does on a machine with systemd, and what it refuses. The machine is replaced, the unit is checked by
// systemd itself if it is installed.
import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseCommandArgs } from "../../src/core/command.ts";
import { CliError } from "../../src/core/errors.ts";
import { replicaName } from "../../src/core/store/database.ts";
import { writeReplicaRecord } from "../../src/core/store/replica.ts";
import { serviceCommands } from "../../src/features/service/service.ts";
import {
  agentUnitName,
  awaitHealth,
  checkInstall,
  followUnitName,
  installSteps,
  type Machine,
  thisMachine,
  unitFile,
} from "../../src/features/service/systemd.ts";
import { flagsOfUnit } from "../../src/features/service/units.ts";
import { demoFolder, openTestServer, temporaryFolder } from "../support/app.ts";
import { tallylight } from "../support/command.ts";
import { agentWith, serviceWith, textOf } from "../support/service.ts";

const folder = temporaryFolder();
const program = ["/opt/tally light/bin/tallylight"];
const own = ["--user", "tally", "--data", "/srv/dä ta$%", "--host", "0.0.0.0"];
const service = serviceWith(program, ...own);

/** The settings of an agent in a file. */
function agentFile(changed: object = {}): string {
  const file = join(folder, "agent 1.json");
  const settings = { url: "http://box-a:8787", key: "tl_x", filespace: "main", root: "/mnt/shared 1%" };
  writeFileSync(file, JSON.stringify({ ...settings, ...changed }));
  return file;
}

/** A machine that records what is done to it. */
function openMachine(
  given: {
    systemd?: boolean;
    root?: boolean;
    unit?: string;
    files?: Record<string, string>;
    fails?: string;
    health?: string[];
  } = {},
) {
  const [done, asked]: [string[], string[]] = [[], []];
  const machine: Machine = {
    hasSystemd: () => given.systemd ?? true,
    isRoot: () => given.root ?? true,
    program, // this checkout may be in a home directory, which services cannot see
    run(command) {
      const text = command.join(" ");
      if (given.fails !== undefined && text.startsWith(given.fails))
        throw Object.assign(new Error("x"), { stderr: "it broke\n", stdout: "failed\n" });
      done.push(text);
      return "active\n";
    },
    read: (file) => (file === unitFile() ? given.unit : given.files?.[file]),
    write: (file, text) => void done.push(`write ${file} ${text.length > 500}`),
    remove: (file) => void done.push(`remove ${file}`),
    health: async (url) => {
      asked.push(url);
      return given.health?.[asked.length - 1] ?? given.health?.at(-1);
    },
    pause: async () => {},
  };
  return { machine, done, asked };
}

/** Runs a command of the service on a machine; returns its answer or the sentence of its refusal. */
async function run(machine: Machine, words: string, ...rest: string[]) {
  const command = serviceCommands(machine).find((one) => one.words === words);
  const args = command && parseCommandArgs(command, rest, "2026-11-20T08:00:00.000Z");
  if (command === undefined || args === undefined) throw new Error(`there is no ${words}`);
  try {
    return { answer: await command.run(args), refusal: "" };
  } catch (error) {
    assert.instance(error, CliError);
    return { answer: undefined, refusal: (error as Error).message };
  }
}

const test = suite("tallylight service");

test("--dry-run shows every step, with the whole unit, and changes nothing", async () => {
  const { machine, done } = openMachine();
  const { answer } = await run(machine, "service install", "--dry-run", "--data", "/srv/tally", "--port", "443");
  const text = answer?.lines.join("\n") ?? "";
  for (const part of [
    "run useradd --system",
    "run chown -R tallylight: /srv/tally",
    `write ${unitFile()}:`,
    "ProtectSystem=strict",
    "--port 443",
    "AmbientCapabilities=CAP_NET_BIND_SERVICE",
    "systemctl enable",
  ])
    assert.ok(text.includes(part), part);
  assert.equal(done, []);
});

test("installs in this order: user, data, unit; it starts the server only if there is data", async () => {
  assert.equal(
    installSteps(service).map((step) => ("run" in step ? step.run.slice(0, 2).join(" ") : "file")),
    ["useradd --system", "install -d", "chown -R", "file", "systemctl daemon-reload", "systemctl enable"],
  );
  const withData = installSteps(serviceWith(program, "--data", await demoFolder()));
  assert.equal(withData.at(-1), { run: ["systemctl", "restart", "tallylight.service"] });
});

test("systemd accepts every unit, also with spaces and signs in its paths", async () => {
  for (const name of ["cert.pem", "key.pem"]) writeFileSync(join(folder, name), "");
  const tls = ["--tls-cert", join(folder, "cert.pem"), "--tls-key", join(folder, "key.pem")];
  const program = [process.execPath, "/opt/tally light/bin/tallylight.js"];
  const server = textOf(serviceWith(program, ...own, ...tls));
  assert.match(
    server,
    /serve --data "\/srv\/dä ta\$\$%%" --host 0\.0\.0\.0 --tls-cert \$\{CREDENTIALS_DIRECTORY\}\/tls-cert/,
  );
  const follow = ["--follow", "tally@box-a:/srv/dä ta$%", "--replica"];
  const backups = temporaryFolder();
  writeFileSync(join(backups, "config.json"), JSON.stringify({ backup: { folder: "/mnt/back up%" } }));
  const replica = serviceWith(program, ...own, ...follow);
  const units = {
    server,
    low_port: textOf(serviceWith(program, "--user", "tally", "--data", backups, "--port", "443")),
    follower: textOf(replica),
    replica: textOf(replica, 1),
    agent: textOf(await agentWith(program, agentFile(), "tally")),
  };
  assert.match(units.low_port, /^ReadWritePaths=\S+ "-\/mnt\/back up%%"$/m);
  assert.is(flagsOfUnit(units.follower).get("follow"), follow[1]);
  for (const [name, text] of Object.entries(units)) {
    const file = join(folder, `tallylight-${name}.service`);
    writeFileSync(file, text.replace("User=tally\n", "User=root\n")); // this machine does not have the user
    const { status, stderr, error } = spawnSync("systemd-analyze", ["verify", file], { encoding: "utf8" });
    if (error !== undefined) return console.log("skipped: systemd-analyze is not installed");
    assert.is(status, 0, `${name}: ${stderr}`);
    assert.not.match(stderr, /tallylight-\w+\.service:/, name);
  }
});

test("refuses where there is no systemd, for other users than root, and to replace the unit of someone else", async () => {
  const cases = [
    [{ systemd: false }, /does not run systemd/],
    [{ root: false }, /only root may change services/],
    [{ unit: "[Unit]\nDescription=mine" }, /was not written by this command/],
  ] as const;
  for (const [given, sentence] of cases)
    for (const words of ["service install", "service remove"]) {
      const { machine, done } = openMachine(given);
      assert.match((await run(machine, words)).refusal, sentence);
      assert.equal(done, []);
    }
});

test("refuses places that the service could not see, names that are no users, and directories with other files", () => {
  const refused = (at: string[], ...words: string[]) => {
    try {
      checkInstall(serviceWith(at, ...own, ...words));
    } catch (error) {
      return (error as Error).message;
    }
    return "";
  };
  assert.is(refused(program), "");
  assert.match(refused(program, "--data", "/home/me/data"), /the service cannot read/);
  assert.match(refused(program, "--follow", "/root/data"), /the service cannot read/);
  assert.match(refused(["/root/tallylight"]), /the service cannot read/);
  assert.match(refused(program, "--user", "a user"), /is not a name for a system user/);
  assert.match(refused(program, "--data", "/srv/a\nb"), /control character/);
  assert.match(refused(program, "--tls-cert", "/nothing", "--tls-key", "/nothing"), /does not exist/);
  assert.match(refused(program, "--data", "/usr"), /has other files and no Tallylight data/);
});

test("an installed service counts as failed only after many questions; the sentence says what is wrong, and the log follows", async () => {
  const slow = openMachine();
  slow.machine.health = async (url) => (slow.asked.push(url) < 3 ? "does not answer" : undefined);
  await awaitHealth(slow.machine, service.url ?? "");
  assert.equal(slow.asked, Array(3).fill("http://127.0.0.1:8787/healthz"));
  const broken = openMachine({ health: ["/healthz answers 503"] });
  const flags = ["--host", "fd00::7", "--port", "9000", "--tls-cert", "/c", "--tls-key", "/k"];
  try {
    await awaitHealth(broken.machine, serviceWith(program, ...flags).url ?? "");
    assert.unreachable();
  } catch (error) {
    assert.instance(error, CliError);
    assert.match((error as CliError).message, /^\/healthz answers 503$/);
    assert.equal((error as CliError).lines, ["active"]);
  }
  assert.is(broken.asked[0], "https://[fd00::7]:9000/healthz");
  const demo = await openTestServer();
  assert.is(await thisMachine.health(`${demo.url}/healthz`), undefined);
  assert.match((await thisMachine.health(`${demo.url}/nothing`)) ?? "", /answers 404/);
  await demo.stop();
  assert.match((await thisMachine.health(`${demo.url}/healthz`)) ?? "", /does not answer/);
});

test("install keeps the flags of the installed unit, except those that are given", async () => {
  const tls = ["--tls-cert", "/etc/tls/a b%.pem", "--tls-key", "/etc/tls/key.pem"];
  const flags = ["--host", "192.168.60.7", "--port", "9000", "--public-url", "https://a.example", "--trust-proxy"];
  const unit = textOf(serviceWith(program, "--user", "tally", "--data", "/srv/dä ta$%", ...flags, ...tls));
  assert.equal(Object.fromEntries(flagsOfUnit(unit)), {
    ...{ data: "/srv/dä ta$%", host: "192.168.60.7", port: "9000", "public-url": "https://a.example" },
    "trust-proxy": "",
    "tls-cert": tls[1],
    "tls-key": tls[3],
    user: "tally",
  });
  const { machine } = openMachine({ unit });
  const { answer } = await run(machine, "service install", "--dry-run", "--port", "9001");
  const text = answer?.lines.join("\n") ?? "";
  assert.match(text, /--host 192\.168\.60\.7 --port 9001 --public-url https:\/\/a\.example --trust-proxy/);
  for (const part of [
    "User=tally",
    "LoadCredential=tls-cert:/etc/tls/a b%%.pem",
    "network-online.target",
    "Restart=always",
  ])
    assert.ok(text.includes(part), part);
});

test("names the command that failed, and what it said", async () => {
  const unit = textOf(service);
  const { machine } = openMachine({ unit, fails: "systemctl disable" });
  assert.is(
    (await run(machine, "service remove")).refusal,
    "systemctl disable --now tallylight.service failed: it broke",
  );
});

test("remove stops the service and leaves its data; status says whether it runs", async () => {
  const { machine, done } = openMachine({ unit: textOf(service) });
  await run(machine, "service remove");
  assert.equal(done, ["systemctl disable --now tallylight.service", `remove ${unitFile()}`, "systemctl daemon-reload"]);
  const { answer } = await run(machine, "service status");
  assert.is(answer?.failed, false);
  assert.match(answer?.lines[0] ?? "", /is active and active/);
  const stopped = await run(openMachine({ unit: textOf(service), fails: "systemctl" }).machine, "service status");
  assert.is(stopped.answer?.failed, true);
  assert.is((await run(openMachine().machine, "service status")).answer?.failed, true);
});

/** A replica's directory, as follow leaves it. */
async function replicaFolder(): Promise<string> {
  const data = await demoFolder();
  writeReplicaRecord(data, { synced_at: new Date().toISOString(), source: "box-a:/var/lib/tallylight" });
  return data;
}

test("--follow and --replica make the account, the key and both units, and print what the primary has to run", async () => {
  const key = "ssh-ed25519 AAAAC3 tallylight-follow@box-b";
  const { machine, done, asked } = openMachine({ files: { "/srv/tally/.ssh/id_ed25519.pub": `${key}\n` } });
  const words = ["--follow", "tally@box-a:/var/lib/tallylight", "--replica", "--data", "/srv/tally"];
  const { answer, refusal } = await run(machine, "service install", ...words);
  assert.is(refusal, "");
  assert.equal(
    done.map((one) => one.split(" ").slice(0, 3).join(" ")),
    [
      ...["id -u tallylight", "install -d -m", "install -d -m", "write /srv/tally/.ssh/config false"],
      ...["test -e /srv/tally/.ssh/id_ed25519", "chown -R tallylight:"],
      ...[`write ${unitFile(followUnitName)} true`, `write ${unitFile()} true`, "systemctl daemon-reload"],
      ...["systemctl enable tallylight-follow.service", "systemctl enable tallylight.service"],
      ...["systemctl restart tallylight-follow.service", "systemctl restart tallylight.service"],
    ],
  );
  assert.equal(asked, [], "nobody can wait for a server whose first copy needs the key");
  const text = answer?.lines.join("\n") ?? "";
  assert.match(text, /as root on box-a/);
  assert.match(text, /usermod --shell \/bin\/sh tally/);
  assert.ok(text.includes(`echo 'restrict ${key}' >> ~tally/.ssh/authorized_keys`), text);
});

test("install keeps the flags of a replica, and drops them once it was promoted, with the unit of the follower", async () => {
  const data = await replicaFolder();
  const installed = serviceWith(program, "--data", data, "--follow", "box-a:/var/lib/tallylight", "--replica");
  const given = { unit: textOf(installed, 1), files: { [unitFile(followUnitName)]: textOf(installed) } };
  const dry = async () =>
    (await run(openMachine(given).machine, "service install", "--dry-run")).answer?.lines.join("\n") ?? "";
  const before = await dry();
  assert.match(before, /serve --data \S+ --replica/);
  assert.match(before, /follow box-a:\/var\/lib\/tallylight --data/);
  renameSync(join(data, replicaName), join(data, `${replicaName}.former`)); // as promote does
  const after = await dry();
  assert.not.match(after, /--replica|ExecStart.* follow /);
  assert.match(after, /run systemctl disable --now tallylight-follow\.service/);
});

test("says of a replica without a copy that it needs one: an import would make a primary of it, which its unit refuses", async () => {
  const data = join(folder, "no copy");
  const { answer } = await run(openMachine().machine, "service install", "--replica", "--data", data, "--dry-run");
  const text = answer?.lines.join("\n") ?? "";
  assert.match(text, /no copy has no copy of a primary yet: give --follow SOURCE too/);
  assert.match(text, /systemctl start tallylight\.service$/);
  assert.not.match(text, /import/);
});

test("refuses to make a replica of a primary's directory", async () => {
  const data = await demoFolder();
  const { refusal } = await run(openMachine().machine, "service install", "--replica", "--data", data);
  assert.match(refusal, /is a primary's directory/);
});

test("--agent runs the storage agent with the settings of a file, as the user who may write to the filespace", async () => {
  const config = agentFile();
  const install = (machine: Machine, ...words: string[]) =>
    run(machine, "service install", "--agent", config, ...words);
  // With any of these the agent would start and end for ever.
  for (const [wrong, sentence] of [
    [{ root: undefined }, /^the root is missing: .*a setting in .+agent 1\.json \(nothing was changed\)$/],
    [{ filespace: undefined }, /^the filespace is missing/],
    [{ root: "mnt/show" }, /needs the setting root as an absolute path/],
    [{ url: "box-a" }, /takes an http or https address, not box-a/],
    [{ moves: 5 }, /agent 1\.json: moves is not a setting/],
  ] as const) {
    agentFile(wrong);
    assert.match((await install(openMachine().machine, "--user", "dit")).refusal, sentence);
  }
  agentFile({ root: "/mnt/show" });
  const { machine, done } = openMachine();
  await install(machine, "--user", "dit");
  const names = ["daemon-reload", "enable tallylight-agent.service", "restart tallylight-agent.service"];
  const looks = done.splice(names.length + 1);
  assert.equal(done, [`write ${unitFile(agentUnitName)} true`, ...names.map((one) => `systemctl ${one}`)]);
  assert.equal(looks, Array(looks.length).fill("systemctl is-active tallylight-agent.service"));
  const ending = await install(openMachine({ fails: "systemctl is-active" }).machine, "--user", "dit");
  assert.is(
    ending.refusal,
    "tallylight-agent.service is installed, but it ends; it keeps trying, and its log ends with:",
  );
  assert.match((await install(machine, "--user", "a b")).refusal, /a b is not a name for a system user/);
  const dry = (await install(machine, "--user", "dit", "--dry-run")).answer?.lines.join("\n") ?? "";
  assert.match(dry, /agent --state \/var\/lib\/tallylight-agent --config \$\{CREDENTIALS_DIRECTORY\}\/agent\.json/);
  assert.match(dry, /User=dit[\s\S]*ReadWritePaths=\/mnt\/show/);
  assert.not.match(dry, /tl_x/);
});

test("the agent of a package runs through the link, which a later package sets again, with a cache of its own", async () => {
  const agent = await agentWith(["/opt/t/current/bin/tallylight"], agentFile(), "dit");
  const link = { place: "/opt/t", name: "tallylight-1.2.0-linux-x64" };
  const [first] = installSteps({ ...agent, link });
  assert.equal(first, { run: ["ln", "-sfn", "tallylight-1.2.0-linux-x64", "/opt/t/current"] });
  assert.not.match(textOf(agent), /^CacheDirectory=tallylight$/m, "systemd gives the folder to the user of each unit");
});

test("the command itself runs on this machine with --dry-run", async () => {
  mkdirSync(join(folder, "data"));
  const { status, out } = await tallylight("service", "install", "--dry-run", "--data", join(folder, "data"), "--json");
  assert.is(status, 0);
  const { dry_run, steps, problems } = JSON.parse(out);
  assert.ok(dry_run && steps.length >= 5);
  assert.ok(problems.length > 0, "a temporary folder is hidden from services");
});
test.after(() => rmSync(folder, { recursive: true }));
test.run();

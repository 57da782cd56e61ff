import { execFileSync } from "node:child_process"; // Deno cannot create links itself with narrow permissions
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { commandOf, parseCommandArgs } from "../../src/cli/command_line.ts";
import { allCommands } from "../../src/cli/main.ts";
import { answerOf, root, tallylight } from "../support/command.ts";
import { scratch, smallDocument, writeDocument } from "../support/small_document.ts";

const data = join(scratch(), "data");
const file = writeDocument(smallDocument());
await answerOf("import", file, "--data", data);

const commandLine = suite("the command line");

const emptyOf = (name: string): RegExp => new RegExp(`^${name} must not be empty; see `);

commandLine("lists every command, and for each command its flags", async () => {
  const { status, out, err } = await tallylight("--help");
  assert.equal([status, err], [0, ""]);
  for (const command of await allCommands()) {
    assert.ok(out.includes(`  ${command.words}`), command.words);
    const help = await tallylight(...command.words.split(" "), "--help");
    assert.equal([help.status, help.err], [0, ""]);
    for (const flag of [...Object.keys(command.flags ?? {}), "data", "json"]) assert.ok(help.out.includes(`--${flag}`));
  }
});

commandLine(
  "prints the same for every usual form of help, and the version for every usual form of version",
  async () => {
    const { out: overview } = await tallylight("--help");
    for (const word of ["-h", "help"]) assert.equal(await tallylight(word), { status: 0, out: overview, err: "" });
    const { out: help } = await tallylight("keys", "mint", "--help");
    for (const argv of [
      ["keys", "mint", "-h"],
      ["help", "keys", "mint"],
    ])
      assert.equal(await tallylight(...argv), { status: 0, out: help, err: "" });
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    for (const word of ["--version", "-V", "-v", "version"])
      assert.equal(await tallylight(word), { status: 0, out: `${version}\n`, err: "" });
    assert.is((await tallylight("help", "fly")).status, 2);
  },
);

commandLine("exits with 2, a sentence and a hint if it is misused, and writes nothing to standard output", async () => {
  const cases: [argv: string[], sentence: RegExp][] = [
    [[], /tallylight COMMAND/],
    [["fly"], /^there is no command fly; see tallylight --help\n$/],
    [["keys"], /^keys needs one of: keys mint, keys list, keys revoke, keys rotate; see tallylight --help\n$/],
    [["keys", "list", "--colour"], /^there is no flag --colour; see tallylight keys list --help\n$/],
    [["keys", "mint", "--label", "x"], /^keys mint needs --production ID; see /],
    [["keys", "revoke"], /^keys revoke needs ID-OR-PREFIX, or one of --person, --label and --engagement; see /],
    [["keys", "revoke", "1", "2"], /^keys revoke does not take 2; see /],
    [["grants", "revoke", "0"], /^ID takes an id, a positive integer, not 0; see /],
    [["audit", "--limit", "one"], /^--limit takes an id, a positive integer, not one; see /],
    [["list", "sequences", "--production", "1"], /^SECTION must be one of episodes, .*, not sequences; see /],
    [["init", "--format", "short"], /^--format must be one of single, episodic, not short; see /],
    [["serve", "--port", "99999"], /^--port takes a number from 0 to 65535/],
    [["serve", "--public-url", "ftp://x"], /^--public-url takes an http or https address/],
    [["import"], /^import needs FILE; see /],
    [["keys", "rotate", "1", "--hours", "-1"], /^Option '--hours' argument is ambiguous; see /],
    // Of a variable that is not set: it would be every address, this folder, or a path that no message can name.
    ...["--host", "--log", "--data"].map((flag): [string[], RegExp] => [["serve", flag, ""], emptyOf(flag)]),
    [["export", "--production", "1", "--out", ""], emptyOf("--out")],
    [["backup", "--to", ""], emptyOf("--to")],
    [["backup", ""], emptyOf("FILE")],
    [["backup", "verify", ""], emptyOf("FILE-OR-FOLDER")],
    [["import", file, ""], emptyOf("FILE")],
    [["productions", "archive", "1", ""], emptyOf("FILE")],
    [["follow", "box-a:/srv/tally", "--copier", ""], emptyOf("--copier")],
    [["follow", ""], emptyOf("SOURCE")],
  ];
  for (const [argv, sentence] of cases) {
    const { status, out, err } = await tallylight(...argv);
    assert.equal([status, out], [2, ""], argv.join(" "));
    assert.match(err, sentence);
  }
});

commandLine(
  "exits with 1 and one sentence if a command is refused, and writes nothing to standard output",
  async () => {
    const cases: [argv: string[], sentence: RegExp][] = [
      [["keys", "list", "--data", join(data, "none")], /contains no production: it does not exist; .*import/],
      [["serve", "--data", join(data, "none")], /contains no production: it does not exist/],
      [["keys", "mint", "--production", "7", "--label", "x", "--data", data], /^there is no production 7;/],
      [["keys", "revoke", "77", "--data", data], /^there is no key 77;/],
      [["engagements", "end", "0", "--data", data], /^0 is not an id: an id is a positive integer\n$/],
      [["whoami", "tl_nothing", "--data", data], /^no key has this token/],
      [["import", "/nowhere.json", "--data", data], /^there is no file \/nowhere\.json\n$/],
      [["import", file, "--data", data], /production\.title is taken/],
      [["export", "--production", "9", "--data", data], /^there is no production 9;/],
    ];
    for (const [argv, sentence] of cases) {
      const { status, out, err } = await tallylight(...argv);
      assert.equal([status, out], [1, ""], argv.join(" "));
      assert.match(err, sentence);
      assert.is(err.trimEnd().split("\n").length, 1, err);
    }
    assert.not.ok(existsSync(join(data, "none")));
  },
);

commandLine("also prints the error as JSON with --json, with the same status and sentences", async () => {
  for (const argv of [
    ["keys", "revoke", "77", "--data", data],
    ["keys", "list", "--data", join(data, "none")],
    ["backup", data, "--data", data],
    ["serve", "--data", join(data, "none")],
  ]) {
    const plain = await tallylight(...argv);
    const { status, out, err } = await tallylight(...argv, "--json");
    assert.equal([status, err], [1, plain.err], argv.join(" "));
    assert.equal(JSON.parse(out), { error: plain.err.trimEnd(), problems: [] });
  }
});

commandLine("says what was probably meant, with status 2, or nothing if nothing comes near", async () => {
  const cases: [argv: string, likely: string | undefined][] = [
    ["sevre", "serve"],
    ["--data x serve", undefined],
    ["Serve", "serve"],
    ["key mint --production 1", "keys mint"],
    ["keys mnt", "keys mint"],
    ["webhook set-asid 1", "webhooks set-aside"],
    ["storage move list", "storage moves list"],
    ["script-change approve 1", "script-changes approve"],
    ["lst scenes", "list"],
    ["impotr draft.fdx", "import"],
    ["versio", "version"],
    ["fly", undefined],
    ["keys fly", undefined],
    ["serve --prot 8080", "--port"],
    ["serve --prot=8080", "--port"],
    ["serve -port 8080", "--port"],
    ["keys list --prod 1", "--production"],
    ["keys list --colour", undefined],
    ["keys list -x", undefined],
    ["keys mint --production 1 --label a --scope wirte", "write"],
    ["keys mint --production 1 --label a --scope read --scope submit", "submit:turnover"],
    ["keys mint --production 1 --label a --scope everything", undefined],
    ["grants add --engagement 1 --verb reed", "read"],
    ["approvals list --production 1 --status pendign", "pending"],
    ["script-changes list --production 1 --status al", "all"],
    ["init --format episodicc", "episodic"],
    ["import a.txt --as fountian", "fountain"],
    ["export --production 1 --as scene", "scenes"],
    ["list scens --production 1", "scenes"],
    ["set scens 1 a=b --production 1", "scenes"],
  ];
  for (const [line, likely] of cases) {
    const { status, out, err } = await tallylight(...line.split(" "), "--data", data);
    assert.equal([status, out], [2, ""], line);
    assert.is(/; did you mean (.*)\?; see tallylight .*--help\n$/.exec(err)?.[1], likely, `${line}: ${err}`);
  }
});

commandLine(
  "has its help in five groups, with lines of 70 characters, and an example of each command that it takes",
  async () => {
    const { out } = await tallylight("--help");
    const lines = out.trimEnd().split("\n");
    assert.equal(
      lines.filter((line) => line.length > 70),
      [],
    );
    assert.equal(
      lines.filter((line) => /^\w+$/.test(line)),
      ["Start", "Production", "Access", "Storage", "Running"],
    );
    for (const command of await allCommands()) {
      const { words, example } = command;
      assert.ok((await tallylight("help", ...words.split(" "))).out.endsWith(`\nExample:\n  ${example}\n`), words);
      const [first, ...argv] = (example.replace(/ > .*/, "").match(/"[^"]*"|\S+/g) ?? []).map((word) =>
        word.replaceAll('"', ""),
      );
      const found = commandOf([command], argv);
      assert.equal([first, found.command.words], ["tallylight", words]);
      assert.ok(parseCommandArgs(command, found.rest, ""), example);
    }
  },
);

commandLine("says why a place is no data directory, and which one was probably meant", async () => {
  const place = scratch();
  const inside = (name: string) => join(place, name);
  for (const name of ["empty", "other/below", "above"]) mkdirSync(inside(name), { recursive: true });
  writeFileSync(inside("file"), "x");
  writeFileSync(inside("other/file"), "x");
  await answerOf("import", file, "--data", inside("above/show 1"));
  await answerOf("backup", "--to", inside("empty"), "--data", data);
  mkdirSync(inside("nothing"));
  const cases: [folder: string, why: RegExp][] = [
    [inside("none"), /: it does not exist; /],
    [inside("none/deep"), /: it does not exist; /],
    ["no-such-folder", /: it does not exist in \/.*; /],
    [inside("file"), /: it is a file, and --data takes a folder$/],
    [inside("nothing"), /: it is empty; /],
    [inside("other"), /: it has no tallylight\.db; /],
    [inside("empty"), /: it is a folder of backups; `tallylight restore .*empty --data DIR` restores the last one$/],
    [inside("above"), /: did you mean --data '.*above\/show 1'\?$/],
    [inside("above/show 1/media"), /: did you mean --data '.*above\/show 1'\?$/],
    [inside("above/show 1/tallylight.db"), /: did you mean --data '.*above\/show 1'\?$/],
  ];
  for (const [folder, why] of cases)
    for (const words of [["serve", "--port", "0"], ["doctor"], ["keys", "list"]]) {
      const { status, err } = await tallylight(...words, "--data", folder);
      assert.is(status, 1, `${words[0]} ${folder}`);
      assert.ok(err.startsWith(`${folder} contains no production: `), err);
      assert.match(err.trimEnd(), why);
    }
});

commandLine("says in words why a file or a folder cannot be used", async () => {
  const place = scratch();
  const [blocked, none] = [join(place, "file"), join(place, "none/deep")];
  writeFileSync(blocked, "x");
  const cases: string[][] = [
    ["import", file, "--data", join(blocked, "data")],
    ["import", join(none, "a.json"), "--production", "1", "--data", data],
    ["import", join(blocked, "a.json"), "--data", data],
    ["import", join(none, "a.fountain"), "--data", data],
    ["backup", join(none, "a.tar"), "--data", data],
    ["backup", "--to", blocked, "--data", data],
    ["backup", "list", none, "--data", data],
    ["backup", "verify", none, "--data", data],
    ["restore", none, "--data", join(place, "restored")],
    ["restore", blocked, "--data", join(place, "restored")],
    ["export", "--production", "1", "--out", blocked, "--data", data],
    ["productions", "archive", "1", join(none, "a.tar"), "--data", data],
    ["serve", "--data", data, "--port", "0", "--log", join(none, "log")],
    ["serve", "--data", data, "--port", "0", "--log", place],
    ["serve", "--data", data, "--port", "0", "--tls-cert", none, "--tls-key", none],
    ["serve", "--data", data, "--port", "0", "--tls-cert", place, "--tls-key", place],
    ["agent", "--config", none],
    ["agent", "--url", "http://127.0.0.1:1", "--key", "k", "--filespace", "f", "--root", none, "--state", place],
    ["agent", "--url", "http://127.0.0.1:1", "--key", "k", "--filespace", "f", "--root", place, "--state", blocked],
    ["follow", none, "--data", join(place, "replica")],
    ["import", file, "--data", `${place}/${"x".repeat(300)}`],
  ];
  for (const argv of cases) {
    const { status, err } = await tallylight(...argv);
    assert.is(status, 1, argv.join(" "));
    assert.not.match(err, /\bE[A-Z]{3,}\b|unexpected error|\n {4}at /, argv.join(" "));
  }
});

commandLine("makes the data directory accessible to its owner only", () => {
  assert.is(statSync(data).mode & 0o777, 0o700);
  assert.is(statSync(join(data, "tallylight.db")).mode & 0o777, 0o600);
});

commandLine.run();

const documents = suite("import and export");

documents("report every problem on its own line and create no directory", async () => {
  const invalid = smallDocument();
  invalid.people[0].department = "art";
  invalid.scenes[0].status = "lost";
  const newFolder = join(scratch(), "data");
  const { status, out, err } = await tallylight("import", writeDocument(invalid), "--data", newFolder);
  assert.equal([status, out, err.trimEnd().split("\n").length], [1, "", 3]);
  assert.match(err, /has 2 problems; nothing was imported\npeople\[0\] \(person Ada\)\.department names no department/);
  assert.not.ok(existsSync(newFolder));
});

documents("print every problem as JSON with --json, each with its file", async () => {
  const invalid = smallDocument();
  invalid.people[0].department = "art";
  invalid.scenes[0].status = "lost";
  const [first, second] = [writeDocument(invalid), writeDocument("{")];
  const newFolder = join(scratch(), "data");
  const one = await tallylight("import", first, "--json", "--data", newFolder);
  const problems = [
    { place: "people[0].department", name: "person Ada", message: 'names no department: "art"' },
    {
      place: "scenes[0].status",
      name: "scene E1/1",
      message: "must be one of planned, active, blocked, done, omitted",
    },
  ].map((problem) => {
    const [thing, field] = problem.place.split(".");
    return { file: first, ...problem, sentence: `${thing} (${problem.name}).${field} ${problem.message}` };
  });
  assert.is(one.status, 1);
  assert.equal(JSON.parse(one.out), { error: `${first} has 2 problems; nothing was imported`, problems });
  const unread = { file: second, sentence: `${second} is not valid JSON: the error is at line 1, column 2` };
  assert.equal(JSON.parse((await tallylight("import", second, "--json", "--data", newFolder)).out), {
    error: unread.sentence,
    problems: [unread],
  });
  const both = await tallylight("import", first, file, second, "--json", "--data", newFolder);
  assert.equal(JSON.parse(both.out).problems, [...problems, unread]);
  assert.match(both.err, /^2 of 3 documents were refused; nothing was imported\n/);
  assert.not.ok(existsSync(newFolder));
  const taken = JSON.parse((await tallylight("import", file, "--json", "--data", data)).out);
  assert.match(taken.problems[0].sentence, /^production\.title is taken: production 1 is "Small" already/);
});

documents("with --dry-run create no directory and return counts", async () => {
  const newFolder = join(scratch(), "data");
  const counts = await answerOf("import", file, "--dry-run", "--data", newFolder);
  assert.equal([counts.dry_run, counts.scenes, counts.assets, "production_id" in counts], [true, 2, 3, false]);
  assert.not.ok(existsSync(newFolder));
});

documents("with --dry-run work while another process writes, and store nothing", async () => {
  const data = join(scratch(), "data");
  await answerOf("import", file, "--data", data);
  const second = smallDocument();
  second.production.title = "Second";
  const writer = new Database(join(data, "tallylight.db"));
  writer.exec("BEGIN IMMEDIATE");
  try {
    const counts = await answerOf("import", writeDocument(second), "--dry-run", "--data", data);
    assert.equal([counts.dry_run, counts.scenes], [true, 2]);
    const taken = await tallylight("import", file, "--dry-run", "--data", data);
    assert.match(taken.err, /production.title is taken/);
  } finally {
    writer.close();
  }
  assert.is((await answerOf("productions", "list", "--data", data)).length, 1);
});

documents(
  "return an object for one file and a list for several; all are checked before the first is written",
  async () => {
    const second = smallDocument();
    second.production.title = "Second";
    const newFolder = join(scratch(), "data");
    assert.is((await tallylight("import", file, writeDocument("{}"), "--data", newFolder)).status, 1);
    assert.not.ok(existsSync(newFolder));
    const both = await answerOf("import", file, writeDocument(second), "--data", newFolder);
    assert.equal(
      both.map((one: { production_id: number }) => one.production_id),
      [1, 2],
    );
    assert.is((await answerOf("productions", "list", "--data", newFolder))[1].title, "Second");
  },
);

documents(
  "give the same document on standard output and in a folder, which can be imported from anywhere",
  async () => {
    const { out } = await tallylight("export", "--production", "1", "--data", data);
    const folder = scratch();
    const written = await answerOf("export", "--production", "Small", "--out", folder, "--data", data);
    assert.equal([written.file, written.media], [join(folder, "small.json"), 6]);
    assert.match(readFileSync(written.file, "utf8"), /"file":"media\/small\/wool-[0-9a-f]{12}/);
    const newFolder = join(scratch(), "data");
    await answerOf("import", written.file, "--data", newFolder);
    assert.is((await tallylight("export", "--production", "1", "--data", newFolder)).out, out);
  },
);

/** Every file below a folder with its content. */
const contentsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    globSync("**/*", { cwd: folder })
      .filter((name) => statSync(join(folder, name)).isFile())
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), "latin1")]),
  );

documents("to a folder write existing files again only if nothing changes, or with --force", async () => {
  const folder = scratch();
  const argv = ["export", "--production", "Small", "--out", folder, "--data", data];
  const { file } = await answerOf(...argv);
  const written = contentsOf(folder);
  assert.is((await tallylight(...argv)).status, 0);
  const still = join(
    folder,
    Object.keys(written).find((name) => name.endsWith(".jpg") || name.includes("wool")) as string,
  );
  writeFileSync(file, readFileSync(file, "utf8").replace("They meet.", "They part."));
  writeFileSync(still, "retouched");
  const edited = contentsOf(folder);
  const { status, out, err } = await tallylight(...argv);
  assert.equal([status, out, err.trimEnd().split("\n").slice(1).sort()], [1, "", [file, still].sort()]);
  assert.match(err, /has files with other content; --force overwrites them, nothing was written\n/);
  assert.equal(contentsOf(folder), edited);
  assert.is((await tallylight(...argv, "--force")).status, 0);
  assert.equal(contentsOf(folder), written);
});

documents("to a folder never write through a link or over a folder", async () => {
  const [folder, outside] = [scratch(), join(scratch(), "precious")];
  const argv = ["export", "--production", "Small", "--out", folder, "--data", data];
  writeFileSync(outside, "precious");
  execFileSync("ln", ["-s", outside, join(folder, "small.json")]);
  assert.is((await tallylight(...argv)).status, 1);
  assert.is((await tallylight(...argv, "--force")).status, 0);
  assert.is(readFileSync(outside, "utf8"), "precious");
  rmSync(join(folder, "small.json"));
  mkdirSync(join(folder, "small.json"));
  assert.match((await tallylight(...argv, "--force")).err, /small\.json is a folder; nothing was written\n$/);
});

documents("are refused before anything is written if the bytes of a media item are missing", async () => {
  const newFolder = join(scratch(), "data");
  await answerOf("import", file, "--data", newFolder);
  const [blob = ""] = globSync("media/??/*", { cwd: newFolder });
  rmSync(join(newFolder, blob));
  const folder = join(scratch(), "out");
  const { status, err } = await tallylight("export", "--production", "1", "--out", folder, "--data", newFolder);
  assert.is(status, 1);
  assert.match(err, /^the bytes [0-9a-f]{64} are missing from the media folder; nothing was written\n$/);
  assert.not.ok(existsSync(folder));
});

documents.run();

const keys = suite("keys and grants");

keys("mint prints only the token on standard output, and with --json everything about the key", async () => {
  const plain = await tallylight("keys", "mint", "--production", "1", "--label", "a", "--data", data);
  assert.match(plain.out, /^tl_[\w-]{43}\n$/);
  const minted = await answerOf(
    "keys",
    "mint",
    "--production",
    "1",
    "--label",
    "b",
    "--engagement",
    "1",
    "--scope",
    "read",
    "--data",
    data,
  );
  assert.equal(Object.keys(minted), [
    "id",
    "token",
    "prefix",
    "label",
    "scopes",
    "production_id",
    "engagement_id",
    "expires_at",
  ]);
  assert.equal([minted.scopes, minted.engagement_id], [["read"], 1]);
  const listed = await answerOf("keys", "list", "--data", data);
  assert.ok(listed.some((key: { prefix: string; live: boolean }) => key.prefix === minted.prefix && key.live));
});

keys("of an engagement are minted with a note if they have the scope write", async () => {
  const argv = [
    "keys",
    "mint",
    "--production",
    "1",
    "--label",
    "w",
    "--engagement",
    "1",
    "--scope",
    "write",
    "--data",
    data,
  ];
  const { status, err } = await tallylight(...argv);
  assert.is(status, 0);
  assert.match(err, /note: every endpoint that needs the write scope refuses a key that is bound to an engagement/);
});

keys("are revoked by prefix", async () => {
  const { prefix, token } = await answerOf("keys", "mint", "--production", "1", "--label", "c", "--data", data);
  assert.match((await tallylight("keys", "revoke", prefix, "--data", data)).out, /has ended\n$/);
  const who = await answerOf("whoami", token, "--data", data);
  assert.is(who.live, false);
  assert.match(who.reason, /^revoked at /);
});

keys("whoami shows a vendor what the key reaches", async () => {
  const mint = ["keys", "mint", "--production", "1", "--label", "v", "--engagement", "1", "--data", data];
  const { token } = await answerOf(...mint, "--scope", "read", "--scope", "submit:turnover");
  const who = await answerOf("whoami", token, "--data", data);
  assert.equal([who.live, who.reason, who.vendor, who.scopes], [true, null, "Looms Ltd", ["read", "submit:turnover"]]);
  assert.equal(
    who.deliveries.map((row: { title: string; can_submit: boolean }) => [row.title, row.can_submit]),
    [["Reel", true]],
  );
  assert.ok(
    who.grants.some((grant: { target_name: string; live: boolean }) => grant.target_name === "Costume" && grant.live),
  );
  const { out } = await tallylight("whoami", token, "--data", data);
  assert.match(out, /2: may see costume Coat, id 4 \(ended\)/);
  assert.match(out, /delivery 1, Reel \(sent\): may submit work/);
  assert.equal(out.match(/orders of .*; not without .*/g)?.length, 1, "no scope read:money");
  assert.not.match(out, /purchase orders|work on .*; not without/);
  const { token: reading } = await answerOf(...mint, "--scope", "read");
  const read = (await tallylight("whoami", reading, "--data", data)).out;
  assert.match(read, /may send in work on delivery Reel, id 1; not without the scope submit:turnover\n/);
  assert.match(read, /delivery 1, Reel \(sent\): may read, may not submit work/);
  await answerOf("engagements", "end", "1", "--data", data);
  const after = await answerOf("whoami", token, "--data", data);
  assert.match(after.reason, /^its engagement ended at /);
  assert.equal([after.live, after.deliveries], [false, []]);
});

keys("of an engagement with an end in the future are live until then in whoami and in the list", async () => {
  const document = smallDocument();
  document.production.title = "Until 2099";
  document.engagements[0].ended_at = "2099-01-01T00:00:00.000Z";
  const { production_id } = await answerOf("import", writeDocument(document), "--data", data);
  const production = ["--production", String(production_id), "--data", data];
  const [{ id }] = await answerOf("engagements", "list", ...production);
  const bound = ["--label", "v", "--engagement", String(id), "--scope", "read"];
  const { token } = await answerOf("keys", "mint", ...bound, ...production);
  const who = await answerOf("whoami", token, "--data", data);
  assert.equal([who.live, who.reason, who.deliveries.length], [true, null, 1]);
  assert.match((await tallylight("engagements", "list", ...production)).out, /Looms Ltd, Weaving, until 2099-01-01\n/);
});

keys("engagements and grants can be added, listed and ended", async () => {
  const { id } = await answerOf("engagements", "add", "--production", "1", "--vendor", "Third", "--data", data);
  const engagement = ["--engagement", String(id), "--data", data];
  const grant = await answerOf("grants", "add", "--verb", "submit", "--delivery", "1", ...engagement);
  const list = await answerOf("engagements", "list", "--production", "1", "--data", data);
  const row = list.find((one: { id: number }) => one.id === id);
  assert.equal([row.vendor, row.active], ["Third", true]);
  const { verb, target, target_id, live } = row.grants[0];
  assert.equal([row.grants[0].id, verb, target, target_id, live], [grant.id, "submit", "delivery", 1, true]);
  assert.is((await tallylight("grants", "revoke", String(grant.id), "--data", data)).status, 0);
  assert.is((await tallylight("grants", "add", "--verb", "submit", ...engagement)).status, 1);
});

keys("engagements and grants that exist are reported as such with status 0", async () => {
  const engage = ["engagements", "add", "--production", "1", "--vendor", "Again", "--data", data];
  const [first, again] = [await answerOf(...engage), await answerOf(...engage)];
  assert.equal([first.existed, again.existed, again.id], [false, true, first.id]);
  assert.match((await tallylight(...engage)).out, /^work \d+ on production 1: Again, Again \(exists already\)\n/);
  const grant = [
    "grants",
    "add",
    "--engagement",
    String(first.id),
    "--verb",
    "read",
    "--delivery",
    "1",
    "--data",
    data,
  ];
  const [given, same] = [await answerOf(...grant), await answerOf(...grant, "--expires", "2099-01-01")];
  assert.equal([given.existed, same.existed, same.id], [false, true, given.id]);
  const renewed = await tallylight(...grant, "--expires", "2099-01-01");
  assert.match(renewed.out, /until 2099-01-01T23:59:59\.999Z \(existed already; it has this expiry now\)\n$/);
  const { status, out } = await tallylight(...grant);
  assert.is(status, 0);
  assert.match(out, /Reel, id \d+, until 2099-01-01T23:59:59\.999Z \(exists already\)\n$/);
});

keys("approvals list names the person of the next step for pending approvals only", async () => {
  const document = smallDocument();
  document.production.title = "Sent back";
  document.approvals[0].status = "changes_requested";
  document.approvals[0].steps[0].status = "changes_requested";
  const { production_id } = await answerOf("import", writeDocument(document), "--data", data);
  const { out } = await tallylight("approvals", "list", "--production", String(production_id), "--data", data);
  assert.match(out, /changes_requested +chain +Coat look +2026-03-03 +-\n/);
  assert.match(out, /pending +chain +Ship +- +Ben\n/);
});

keys("storage, moves, versions and approvals are administered", async () => {
  const inProduction = ["--production", "1", "--data", data];
  assert.is((await answerOf("storage", "install", "--filespace", "next", ...inProduction)).filespace, "next");
  const move = await answerOf("storage", "moves", "add", "--src", "a", "--dst", "b", ...inProduction);
  assert.equal([move.filespace, move.status], ["next", "pending"]);
  assert.is((await answerOf("storage", "moves", "list", ...inProduction)).length, 3);
  assert.is((await answerOf("versions", "release", "2", "--data", data)).released, true);
  assert.is((await answerOf("versions", "archive", "2", "--data", data)).archived, true);
  const pending = await answerOf("approvals", "list", "--status", "pending", ...inProduction);
  assert.equal(pending.length, 2);
  assert.match(
    (await tallylight("approvals", "list", ...inProduction)).out,
    /1 +pending +chain +Coat look +2026-03-03 +Ben/,
  );
});

keys("the command that an error names for a list runs as it is written", async () => {
  const { status, err } = await tallylight("set", "people", "Nobody", "role=Grip", "--production", "1", "--data", data);
  assert.is(status, 1);
  const [, named = ""] = /there is no person "Nobody"; `tallylight ([^`]+)` shows all of them/.exec(err) ?? [];
  assert.is((await tallylight(...named.split(" "), "--data", data)).status, 0, err);
});

keys("set names what is similar to a name that nothing has", async () => {
  const { status, err } = await tallylight("set", "people", "be", "role=Grip", "--production", "1", "--data", data);
  assert.equal([status, err], [1, 'there is no person "be"; similar names: Ben\n']);
});

keys.run();

// Every link of the documentation leads to a file and a heading, also in the packed package, and every file that a page
// names, and every section that a comment of the code names, exists.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/command.ts";
import { anchorsOf, codeWordsOf, commandsOf, linksOf, pages } from "../support/documentation.ts";
import { isThorough } from "../support/proportion.ts";

/** The links of a page to files of the project: the path from the root, and the anchor. */
const targetsOf = (page: (typeof pages)[number]): { link: string; path: string; anchor: string }[] =>
  linksOf(page)
    .filter((link) => !/^https?:/.test(link))
    .map((link) => {
      const [file = "", anchor = ""] = link.split("#");
      return { link, path: file === "" ? page.path : join(dirname(page.path), file).replaceAll("\\", "/"), anchor };
    });

const links = suite("links between the pages");

links("lead to a file that exists", () => {
  for (const page of pages)
    for (const { link, path } of targetsOf(page)) assert.ok(existsSync(join(root, path)), `${page.path}: ${link}`);
});

links("a line outside of tables and code has at most 120 characters", () => {
  const written = pages.filter(({ path }) => !/docs\/(?:reference|commands)\.md/.test(path)); // these are generated
  for (const { path, text } of written)
    for (const line of text.replace(/^( *)```.*?^\1```$/gms, "").split("\n"))
      if (!/^\s*[|!]/.test(line)) assert.ok(line.length <= 120, `${path}: ${line}`);
});

links("a page of the settings has the name that the menu shows", () => {
  const files = globSync("src/features/**/feature.ts", { cwd: root });
  const labels = files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/\blabel: "([^"]+)"/g)].map(([, label]) => label),
  );
  const named = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\*Settings\*,\s+\*([^*]+)\*/g)].map(([, name]) => ({ path, name })),
  );
  assert.ok(named.length > 3);
  for (const { path, name } of named) assert.ok(labels.includes(name), `${path}: Settings, ${name}`);
});

links("lead to a heading that exists", () => {
  for (const page of pages)
    for (const { link, path, anchor } of targetsOf(page)) {
      const target = pages.find((one) => one.path === path);
      if (anchor !== "") assert.ok(target && anchorsOf(target).has(anchor), `${page.path}: ${link}`);
    }
});

links("reach every page from README.md", () => {
  const reached = new Set(["README.md"]);
  for (const path of reached)
    for (const target of pages.filter((page) => page.path === path).flatMap(targetsOf)) reached.add(target.path);
  assert.equal(
    pages.filter(({ path }) => !reached.has(path)).map(({ path }) => path),
    [],
  );
});

links.run();

const files = suite("files that the text names");

files("exist", () => {
  for (const page of pages)
    for (const word of codeWordsOf(page.text))
      if (/^(?:src|sql|test|docs|fixtures|bin|\.ci)\/[\w./-]+$/.test(word))
        assert.ok(existsSync(join(root, word)), `${page.path} names ${word}`);
});

/** The sections of pages that comments of the core and the graph name, as `docs/api.md, "Reading" and "Media"`. */
const sectionsNamed = (text: string): { page: string; heading: string }[] =>
  [...text.matchAll(/(docs\/[\w-]+\.md),\s((?:"[^"]+"(?: and )?)+)/g)].flatMap(([, page = "", headings = ""]) =>
    [...headings.matchAll(/"([^"]+)"/g)].map(([, heading = ""]) => ({ page, heading })),
  );

files("have the sections that comments name", () => {
  const sources = ["src/core", "src/graph"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => join(root, folder, name)),
  );
  let named = 0;
  for (const source of sources) {
    const text = readFileSync(source, "utf8").replace(/\n *(?:\/\/|\*) /g, " ");
    for (const { page, heading } of sectionsNamed(text)) {
      named++;
      const found = pages.find(({ path }) => path === page)?.text.includes(`# ${heading}\n`);
      assert.ok(found, `${source} names a section that is not there: ${page}, "${heading}"`);
    }
  }
  assert.ok(named > 40, `only ${named} sections are named`);
});

files.run();

const packed = suite("the packed package");

/**
 * The files and folders of the checkout that are packed. What commands of the pages make beside them, such as ./data
 * and ./script, is not.
 */
const packedParts =
  /^(?:\.\/)?(?:bin|docs|fixtures|sql|src|test\/guides\/(?:pipeline|mirror)\.|[A-Z]+\.md|package\.json)/;

/** npm reads every file, and a machine with Deno alone has none. */
const withNpm = isThorough && spawnSync("npm", ["--version"]).status === 0 ? packed : packed.skip;
withNpm("has every page, every target of a link, and every file that a command names", () => {
  const listing = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    stdio: "pipe",
    encoding: "utf8",
  });
  const contents: string[] = JSON.parse(listing)[0].files.map(({ path }: { path: string }) => path);
  const named = pages.flatMap((page) => [
    page.path,
    ...targetsOf(page).map(({ path }) => path),
    ...commandsOf(page)
      .flat()
      .flatMap((command) => command.split(/[\s"=,]+/).filter((word) => /[./]/.test(word))),
  ]);
  const existing = named.filter((name) => packedParts.test(name) && existsSync(join(root, name)));
  assert.ok(existing.includes("docs/api.md") && existing.includes("test/guides/pipeline.py"));
  for (const name of existing) assert.ok(contents.includes(name), `${name} is not in the package`);
});

packed.run();

// The languages of the world on pages: right-to-left text says its direction wherever it stands, alone or in a
// sentence, and names stand in the order that readers expect.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { html } from "../../src/features/pages/html.ts";
import { mint, openTestServer } from "../support/app.ts";
import { poison } from "../support/hostile_text.ts";
import { crawl, openAsAdmin, signIn } from "../support/pages.ts";
import { isThorough } from "../support/proportion.ts";
import { seedDataOf } from "../support/seed_data.ts";

const arabic = "مقهى (12)";
const directions = suite("the direction of text");
/** test/pages/escaping visits every page in a quick run. */
const everyPage = isThorough ? directions : directions.skip;

directions("is auto on an element that holds a right-to-left text alone, and else the text has one of its own", () => {
  for (const [made, expected] of [
    [html`<h1>${arabic}</h1>`, `<h1 dir="auto">${arabic}</h1>`],
    [html`<a href="/x?a=${1}">${arabic}</a>`, `<a href="/x?a=1" dir="auto">${arabic}</a>`],
    [html`<p dir="auto">${arabic}</p>`, `<p dir="auto">${arabic}</p>`],
    [html`<p dir="ltr">${arabic}</p>`, `<p dir="ltr">${arabic}</p>`],
    [html`<p dir="auto">${arabic}, later</p>`, `<p dir="auto"><bdi>${arabic}</bdi>, later</p>`],
    [html`<p>For <bdi>${arabic}</bdi> at 7</p>`, `<p>For <bdi>${arabic}</bdi> at 7</p>`],
    [html`<p>For ${7}${`, ${arabic}; `}</p>`, `<p>For 7, <bdi>${arabic}</bdi>; </p>`],
    [html`<p>${arabic} at ${7}</p>`, `<p><bdi>${arabic}</bdi> at 7</p>`],
    [html`<a href="/x">${arabic} ${arabic}</a>`, `<a href="/x"><bdi>${arabic}</bdi> <bdi>${arabic}</bdi></a>`],
    [html`<p><b>Who</b>${arabic}</p>`, `<p><b>Who</b><bdi>${arabic}</bdi></p>`],
    [html`<p>one<br>${arabic}</p>`, `<p>one<br><bdi>${arabic}</bdi></p>`],
    [html`${arabic}`, `<bdi>${arabic}</bdi>`],
    [html`<input value="${arabic}">`, `<input value="${arabic}">`],
    [html` data-sheet="${arabic}"`, ` data-sheet="${arabic}"`],
    [html`<textarea>\n${arabic}</textarea>`, `<textarea dir="auto">\n${arabic}</textarea>`],
    [html`<option>${arabic} (${2})</option>`, `<option>${arabic} (2)</option>`],
    [html`<h1>${"Café ﬁ 東京"}</h1>`, "<h1>Café ﬁ 東京</h1>"],
  ] as const)
    assert.is(made.text, expected);
});

const empty = new Set(["area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]);
const plain = new Set(["title", "option", "script", "style"]);

/** The texts and fields of a page that have Arabic and no direction of their own. */
function undirected(text: string): string[] {
  const open: { name: string; tag: string }[] = [];
  const found: string[] = [];
  for (const [part, end, name = ""] of text.matchAll(/<(\/?)([a-z][a-z0-9]*)[^<>]*>|[^<]+/g)) {
    const around = open.at(-1);
    if (name === "") {
      const isDirected = around !== undefined && (around.name === "bdi" || around.tag.includes(' dir="'));
      if (part.includes("مقهى") && !isDirected && !plain.has(around?.name ?? ""))
        found.push(`${around?.tag} ${part.trim()}`);
    } else if (end !== "") open.splice(open.findLastIndex((one) => one.name === name));
    else if (!empty.has(name)) open.push({ name, tag: part });
    else if (
      name === "input" &&
      /value="[^"]*مقهى/.test(part) &&
      !/type="hidden"|dir="auto"|type="(?:radio|checkbox)"/.test(part)
    )
      found.push(part);
  }
  return found;
}

const server = await openTestServer();
const order = suite("the order of names on pages");

order(
  "is that of readers for people, departments, assets and the cast, in menus too; lists of the API keep theirs",
  async () => {
    const { feature } = seedDataOf(server.store);
    const key = mint(server.store, { production_id: feature, scopes: ["read", "write", "admin"], label: "Order" });
    const names = ["Zoe 10", "zoe 2", "Łukasz 2", "Łukasz 10", "Éva 2", "Ödön 2", "Eva 10", "Őze 2"];
    const department = { department: "order" };
    const document = {
      departments: [
        { slug: "order", name: "Österreich" },
        { slug: "last", name: "Zürich" },
        { slug: "first", name: "Ásatrú" },
      ],
      people: names.map((name) => ({ name, role: "Grip", ...department })),
      assets: names.map((label) => ({ label, kind: "character", ...department })),
      schedule: [],
    };
    const headers = { "content-type": "application/json" };
    const sent = { method: "POST", headers, body: JSON.stringify(document) };
    assert.is((await server.ask(key, "/api/v1/admin/import", sent)).status, 200);
    const expected = ["Éva 2", "Eva 10", "Łukasz 2", "Łukasz 10", "Ödön 2", "Őze 2", "zoe 2", "Zoe 10"];
    const browser = await signIn(server, key);
    const inOrder = (text: string, of: readonly string[]) =>
      [...text.matchAll(/>([^<>]*)</g)].map(([, one]) => one as string).filter((one) => of.includes(one));
    for (const path of ["/people", "/assets?department=order", "/cast"])
      assert.equal(inOrder(await browser.text(path), expected), expected, path);
    const menus = await browser.text("/settings/keys");
    assert.equal(inOrder(menus, expected), expected, "whom a key signs as");
    const departments = ["Ásatrú", "Österreich", "Zürich"];
    assert.equal(inOrder(await browser.text("/assets"), departments).slice(0, 3), departments, "the menu of a filter");
    const slugs = inOrder(await browser.text("/edit/assets"), ["order", "last", "first"]);
    assert.equal(slugs, ["first", "last", "order"], "the menu of a form");
    const listed = (await server.get(key, "/people")).map(({ name }: { name: string }) => name);
    assert.equal(
      listed.filter((name: string) => names.includes(name)),
      names,
    );
  },
);

everyPage("is said on every page of a production whose every field has Arabic, and on those of a vendor", async () => {
  const { production, submitterKey } = seedDataOf(server.store);
  const vendor = await signIn(server, mint(server.store, submitterKey));
  const admin = await openAsAdmin(server, production);
  assert.ok(poison(server.store, ` ${arabic}`).includes("scenes.slugline"));
  const settings = ["keys", "vendors", "webhooks", "sessions", "audit"].map((name) => `/settings/${name}`);
  const pages = [...(await crawl(admin, ["/", ...settings])), ...(await crawl(vendor, ["/turnovers", "/orders"]))];
  const shown = pages.filter(({ text }) => text.includes(arabic));
  assert.ok(shown.length > 60, `${shown.length} pages`);
  assert.equal(
    shown.flatMap(({ path, text }) =>
      undirected(text)
        .slice(0, 3)
        .map((one) => `${path} ${one}`),
    ),
    [],
  );
  // What the program says beside a text of people in one direction is misplaced: a version's number, a date.
  const together = /(?:<(?!option)[a-z][^<>]* dir="auto"|<bdi)>(?:v\d+ [^<]*مقهى|[^<]*مقهى[^<]*, \d+ [A-Z][a-z]{2}\b)/;
  assert.equal(
    shown.flatMap(({ path, text }) => (together.test(text) ? `${path} ${together.exec(text)?.[0]}` : [])),
    [],
  );
  for (const { path, text } of shown)
    assert.not.match(text, /&lt;bdi|<title>[^<]*<bdi|<textarea[^>]*>[^<]*<bdi|="[^"<]*<bdi/, path);
});

directions.after(() => server.stop());
order.run();
directions.run();

// What was typed into a form stands in the form of the answer when it is refused, whatever refuses it.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { setFrozen } from "../../src/features/productions/lifecycle.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { demoFolder, mint, one, openTestServer } from "../support/app.ts";
import { formsIn, type PageForm } from "../support/page_forms.ts";
import { addressesOf } from "../support/page_looks.ts";
import { openAsAdmin, proofIn, signIn, type Visitor } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer({ data: await demoFolder() });
const { store } = server;
const { feature, production, submitterKey, delivery } = seedDataOf(store);
const admin = await openAsAdmin(server, feature);
const lead = await signIn(server, mint(store, { production_id: feature, scopes: ["read", "write", "edit", "admin"] }));
const vendor = await signIn(server, mint(store, submitterKey));
const editable = [
  "scenes",
  "assets",
  "schedule",
  "deliveries",
  "approvals",
  "people",
  "departments",
  "department_notes",
];
const walks: (readonly [Visitor, readonly string[]])[] = [
  [admin, addressesOf(store, feature)],
  [lead, [...addressesOf(store, feature), ...editable.map((name) => `/edit/${name}`)]],
  [await openAsAdmin(server, production), ["/settings/episodes", "/settings/script-changes"]],
  [vendor, ["/turnovers", `/turnovers/${delivery}`]],
];

/** What somebody types into a field, and whether it is sent; undefined for what nobody types. */
function typedInto({ kind, name, choices }: PageForm["fields"][number], at: number): string | undefined {
  switch (kind) {
    case "date":
      return "2031-02-03";
    case "number":
      return "7";
    case "select":
      return choices.at(-1);
    case "text":
    case "search":
    case "url":
    case "textarea":
      return `What was typed ${at} “${name}”`;
    default:
      return undefined;
  }
}

interface Filled {
  pairs: [string, string][];
  typed: [string, string][];
}

function filled({ fields }: PageForm, button: readonly [string, string] | undefined, proof: string): Filled {
  const typed: [string, string][] = [];
  const pairs: [string, string][] = [["proof", proof]];
  let at = 0;
  for (const field of fields) {
    if (field.name === "proof" || field.kind === "file") continue;
    // Of the radio buttons of one name, a person chooses one: the last.
    if (field.kind === "radio" && field !== fields.findLast(({ name }) => name === field.name)) continue;
    const text = typedInto(field, at++);
    if (text !== undefined) typed.push([field.name, text]);
    if (field.kind === "checkbox" || field.kind === "radio") {
      if (field.name !== "sure") typed.push([field.name, field.value]);
      pairs.push([field.name, field.value]);
    } else pairs.push([field.name, text ?? field.value]);
  }
  if (button !== undefined) pairs.push([...button]);
  return { pairs, typed };
}

async function answerTo(browser: Visitor, form: PageForm, pairs: readonly [string, string][], file = "x") {
  const body = form.multipart ? new FormData() : new URLSearchParams();
  for (const [name, text] of pairs) body.append(name, text);
  if (form.multipart) {
    const { name } = form.fields.find(({ kind }) => kind === "file") ?? { name: "file" };
    (body as FormData).append(name, new Blob([file]), "x.txt");
  }
  const headers = {
    cookie: browser.cookies(),
    accept: "text/html",
    origin: server.url,
    "sec-fetch-site": "same-origin",
  };
  return fetch(server.url + form.to, { method: "POST", body, headers, redirect: "manual" });
}

/** The typed texts that no form of the answer has. */
const lostIn = (page: string, typed: Filled["typed"]): string[] => {
  const shown = formsIn(page, "").flatMap(({ fields }) => fields);
  const isShown = ([name, text]: [string, string]) =>
    shown.some(
      (field) =>
        field.name === name && field.value === text && (!/^(?:checkbox|radio)$/.test(field.kind) || field.checked),
    );
  return typed.filter((pair) => !isShown(pair)).map(([name]) => name);
};

interface Walked {
  refused: number;
  /** What was lost, and where. */
  lost: string[];
}

/** Sends each form of the pages once, by each of its buttons. `proofOf`: the proof that it has. */
async function walk(proofOf: (page: string) => string): Promise<Walked> {
  const walked: Walked = { refused: 0, lost: [] };
  const seen = new Set<string>();
  for (const [browser, paths] of walks)
    for (const path of paths) {
      const page = await browser.text(path);
      for (const form of formsIn(page, path))
        for (const button of form.buttons.length > 0 ? form.buttons : [undefined]) {
          const names = [...new Set(form.fields.map(({ name }) => name))].join(" ");
          const what = `${form.to.replace(/\?.*/, "")} ${button?.join("=")} ${names}`.replace(/\d+/g, "#");
          const { pairs, typed } = filled(form, button, proofOf(page));
          if (typed.length === 0 || seen.has(what)) continue;
          seen.add(what);
          const answer = await answerTo(browser, form, pairs);
          const text = await answer.text();
          if (answer.status < 400) continue; // it asks whether it is meant
          walked.refused++;
          const lost = lostIn(text, typed);
          const said = /role="alert"[^>]*>([^<]*)/.exec(text)?.[1];
          if (lost.length > 0) walked.lost.push(`${what}: ${answer.status} ${said} lost ${[...new Set(lost)]}`);
        }
    }
  return walked;
}

const kept = suite("what was typed");

kept("stays in the form that an earlier session has shown", async () => {
  const { lost, refused } = await walk(() => "A".repeat(43));
  assert.equal(lost, []);
  assert.ok(refused > 30, `${refused} forms`);
});

kept("stays while the production cannot be changed", async () => {
  const freeze = (frozen: boolean) =>
    store.writeSync(() => {
      for (const id of [feature, production]) setFrozen(localAdmin(store, new Date().toISOString()), id, frozen);
    });
  freeze(true);
  const { lost, refused } = await walk(proofIn);
  freeze(false);
  assert.equal(lost, []);
  assert.ok(refused > 25, `${refused} forms`);
});

const asset = one(store, "SELECT max(id) FROM nodes WHERE kind = 'prop' AND production_id = ?", feature);

kept("beside a file that is refused while it arrives stays", async () => {
  const page = await lead.text(`/assets/${asset}`);
  const form = formsIn(page, `/assets/${asset}`).find(({ multipart }) => multipart) as PageForm; // the page has one
  const { pairs, typed } = filled(form, undefined, proofIn(page));
  const answer = await answerTo(lead, form, pairs, "");
  assert.is(answer.status, 422);
  assert.equal(lostIn(await answer.text(), typed), []);
});

kept("into a form whose page is gone is shown with the refusal", async () => {
  const page = await admin.text("/");
  const answer = await admin.post("/assets/999999999", {
    proof: proofIn(page),
    action: "note",
    text: "Two <lines>\nof it",
  });
  assert.is(answer.status, 404);
  assert.match(await answer.text(), /What you wrote[\s\S]*Two &lt;lines&gt;\s+of it/);
});

kept.after(() => server.close());
kept.run();

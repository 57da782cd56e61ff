// The operations in groups, each with a line, what a key needs, and an example. The table has all that it says.
import { basePath } from "../../../core/http/request_head.ts";
import type { Operation } from "../../../core/operation.ts";
import { html, type Markup } from "../../pages/html.ts";
import { tagDescription } from "../description.ts";
import { accessOf, nounOf, templated } from "../operation.ts";
import type { Example, Examples } from "../recorded_examples.ts";
import { curlCommand } from "./curl.ts";

/** A sentence with names between backticks, as the description of the API has them. */
const withCode = (text: string): Markup[] =>
  text.split("`").map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

/** The request that the example shows: a form that sends it for a GET, which changes nothing; else a command alone. */
function tryOut(row: Operation, path: string): Markup | false {
  if (row.method !== "GET") return false;
  return html`<form class="run" data-base="${basePath}"><label>GET ${basePath}<input name="path" value="${path}" spellcheck="false" autocapitalize="off"></label>
<button>Run</button></form><output></output>`;
}

function line(row: Operation, origin: string, example: Example | undefined): Markup {
  const path = example?.path ?? templated(row.path);
  return html`<details class="operation" id="${row.name}"><summary><span class="method">${row.method}</span> <code>${templated(row.path)}</code>
<span class="says">${row.summary}</span></summary>
<p>${withCode(accessOf(row))}</p>
${tryOut(row, path)}<pre><code>${curlCommand(origin, row, path, example)}</code></pre></details>`;
}

function group(name: string, rows: readonly Operation[], origin: string, examples: Examples): Markup {
  return html`<section id="${name}"><h2>${name}</h2><p>${withCode(tagDescription(name))}</p>
${rows.map((row) => line(row, origin, examples[row.name]))}</section>`;
}

/** The links to the groups, and the groups. `origin` is the server's public address. */
export function operationGroups(rows: readonly Operation[], origin: string, examples: Examples): Markup {
  const groups = Map.groupBy(rows, nounOf);
  return html`<nav class="groups" aria-label="Groups">${[...groups.keys()].map((name) => html`<a href="#${name}">${name}</a> `)}</nav>
${[...groups].map(([name, of]) => group(name, of, origin, examples))}`;
}

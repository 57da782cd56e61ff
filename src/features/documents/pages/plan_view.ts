// A plan as a page shows it: a sentence for each thing, and its fields with what was before and after.
import type * as v from "valibot";
import { listed } from "../../../core/wording.ts";
import { withTimes } from "../../pages/dates.ts";
import { ComparedTexts } from "../../pages/differences.ts";
import { html, type Markup } from "../../pages/html.ts";
import { capitalized, doneNotice, lines, panel, plural, wordOf } from "../../pages/html_parts.ts";
import type { Visit } from "../../pages/visit.ts";
import type { planSchema } from "../plan_schema.ts";
import { type Fact, factsBetween, factsOfChange, nameOfChange } from "../plan_words.ts";
import { inFormWords } from "./flag_labels.ts";

export type ShownPlan = v.InferOutput<typeof planSchema>;
type Change = ShownPlan["changes"][number];

/** The maximum number of changes that a page requests and shows. */
export const shownChanges = 500;

const verbs: Readonly<Record<Change["action"], string>> = { add: "is added", change: "changes", remove: "is removed" };

/** What happens to the thing of a change. A difference of the script is not in the show before somebody approves it. */
const verbOf = ({ section, action }: Change): string =>
  section === "script_changes" && action === "add" ? "waits for a decision" : verbs[action];

/** From how many characters on two texts stand side by side, and how many of any other text are shown. */
const longText = 60;
const shownLength = 300;

/** A text of a fact, with its moments in the time zone of the page. */
const shownText = (text: string): string => {
  const local = withTimes(text);
  return local.length > shownLength ? `${local.slice(0, shownLength).toWellFormed()}…` : local;
};
const texts = (items: readonly string[]): string => shownText(items.join(", "));

/** What a fact says after its name. */
function factView(fact: Fact, compared: ComparedTexts): Markup {
  if ("value" in fact) return html`${shownText(fact.value)}`;
  if ("order" in fact) return html`in another order: <ins>${texts(fact.order)}</ins>`;
  if ("added" in fact) {
    const { added, removed } = fact;
    return html`${added.length > 0 && html`added <ins>${texts(added)}</ins>`}${added.length > 0 && removed.length > 0 && "; "}${removed.length > 0 && html`removed <del>${texts(removed)}</del>`}`;
  }
  const { from, to } = fact;
  if (Math.max(from.length, to.length) > longText) return compared.sideBySide(from, to);
  return html`<del>${shownText(from)}</del> → <ins>${shownText(to)}</ins>`;
}

/** What a value became, as the end of a line that begins with the name of the field. */
export const difference = (from: unknown, to: unknown, compared: ComparedTexts): Markup =>
  html`${factsBetween("", from, to).map((fact) => factView(fact, compared))}`;

const changeItem = (change: Change, compared: ComparedTexts): Markup => {
  const facts = factsOfChange(change);
  const rows = html`<dl>${facts.map((fact) => html`<dt>${fact.name}</dt><dd>${factView(fact, compared)}</dd>`)}</dl>`;
  const id = change.section === "people" && change.id !== null && html` <span class="under">person ${change.id}</span>`;
  const head = html`<strong>${capitalized(nameOfChange(change))}</strong>${id} ${verbOf(change)}`;
  return html`<li>${change.action === "change" || facts.length === 0 ? html`${head}${rows}` : html`<details><summary>${head}</summary>${rows}</details>`}</li>`;
};

/** What the things of a section are called, where that is not its name. */
const nounsOf: { readonly [S in Change["section"]]?: readonly [one: string, many: string] } = {
  people: ["person", "people"],
  schedule: ["shoot day", "shoot days"],
  deliveries: ["delivery", "deliveries"],
  activity: ["entry of the activity", "entries of the activity"],
};

const verbsOfCounts = { add: "adds", change: "changes", remove: "removes" } as const;

/**
 * A sentence for each action: "It adds 2 scenes and a person." If not all changes are shown, it counts things of any
 * kind.
 */
function countsLine({ counts, changes }: ShownPlan): Markup {
  const { added, changed, removed, unchanged } = counts;
  const isWhole = changeCount(counts) === changes.length;
  const numbers = { add: added, change: changed, remove: removed };
  const sentences = (["add", "change", "remove"] as const).flatMap((action) => {
    const bySection = Map.groupBy(
      changes.filter((change) => change.action === action),
      ({ section }) => section,
    );
    const things = [...bySection].map(([section, of]) => {
      const [noun, nouns] = nounsOf[section] ?? [wordOf(section).replace(/s$/, ""), wordOf(section)];
      return section === "production" ? "the production itself" : plural(of.length, noun, nouns);
    });
    return numbers[action] === 0
      ? []
      : [`It ${verbsOfCounts[action]} ${isWhole ? listed(things, "and") : plural(numbers[action], "thing")}.`];
  });
  return html`<p>${sentences.join(" ")} ${unchanged > 0 && `${plural(unchanged, "thing stays", "things stay")} as ${unchanged === 1 ? "it is" : "they are"}.`}</p>`;
}

/** How many things change. */
export const changeCount = ({ added, changed, removed }: Omit<ShownPlan["counts"], "unchanged">): number =>
  added + changed + removed;

/** The first changes of `count`, thing by thing and field by field. */
export async function changesView(visit: Visit, changes: readonly Change[], count: number): Promise<Markup> {
  const compared = new ComparedTexts();
  const items = await visit.each(changes, (change) => ({
    section: change.section,
    item: changeItem(change, compared),
  }));
  const groups = [...Map.groupBy(items, ({ section }) => section)];
  return html`${groups.map(([section, own]) => panel(capitalized(wordOf(section)), lines(own.map(({ item }) => item)), own.length))}
${count > changes.length && html`<p class="hint">and ${count - changes.length} more.</p>`}`;
}

export const warningsPanel = (warnings: readonly string[]): Markup | false =>
  warnings.length > 0 &&
  panel("Warnings", lines(warnings.map((warning) => html`<li dir="ltr">${inFormWords(warning)}</li>`)));

export const planView = async (visit: Visit, plan: ShownPlan): Promise<Markup> => html`${countsLine(plan)}
${warningsPanel(plan.warnings)}
${await changesView(visit, plan.changes, changeCount(plan.counts))}`;

/** The link to the undo of what was just saved. */
export const undoLink = (change_set: number | undefined): Markup | undefined =>
  change_set === undefined ? undefined : html`<p><a href="/settings/history/${change_set}?undo=1">Undo</a></p>`;

/** What was applied, with the link to its undo. */
export const appliedPanel = async (visit: Visit, title: string, plan: ShownPlan, next?: Markup): Promise<Markup> =>
  html`${doneNotice(title, html`${next}${undoLink(plan.change_set)}`)}${await planView(visit, plan)}`;

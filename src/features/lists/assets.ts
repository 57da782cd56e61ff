// Reads and writes the CSV lists of assets and of the cast: characters with their numbers and who plays them.
import { castPlace, sameName } from "../../core/wording.ts";
import type { nodeStatuses } from "../../graph/values.ts";
import type { ProductionDocument } from "../documents/sections/schema.ts";
import { sceneName } from "../documents/sections/sections.ts";
import { quoted } from "../names/names.ts";
import { AssetList } from "../paperwork/asset_list.ts";
import { isAssetKind, kindNamed } from "../paperwork/categories.ts";
import { type Findings, Repeats, refuse } from "../paperwork/findings.ts";
import { castKey, matchingName, thingsIn, warnOfAccents, warnOfSeveral } from "../paperwork/known_names.ts";
import { definedFields } from "../paperwork/partial.ts";
import { SceneLinks } from "../paperwork/scene_links.ts";
import { ScriptScenes } from "../paperwork/scenes.ts";
import { listAt } from "../sequences/sequences.ts";
import { assetKindCell, department, listCell, oneOfCell, textCell } from "./cells.ts";
import { contactHeaders } from "./contact_headers.ts";
import { headerKey } from "./csv.ts";
import { column, defineList } from "./list.ts";
import { scheduleColumns } from "./schedule.ts";

export const nodeStatusWords: Record<(typeof nodeStatuses)[number], string> = {
  planned:
    "wtg, waiting to start, rdy, ready to start, ready, to do, todo, not started, pending, upcoming, open, geplant, offen, prévu, à faire",
  active:
    "ip, rev, pending review, wfa, waiting for approval, retake, in progress, in work, working, ongoing, wip, started, in arbeit, läuft, en cours",
  blocked: "hld, on hold, hold, waiting, stuck, blockiert, wartet, bloqué, en attente",
  done: "fin, apr, approved, cmpt, complete, completed, finished, final, finaled, closed, fertig, erledigt, abgeschlossen, terminé",
};

/** The assets with the references of their scenes. */
function assetRows({ scenes, assets }: ProductionDocument) {
  const found = new Map<string, string[]>();
  for (const { number, episode, assets } of scenes)
    for (const asset of assets) listAt(found, asset).push(sceneName(number, episode));
  return assets.map((asset) => ({ ...asset, scenes: found.get(asset.ref ?? asset.label) }));
}

/** The cast number of a row, without the point of "1.": as it is stored if "01" is written for 1. */
const castNumberIn = (given: string | undefined, stored: string | undefined): string | undefined =>
  given !== undefined && stored !== undefined && castKey(given) === castKey(stored)
    ? stored
    : given?.replace(/(?<=[\p{L}\p{N}])\.$/u, "");

/** An episode says only which scenes are meant. */
function nameEpisode(
  episode: string | undefined,
  scenes: readonly string[] | undefined,
  findings: Findings,
  line: number,
): void {
  if (episode !== undefined && scenes === undefined)
    findings.warn(`the episode ${quoted(episode)} was ignored: the row has no scenes`, { line });
}

/** What the headings of a day out of days have, and those of no cast list. */
const dayTotals = ["Work", "Hold", "Total"];

/** What lists of assets and of the cast have alike. */
const castColumns = {
  cast_number: column("Cast Number, Cast ID, Board ID", textCell(50)),
  performer: column("Performer, Actor, Played By", textCell(300)),
  scenes: column("Scenes, Scene, Sc, Scs, Scene No", listCell("scenes: 1, 4A, 7-9")),
  episode: scheduleColumns.episode,
  external_id: column("External ID", textCell(200)),
};

export const assetList = defineList({
  title: "a list of assets",
  columns: {
    label: column("Asset, Asset Name, Label, Name, Item, Element, Element Name, Prop, Title", textCell(300), {
      required: true,
    }),
    ref: column("Ref, Reference, Asset Ref, Asset ID, Code", textCell(500)),
    kind: column("Kind, Type, Asset Type, Category", assetKindCell),
    status: column("Status, State", oneOfCell(nodeStatusWords)),
    department: column("Department, Dept, Dep, Owner", department),
    ...castColumns,
  },
  needs: [["label"]],
  /** A column of kinds of which each is a kind of assets says more than any heading. */
  evidence({ row, fields }, rows, kinds) {
    const at = fields.indexOf("kind");
    // Elements by scene are a breakdown, in which one of them may have several rows.
    const label = headerKey(row.cells[fields.indexOf("label")] ?? "");
    if (fields.includes("scenes") && label.startsWith("element")) return 0;
    const values = at < 0 ? [] : rows.slice(rows.indexOf(row) + 1).flatMap(({ cells }) => cells[at] || []);
    return values.length > 0 && values.every((value) => isAssetKind(value, kinds)) ? 4 : 0;
  },
  /** What a new asset is where its row does not say: what the heading of its name is, or as POST /assets makes one. */
  build({ entries, options, findings, headerOf, unknown, took }) {
    const heading = headerOf("label");
    const isKind = (text = ""): boolean => isAssetKind(text, new Set());
    const headed = isKind(heading) ? kindNamed(heading, new Set()) : "asset";
    const isHeadless = headed !== "asset" && unknown.length > 0 && entries.length > 0;
    if (isHeadless && entries.every(({ values }) => isKind(values.label)))
      refuse(
        `the file has no row of headings: ${quoted(heading)} and each cell below it are kinds; a list of assets needs a column Asset or Name`,
      );
    const script = new ScriptScenes(options, findings);
    const links = new SceneLinks(options, findings);
    const repeats = new Repeats(findings, "; to list two assets with the same label, add a column Ref");
    const { byReference } = thingsIn(options.known.items("assets"));
    return {
      assets: entries.flatMap(({ line, values }) => {
        const { scenes, episode, ...fields } = values;
        const { label, performer, cast_number } = fields;
        nameEpisode(episode, scenes, findings, line);
        const field = values.ref === undefined ? "label" : "ref";
        const name = values[field];
        if (label === undefined || name === undefined) return [];
        const known = matchingName(options.known.assets, name, findings, line);
        if (known === undefined) warnOfSeveral(options.known.assets, label, findings, line);
        if (performer !== undefined) warnOfSeveral([], performer, findings, line);
        if (!repeats.isFirst(known ?? sameName(name), name, line)) return [];
        took(line);
        const kind = (performer ?? cast_number) === undefined ? headed : "character";
        const defaults = known === undefined ? ({ kind, status: "planned" } as const) : {};
        const sceneLinks = scenes && {
          scenes: links.of(known ?? name, script.references(scenes, line, episode), line),
        };
        const number = castNumberIn(cast_number, byReference.get(known ?? "")?.cast_number);
        const numbered = definedFields({ cast_number: number });
        return [{ ...defaults, ...fields, ...numbered, [field]: known ?? name, ...sceneLinks }];
      }),
    };
  },
  rows: assetRows,
});

export const castList = defineList({
  title: "a cast list",
  columns: {
    cast_number: column("Cast Number, Cast ID, Cast, ID, No, Board ID", textCell(50)),
    label: column("Character, Character Name, Role, Role Name, Part, Element, Element Name", textCell(300), {
      required: true,
    }),
    ref: column("Ref, Reference", textCell(500)),
    performer: column(
      "Performer, Actor, Played By, Actor Name, Actress, Artist, Talent, Cast Member, Cast Name, Full Name, Name",
      textCell(300),
    ),
    scenes: castColumns.scenes,
    episode: castColumns.episode,
    external_id: castColumns.external_id,
  },
  needs: [["label"]],
  evidence: ({ fields }) => (fields.includes("label") && fields.includes("cast_number") ? 1.5 : 0),
  dropped: { headers: contactHeaders, because: "contact details are not stored" },
  build({ entries, options, findings, unknown, took }) {
    if (dayTotals.every((header) => unknown.includes(header)))
      refuse("the file is a day out of days, which is for people; import the schedule and the cast list");
    const script = new ScriptScenes(options, findings);
    const links = new SceneLinks(options, findings);
    const { byReference } = thingsIn(options.known.items("assets"));
    const characters = new AssetList({
      known: [...byReference.values()],
      say: (sentence) => findings.warnOnce(sentence),
    });
    const repeats = new Repeats(findings, "; a column Ref tells two characters of one name apart");
    return {
      assets: entries.flatMap(({ line, values: { label, ref, scenes, episode, ...fields } }) => {
        if (label === undefined) return [];
        nameEpisode(episode, scenes, findings, line);
        if (fields.performer !== undefined) warnOfSeveral([], fields.performer, findings, line);
        const isExact = ref !== undefined || byReference.get(label)?.kind === "character";
        const name = isExact ? (ref ?? label) : characters.label(label, { kind: "character" });
        if (!repeats.isFirst(name, name, line)) return [];
        took(line);
        const known = byReference.get(name);
        if (known === undefined) warnOfAccents(options.known.assets, name, findings, line);
        if (known === undefined) warnOfSeveral(options.known.assets, label, findings, line);
        const added = {
          label: ref === undefined ? name : label,
          ...(ref !== undefined && { ref }),
          kind: "character",
          status: "planned",
        } as const;
        const thing =
          known === undefined ? added : { label: known.label, ...(known.ref !== undefined && { ref: known.ref }) };
        const numbered = definedFields({ cast_number: castNumberIn(fields.cast_number, known?.cast_number) });
        const sceneLinks = scenes && { scenes: links.of(name, script.references(scenes, line, episode), line) };
        return [{ ...thing, ...fields, ...numbered, ...sceneLinks }];
      }),
    };
  },
  rows(document) {
    const characters = assetRows(document).filter(({ kind }) => kind === "character");
    const placed = characters.map((row) => [castPlace(row.cast_number, row.label), row] as const);
    return placed.sort(([one], [two]) => (one < two ? -1 : Number(one > two))).map(([, row]) => row);
  },
});

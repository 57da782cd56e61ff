// Assets with their versions and costumes, and the ingredients that feed versions: checked, written and collected.
import type { Checking } from "./checking.ts";
import type { Collecting, Row } from "./collecting.ts";
import type { ProductionDocument } from "./schema.ts";
import type { Writing } from "./writing.ts";

type Asset = ProductionDocument["assets"][number];
type Version = Asset["versions"][number];

function checkVersion(checking: Checking, version: Version, place: string): void {
  checking.refer(`${place}.created_by_person`, "person", version.created_by_person);
  const fed = `${place}.ingredients`;
  for (const [{ ingredient }, here] of checking.items(fed, version.ingredients))
    checking.refer(`${here}.ingredient`, "ingredient", ingredient);
  checking.distinct(fed, version.ingredients, ({ ingredient }) => ingredient, ".ingredient");
}

/** Versions are numbered 1, 2, 3 in their order. Where a number was left out, the ones behind it are not reported too. */
function checkNumbers(checking: Checking, versions: readonly Version[], place: string): boolean {
  let inOrder = true;
  let before = 0;
  for (const [{ version }, here, at] of checking.items(place, versions)) {
    const readable = checking.isUsable(`${here}.version`);
    inOrder &&= readable && version === at + 1;
    if (readable && version !== at + 1 && version !== before + 1)
      checking.report(`${here}.version`, `must be ${at + 1}: versions stand in order and are numbered from 1`);
    before = readable ? version : at + 1;
  }
  return inOrder;
}

/** What a character wears: assets of kind costume. */
function checkCostumes(checking: Checking, { kind, costumes }: Asset, place: string): void {
  const { assets } = checking.document;
  const list = `${place}.costumes`;
  if (!checking.isUsable(list)) return;
  if (costumes.length > 0 && checking.isUsable(`${place}.kind`) && kind !== "character") {
    checking.report(list, "must be left out except on an asset of kind character");
    return;
  }
  checking.referEach(list, "asset", costumes);
  for (const [name, here] of checking.items(list, costumes)) {
    const position = checking.refer(here, "asset", name);
    if (position === undefined || !checking.isUsable(`assets[${position}].kind`)) continue;
    if (assets[position]?.kind !== "costume")
      checking.report(here, `must name an asset of kind costume, and "${name}" is not one`);
  }
}

export function checkAssets(checking: Checking): void {
  for (const [asset, place, at] of checking.items("assets", checking.document.assets)) {
    checking.refer(`${place}.department`, "department", asset.department);
    checkCostumes(checking, asset, place);
    const versions = `${place}.versions`;
    for (const [version, here] of checking.items(versions, asset.versions)) checkVersion(checking, version, here);
    if (!checkNumbers(checking, asset.versions, versions)) checking.misnumbered.add(at);
  }
}

export function insertAssets(writing: Writing): void {
  const own = writing.production_id;
  writing.document.assets.forEach(({ kind, label, status, department, created_at, updated_at }, at) => {
    const department_id = writing.id("department", department);
    writing.row(
      "import_node",
      writing.idAt("asset", at),
      own,
      kind,
      label,
      status,
      department_id,
      created_at,
      updated_at,
    );
  });
}

export function insertCostumes(writing: Writing): void {
  writing.document.assets.forEach(({ costumes }, at) => {
    const id = writing.idAt("asset", at);
    for (const costume of costumes)
      writing.row("import_node_link", writing.production_id, id, writing.id("asset", costume));
  });
}

export function insertIngredients(writing: Writing): void {
  writing.document.ingredients.forEach(({ kind, label, media }, at) => {
    const id = writing.idAt("ingredient", at);
    writing.row("import_ingredient", id, writing.production_id, kind, label);
    writing.keep(media, { ingredient_id: id });
  });
}

export function insertVersions(writing: Writing): void {
  const own = writing.production_id;
  const { assets } = writing.document;
  assets.forEach(({ versions }, at) => {
    const node_id = writing.idAt("asset", at);
    versions.forEach((version, n) => {
      const id = (writing.firstVersion[at] as number) + n;
      const { variant, status, note = null, created_by = null, created_at = null } = version;
      const person = writing.id("person", version.created_by_person);
      const [archived, released] = [Number(version.archived), Number(version.released)];
      writing.row(
        "import_version",
        ...[id, own, node_id, n + 1, variant, status, note, created_by, person, archived, released, created_at],
      );
      writing.keep(version.media, { version_id: id });
    });
  });
  assets.forEach(({ versions }, at) => {
    versions.forEach(({ ingredients }, n) => {
      const id = (writing.firstVersion[at] as number) + n;
      for (const { ingredient, relation } of ingredients)
        writing.row("import_version_ingredient", own, id, writing.id("ingredient", ingredient), relation ?? null);
    });
  });
}

export function collectAssets(collecting: Collecting): Row {
  const links = collecting.grouped("export_node_links", "from_node_id");
  const versions = collecting.grouped("export_versions", "node_id");
  const fed = collecting.grouped("export_version_ingredients", "version_id");
  const version = (row: Row) => ({
    ...row,
    created_by_person: collecting.name("person", row.created_by_person_id),
    archived: row.archived === 1,
    released: row.released === 1,
    media: collecting.media("version_id", row.id)[0],
    ingredients: fed(row.id).map(({ ingredient_id, relation }) => ({
      ingredient: collecting.name("ingredient", ingredient_id),
      relation,
    })),
  });
  return {
    ingredients: collecting.rows("export_ingredients").map((row) => ({
      ...row,
      ref: collecting.ref("ingredient", row.id),
      media: collecting.media("ingredient_id", row.id)[0],
    })),
    assets: collecting.rows("export_assets").map((row) => ({
      ...row,
      ref: collecting.ref("asset", row.id),
      department: collecting.name("department", row.department_id),
      costumes: links(row.id).map((link) => collecting.name("asset", link.to_node_id)),
      versions: versions(row.id).map(version),
    })),
  };
}

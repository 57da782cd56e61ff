// Assets with their versions and costumes, and the ingredients that feed versions: checked, written and collected.
import type { Checking } from "./checking.ts";
import type { Collecting, Row } from "./collecting.ts";
import type { ProductionDocument } from "./schema.ts";
import type { Writing } from "./writing.ts";

type Asset = ProductionDocument["assets"][number];

function checkVersion(checking: Checking, version: Asset["versions"][number], at: number, place: string): void {
  if (version.version !== at + 1)
    checking.report(`${place}.version`, `must be ${at + 1}: versions stand in order and are numbered from 1`);
  checking.refer(`${place}.created_by_person`, "person", version.created_by_person);
  for (const [n, { ingredient }] of version.ingredients.entries())
    checking.refer(`${place}.ingredients[${n}].ingredient`, "ingredient", ingredient);
  checking.distinct(
    `${place}.ingredients`,
    version.ingredients.map(({ ingredient }) => ingredient),
    ".ingredient",
  );
}

export function checkAssets(checking: Checking): void {
  const { assets } = checking.document;
  checking.each("assets", (asset, place) => {
    checking.refer(`${place}.department`, "department", asset.department);
    if (asset.costumes.length > 0 && asset.kind !== "character")
      checking.report(`${place}.costumes`, "must be left out except on an asset of kind character");
    for (const [at, name] of asset.costumes.entries()) {
      const position = checking.refer(`${place}.costumes[${at}]`, "asset", name);
      if (position !== undefined && assets[position]?.kind !== "costume")
        checking.report(`${place}.costumes[${at}]`, `must name an asset of kind costume, and "${name}" is none`);
    }
    checking.distinct(`${place}.costumes`, asset.costumes);
    asset.versions.forEach((version, at) => {
      checkVersion(checking, version, at, `${place}.versions[${at}]`);
    });
  });
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

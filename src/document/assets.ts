// Assets with their versions and costumes, and the ingredients that feed versions: checked, written and collected.

import { bulkInsert } from "../store/statements.ts";
import type { Exporter, Row } from "./exporter.ts";
import { exported } from "./exporter.ts";
import type { Importer } from "./importer.ts";
import type { ProductionDocument } from "./schema.ts";
import type { Validator } from "./validator.ts";

const exportAssets = exported("export_assets");
const exportIngredients = exported("export_ingredients");
export const exportNodeLinks = exported("export_node_links");
const exportVersionIngredients = exported("export_version_ingredients");
const exportVersions = exported("export_versions");
const importIngredient = bulkInsert("import_ingredient");
export const importNode = bulkInsert("import_node");
export const importNodeLink = bulkInsert("import_node_link");
const importVersion = bulkInsert("import_version");
const importVersionIngredient = bulkInsert("import_version_ingredient");

type Asset = ProductionDocument["assets"][number];
type Version = Asset["versions"][number];

function checkVersion(validator: Validator, version: Version, place: string): void {
  validator.refer(`${place}.created_by_person`, "person", version.created_by_person);
  const fed = `${place}.ingredients`;
  for (const [{ ingredient }, here] of validator.items(fed, version.ingredients))
    validator.refer(`${here}.ingredient`, "ingredient", ingredient);
  validator.distinct(fed, version.ingredients, ({ ingredient }) => ingredient, ".ingredient");
}

/** Versions are numbered 1, 2, 3 in their order. Where a number was left out, the ones behind it are not reported too. */
function checkNumbers(validator: Validator, versions: readonly Version[], place: string): boolean {
  let inOrder = true;
  let before = 0;
  for (const [{ version }, here, at] of validator.items(place, versions)) {
    const readable = validator.isUsable(`${here}.version`);
    inOrder &&= readable && version === at + 1;
    if (readable && version !== at + 1 && version !== before + 1)
      validator.report(`${here}.version`, `must be ${at + 1}: versions stand in order and are numbered from 1`);
    before = readable ? version : at + 1;
  }
  return inOrder;
}

/** What a character wears: assets of kind costume. */
function checkCostumes(validator: Validator, { kind, costumes }: Asset, place: string): void {
  const { assets } = validator.document;
  const list = `${place}.costumes`;
  if (!validator.isUsable(list)) return;
  if (costumes.length > 0 && validator.isUsable(`${place}.kind`) && kind !== "character") {
    validator.report(list, "must be left out except on an asset of kind character");
    return;
  }
  validator.referEach(list, "asset", costumes);
  for (const [name, here] of validator.items(list, costumes)) {
    const position = validator.refer(here, "asset", name);
    if (position === undefined || !validator.isUsable(`assets[${position}].kind`)) continue;
    if (assets[position]?.kind !== "costume")
      validator.report(here, `must name an asset of kind costume, and "${name}" is not one`);
  }
}

export function checkAssets(validator: Validator): void {
  for (const [asset, place, at] of validator.items("assets", validator.document.assets)) {
    validator.refer(`${place}.department`, "department", asset.department);
    checkCostumes(validator, asset, place);
    const versions = `${place}.versions`;
    for (const [version, here] of validator.items(versions, asset.versions)) checkVersion(validator, version, here);
    if (!checkNumbers(validator, asset.versions, versions)) validator.misnumbered.add(at);
  }
}

export function insertAssets(importer: Importer): void {
  const own = importer.production_id;
  importer.document.assets.forEach(({ kind, label, status, department, created_at, updated_at }, at) => {
    const department_id = importer.id("department", department);
    importer.row(
      importNode,
      importer.idAt("asset", at),
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

export function insertCostumes(importer: Importer): void {
  importer.document.assets.forEach(({ costumes }, at) => {
    const id = importer.idAt("asset", at);
    for (const costume of costumes)
      importer.row(importNodeLink, importer.production_id, id, importer.id("asset", costume));
  });
}

export function insertIngredients(importer: Importer): void {
  importer.document.ingredients.forEach(({ kind, label, media }, at) => {
    const id = importer.idAt("ingredient", at);
    importer.row(importIngredient, id, importer.production_id, kind, label);
    importer.keep(media, { ingredient_id: id });
  });
}

export function insertVersions(importer: Importer): void {
  const own = importer.production_id;
  const { assets } = importer.document;
  assets.forEach(({ versions }, at) => {
    const node_id = importer.idAt("asset", at);
    versions.forEach((version, n) => {
      const id = (importer.firstVersion[at] as number) + n;
      const { variant, status, note = null, created_by = null, created_at = null } = version;
      const person = importer.id("person", version.created_by_person);
      const [archived, released] = [Number(version.archived), Number(version.released)];
      importer.row(
        importVersion,
        ...[id, own, node_id, n + 1, variant, status, note, created_by, person, archived, released, created_at],
      );
      importer.keep(version.media, { version_id: id });
    });
  });
  assets.forEach(({ versions }, at) => {
    versions.forEach(({ ingredients }, n) => {
      const id = (importer.firstVersion[at] as number) + n;
      for (const { ingredient, relation } of ingredients)
        importer.row(importVersionIngredient, own, id, importer.id("ingredient", ingredient), relation ?? null);
    });
  });
}

export function collectAssets(exporter: Exporter): Row {
  const links = exporter.grouped(exportNodeLinks, "from_node_id");
  const versions = exporter.grouped(exportVersions, "node_id");
  const fed = exporter.grouped(exportVersionIngredients, "version_id");
  const version = (row: Row) => ({
    ...row,
    created_by_person: exporter.name("person", row.created_by_person_id),
    archived: row.archived === 1,
    released: row.released === 1,
    media: exporter.media("version_id", row.id)[0],
    ingredients: fed(row.id).map(({ ingredient_id, relation }) => ({
      ingredient: exporter.name("ingredient", ingredient_id),
      relation,
    })),
  });
  return {
    ingredients: exporter.rows(exportIngredients).map((row) => ({
      ...row,
      ref: exporter.ref("ingredient", row.id),
      media: exporter.media("ingredient_id", row.id)[0],
    })),
    assets: exporter.rows(exportAssets).map((row) => ({
      ...row,
      ref: exporter.ref("asset", row.id),
      department: exporter.name("department", row.department_id),
      costumes: links(row.id).map((link) => exporter.name("asset", link.to_node_id)),
      versions: versions(row.id).map(version),
    })),
  };
}

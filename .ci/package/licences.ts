// Collects the licences of every package in a node_modules folder into one text.
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

interface Manifest {
  name: string;
  version: string;
  license?: string;
  author?: string | { name?: string };
  repository?: string | { url?: string };
}

const isLicence = (name: string): boolean =>
  /^(licen[cs]e|copying|notice)/i.test(name) || /\.licen[cs]e\.txt$/i.test(name);

/** The licence files of a package, or, if it has none, what its manifest says. Throws an Error if that says nothing. */
function licenceOf(folder: string): { title: string; text: string } {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { name, version, license, author, repository } = manifest;
  const files = readdirSync(folder).filter(isLicence).sort();
  const title = `${name} ${version} (${license ?? "see its text"})`;
  if (files.length > 0)
    return { title, text: files.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n") };
  if (license === undefined) throw new Error(`${name} ${version} has no licence`);
  const owner = typeof author === "string" ? author : author?.name;
  const source = typeof repository === "string" ? repository : repository?.url;
  return {
    title,
    text: `The package says: ${license}.${owner ? ` Author: ${owner}.` : ""}${source ? ` Source: ${source}` : ""}`,
  };
}

/** The licences of all packages of `node_modules`, sorted by name. */
export function licencesOf(modules: string): string {
  const folders = globSync(
    ["*/package.json", "@*/*/package.json", "**/node_modules/*/package.json", "**/node_modules/@*/*/package.json"],
    { cwd: modules },
  )
    .map((path) => join(modules, dirname(path)))
    .filter((folder) => existsSync(join(folder, "package.json")));
  const sections = [...new Set(folders)].map(licenceOf).sort((a, b) => (a.title < b.title ? -1 : 1));
  const rule = "=".repeat(100);
  return sections.map(({ title, text }) => `${rule}\n${title}\n${rule}\n\n${text}\n`).join("\n");
}

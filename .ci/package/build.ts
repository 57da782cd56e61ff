// Builds dist/tallylight_<version>_<architecture>.deb and dist/tallylight-<version>-<platform>.tar.gz from the last
// commit: `npm run package [-- --platform linux-arm64 --sign KEY]`. The packages need no npm, no compiler and no
// network. Two builds of one commit are equal to the byte; with --compress fast or none they hold the same and take
// less time, for the gate to compare.
import { execFileSync, spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { debianName, isCompression, packDebian } from "./debian.ts";
import { licencesOf } from "./licences.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));
const manifest: { optionalDependencies: Record<string, string> } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);
/** The platforms that a package can be built for. */
const pinnedPlatforms = Object.keys(manifest.optionalDependencies).flatMap(
  (name) => /^node-(linux-.+)$/.exec(name)?.[1] ?? [],
);

/** What of the checkout is in the package. */
const parts = [
  "bin",
  "src",
  ":(glob)sql/**/*.sql",
  "fixtures",
  "docs",
  "test/guides/pipeline.py",
  "test/guides/pipeline.ts",
  "test/guides/submit.py",
  "test/guides/submit.ts",
  "test/guides/moves.py",
  "test/guides/moves.ts",
  "test/guides/mirror.py",
  "test/guides/mirror.ts",
  "package.json",
  "deno.json",
  "package-lock.json",
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "LICENSE",
];

/**
 * What of the packages nothing needs at run time: sources and headers of compiled parts, other platforms' parts, source
 * maps.
 */
const needless = (platform: string): string[] => [
  ".package-lock.json",
  ".bin",
  "**/*.map",
  "@scarf",
  "node-addon-api",
  "better-sqlite3/{build,deps,src,binding.gyp}",
  `better-sqlite3/prebuilds/!(${platform}).node`,
  "swagger-ui-dist/{swagger-ui-es-*,swagger-ui-standalone-*,swagger-ui.js,log.*}",
];

const git = (...words: string[]): Buffer => execFileSync("git", ["-C", root, ...words], { maxBuffer: 2 ** 28 });

/** Puts the files of the last commit into `folder`. */
function addCommit(folder: string): void {
  execFileSync("tar", ["-x", "-C", folder], { input: git("archive", "HEAD", ...parts) });
}

/**
 * Installs the production dependencies of the lock file for a platform, and the Node for it, without running their
 * scripts.
 */
function addPackages(folder: string, platform: string): void {
  const [os = "", cpu = ""] = platform.split("-");
  const words = [
    "ci",
    "--omit=dev",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    `--os=${os}`,
    `--cpu=${cpu}`,
    "--libc=glibc",
  ];
  execFileSync("npm", words, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  const modules = join(folder, "node_modules");
  for (const path of globSync(needless(platform), { cwd: modules }))
    rmSync(join(modules, path), { recursive: true, force: true });
  if (!existsSync(join(modules, `better-sqlite3/prebuilds/${platform}.node`)))
    throw new Error(`better-sqlite3 has no prebuilt binary for ${platform}`);
}

/**
 * Leaves of the Node that npm installed for the platform what runs, where the launcher looks for it. Throws an Error if
 * there is none.
 */
function keepRuntime(folder: string, platform: string): void {
  const modules = join(folder, "node_modules");
  const source = join(modules, `node-${platform}`);
  if (!existsSync(source))
    throw new Error(
      `there is no pinned Node for ${platform}; the optionalDependencies of package.json list one for ${pinnedPlatforms.join(" and ")}`,
    );
  const place = join(modules, "node");
  mkdirSync(join(place, "bin"), { recursive: true });
  for (const file of ["bin/node", "LICENSE"]) renameSync(join(source, file), join(place, file));
  chmodSync(join(place, "bin/node"), 0o755);
  const { version } = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  const kept = { name: "node", version, license: "MIT", bin: { node: "bin/node" } };
  writeFileSync(join(place, "package.json"), `${JSON.stringify(kept, null, 2)}\n`);
  rmSync(source, { recursive: true });
}

/** What the package lacks, which is said at the end. */
const lacks: string[] = [];

/**
 * Adds sqlite3_rsync, which copies the database to a second box. Returns its licence; undefined if it cannot be built
 * here.
 */
function addCopier(folder: string, platform: string): string | undefined {
  const built = join(root, "dist", `copier-${platform}`);
  const { status, stderr } = spawnSync("bash", [join(here, "copier"), platform], { encoding: "utf8" });
  if (status !== 0) {
    const reason = stderr?.trim().split("\n").at(-1) || "bash is not installed";
    lacks.push(`the package does NOT hold sqlite3_rsync (${reason}); follow needs one that is installed elsewhere`);
    return undefined;
  }
  copyFileSync(join(built, "sqlite3_rsync"), join(folder, "bin/sqlite3_rsync"));
  chmodSync(join(folder, "bin/sqlite3_rsync"), 0o755);
  const version = readFileSync(join(built, "version"), "utf8").trim();
  const rule = "=".repeat(100);
  return `${rule}\nsqlite3_rsync ${version} (public domain)\n${rule}\n\nThe authors of SQLite put it into the public domain: https://sqlite.org/copyright.html\n`;
}

/** The files below a folder, sorted. Throws an Error for anything but files and folders. */
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .flatMap((entry) => {
      if (entry.isDirectory()) return [];
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile()) throw new Error(`${path} is neither a file nor a folder`);
      return [path.slice(folder.length + 1)];
    })
    .sort();

/**
 * Packs a folder under a name. The bytes depend only on the names, contents and executable bits of its files, and on
 * the time in seconds.
 */
function pack(folder: string, name: string, seconds: string, target: string): void {
  const same = ["--sort=name", "--format=ustar", `--mtime=@${seconds}`, "--owner=root:0", "--group=root:0"];
  const names = [
    "--mode=u=rwX,go=rX",
    `--transform=s,^[.],${name},`,
    ...(compress === "none" ? [] : [`--use-compress-program=gzip -${compress === "fast" ? 1 : 6}n`]),
  ];
  const env = { ...process.env, LC_ALL: "C" };
  execFileSync("tar", ["--create", "--file", target, ...same, ...names, "--directory", folder, "."], { env });
}

/** One line for each file of a folder, as sha256sum -c reads it. */
const checksums = (folder: string, files: readonly string[]): string =>
  files.map((file) => `${hash("sha256", readFileSync(join(folder, file)))}  ${file}\n`).join("");

/** Signs the sums with the private key in a file of ssh: SHA256SUMS.sig is what `ssh-keygen -Y verify` takes. */
function sign(sums: string, key: string): void {
  rmSync(`${sums}.sig`, { force: true }); // ssh-keygen would ask whether to overwrite it
  execFileSync("ssh-keygen", ["-q", "-Y", "sign", "-f", key, "-n", "tallylight", sums], {
    stdio: ["inherit", "ignore", "inherit"],
  });
}

/** Moves a file, also to another disk, so that it has its name only once it is complete. */
function place(draft: string, target: string): void {
  cpSync(draft, `${target}.part`);
  rmSync(draft);
  renameSync(`${target}.part`, target);
  console.log(`${target}: ${(statSync(target).size / 1e6).toFixed(1)} MB`);
}

const { values } = parseArgs({
  options: {
    sign: { type: "string" },
    platform: { type: "string", default: `${process.platform}-${process.arch}` },
    out: { type: "string", default: join(root, "dist") },
    compress: { type: "string", default: "full" },
  },
});
const { platform, out, compress } = values;
if (!isCompression(compress)) throw new Error("--compress is full, fast or none");
if (git("status", "--porcelain", "--", ...parts).length > 0)
  console.error("note: the package has the last commit; what is not committed is not in it");
const work = mkdtempSync(join(tmpdir(), "tallylight-package-"));
const staging = join(work, "program");
mkdirSync(staging);
try {
  addCommit(staging);
  execFileSync(process.execPath, [join(here, "javascript.ts"), join(staging, "src"), join(staging, "lib")]);
  rmSync(join(staging, "src"), { recursive: true });
  addPackages(staging, platform);
  keepRuntime(staging, platform);
  copyFileSync(join(here, "tallylight"), join(staging, "bin/tallylight"));
  chmodSync(join(staging, "bin/tallylight"), 0o755);
  const licences = [licencesOf(join(staging, "node_modules")), addCopier(staging, platform)];
  writeFileSync(join(staging, "THIRD-PARTY-LICENSES.txt"), licences.filter((one) => one !== undefined).join("\n"));
  writeFileSync(join(staging, "SHA256SUMS"), checksums(staging, filesBelow(staging)));
  const { version } = JSON.parse(readFileSync(join(staging, "package.json"), "utf8"));
  const name = `tallylight-${version}-${platform}`;
  const seconds = git("log", "-1", "--format=%ct").toString().trim();
  mkdirSync(out, { recursive: true });
  pack(staging, name, seconds, join(work, "tar.gz"));
  place(join(work, "tar.gz"), join(out, `${name}.tar.gz`));
  if (spawnSync("dpkg-deb", ["--version"]).status === 0) {
    const debian = { version, platform, seconds, compress };
    packDebian(staging, join(work, "debian"), join(work, "deb"), debian);
    place(join(work, "deb"), join(out, debianName(debian)));
  } else lacks.push("the Debian package was NOT built: dpkg-deb is not installed");
  const sums = join(out, "SHA256SUMS");
  writeFileSync(sums, checksums(out, globSync(["*.deb", "*.tar.gz"], { cwd: out }).sort()));
  if (values.sign !== undefined) sign(sums, values.sign);
  if (platform !== `${process.platform}-${process.arch}`)
    lacks.push(`the package for ${platform} was NOT run: this machine is ${process.platform}-${process.arch}`);
  for (const sentence of lacks) console.error(`note: ${sentence}`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

// Packs a folder with the program as a Debian package, without root: `dpkg-deb` writes root as the owner. The bytes
// depend only on the files and on the time in seconds.
import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = fileURLToPath(new URL("debian/", import.meta.url));
const scripts = ["postinst", "prerm", "postrm"] as const;
const program = "usr/lib/tallylight";
const documentation = "usr/share/doc/tallylight";
const maintainer = "The Tallylight authors <tallylight@packages.invalid>";

/** Debian's names of the processors of the platforms. */
const architectures: Readonly<Record<string, string>> = { "linux-x64": "amd64", "linux-arm64": "arm64" };

/** How dpkg-deb compresses the files. */
const compressions = {
  full: ["-Zxz", "-z1", "--threads-max=1"],
  fast: ["-Zgzip", "-z1"],
  none: ["-Znone"],
} as const;
type Compression = keyof typeof compressions;
export const isCompression = (word: string): word is Compression => word in compressions;

export interface DebianPackage {
  version: string;
  platform: string;
  /** Of the commit, as a Unix time. */
  seconds: string;
  compress: Compression;
}

export const debianName = ({ version, platform }: DebianPackage): string =>
  `tallylight_${version}_${architectures[platform]}.deb`;

/** The files and links below a folder, by their paths there. */
const entriesOf = (folder: string, below = ""): string[] =>
  readdirSync(join(folder, below), { withFileTypes: true })
    .flatMap((entry) => {
      const name = join(below, entry.name);
      return entry.isDirectory() ? entriesOf(folder, name) : [name];
    })
    .sort();

/** A text as the description of a field reads it: each line begins with a space, and an empty one is a dot. */
const folded = (text: string): string =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => (line === "" ? " ." : ` ${line}`))
    .join("\n");

const controlOf = ({ version, platform }: DebianPackage, kibibytes: number): string => `Package: tallylight
Version: ${version}
Architecture: ${architectures[platform]}
Maintainer: ${maintainer}
Installed-Size: ${kibibytes}
Depends: libc6 (>= 2.28), libstdc++6 (>= 8), passwd
Recommends: openssh-client, rsync, ffmpeg
Suggests: openssh-server, python3
Section: web
Priority: optional
Description: server for the graph of a film production
 Serves scenes, assets, the schedule, approvals, deliveries, people and the
 activity of a production to the tools around it, over REST, media and MCP,
 from one SQLite file on one machine.
 .
 Contains Node, sqlite3_rsync and three services: the server, the follower of
 another server and the storage agent. The last two are disabled.
`;

const changelogOf = ({ version, seconds }: DebianPackage): string => `tallylight (${version}) stable; urgency=medium

  * See ${program}/CHANGELOG.md.

 -- ${maintainer}  ${new Date(Number(seconds) * 1000).toUTCString().replace("GMT", "+0000")}
`;

/** Writes a file with its folders. */
function put(root: string, name: string, content: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), content);
  chmodSync(join(root, name), mode);
}

/** Every file readable by everybody and executable or not, every folder open: whatever the umask of who builds. */
function normalizeModes(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) normalizeModes(path);
    else if (entry.isFile()) chmodSync(path, (lstatSync(path).mode & 0o100) !== 0 ? 0o755 : 0o644);
  }
}

function putDocumentation(root: string, of: DebianPackage): void {
  const licence = readFileSync(join(root, program, "LICENSE"), "utf8").replace(/^.*\n\n.*\n\n/, "");
  put(root, `${documentation}/copyright`, `${readFileSync(join(here, "copyright"), "utf8")}${folded(licence)}\n`);
  put(root, `${documentation}/changelog.gz`, gzipSync(changelogOf(of), { level: 9 }));
  put(root, "usr/share/lintian/overrides/tallylight", readFileSync(join(here, "overrides")));
  symlinkSync("../../../lib/tallylight/docs", join(root, documentation, "docs"));
}

function putControl(root: string, of: DebianPackage): void {
  const files = entriesOf(root);
  const bytes = files.reduce((sum, file) => sum + lstatSync(join(root, file)).size, 0);
  const sums = files.flatMap((file) =>
    lstatSync(join(root, file)).isFile() && !file.startsWith("etc/")
      ? [`${hash("md5", readFileSync(join(root, file)))}  ${file}\n`]
      : [],
  );
  put(root, "DEBIAN/control", controlOf(of, Math.ceil(bytes / 1024)));
  put(root, "DEBIAN/conffiles", "/etc/tallylight/config.json\n");
  put(root, "DEBIAN/md5sums", sums.join(""));
  for (const name of scripts) put(root, `DEBIAN/${name}`, readFileSync(join(here, name)), 0o755);
}

/** Packs the program in `folder` as the file `target`. `root` is an empty folder for the tree of the package. */
export function packDebian(folder: string, root: string, target: string, of: DebianPackage): void {
  mkdirSync(join(root, "usr/lib"), { recursive: true });
  cpSync(folder, join(root, program), { recursive: true });
  for (const unit of readdirSync(join(folder, "docs/systemd")))
    put(root, `lib/systemd/system/${unit}`, readFileSync(join(folder, "docs/systemd", unit)));
  put(root, "etc/tallylight/config.json", readFileSync(join(here, "config.json")));
  put(root, `${program}/bin/only-follow`, readFileSync(join(here, "only-follow")), 0o755);
  mkdirSync(join(root, "usr/bin"));
  symlinkSync("../lib/tallylight/bin/tallylight", join(root, "usr/bin/tallylight"));
  putDocumentation(root, of);
  normalizeModes(root);
  putControl(root, of);
  execFileSync("dpkg-deb", ["--root-owner-group", ...compressions[of.compress], "--build", root, target], {
    env: { ...process.env, SOURCE_DATE_EPOCH: of.seconds, LC_ALL: "C" },
    stdio: ["ignore", "ignore", "inherit"],
  });
}

// Decides which paths the agent ignores: files that operating systems create, the audit trail itself, and the patterns of the
// settings.

/** Names of files that operating systems, sync clients and this agent create, in any folder. */
const usuallyIgnored: readonly string[] = [
  ".lucid_audit",
  ".DS_Store",
  "._*",
  ".Spotlight-V100",
  ".Trashes",
  ".Trash-*",
  ".fseventsd",
  ".TemporaryItems",
  ".DocumentRevisions-V100",
  ".apdisk",
  ".nfs*",
  "Thumbs.db",
  "desktop.ini",
  "$RECYCLE.BIN",
  "System Volume Information",
  ".tallylight-*",
];

/** A path without the slashes at its end. */
export function withoutLastSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end--;
  return path.slice(0, end);
}

/** `*` is any text within a name, `**` any text, `?` one character; everything else is itself. */
function sourceOf(pattern: string): string {
  return pattern.replaceAll(/\*\*\/|\*\*|\*|\?|[^*?]+/g, (part) => {
    if (part === "**/") return "(?:.*/)?";
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    return part === "?" ? "[^/]" : part.replaceAll(/[\\^$.|+()[\]{}]/g, "\\$&");
  });
}

export class Ignore {
  readonly #names: RegExp;
  readonly #paths: RegExp;

  /** A pattern without / is for names of files and folders, another one for paths from the root. */
  constructor(patterns: readonly string[]) {
    const all = [...usuallyIgnored, ...patterns].map(withoutLastSlashes).filter(Boolean);
    const union = (chosen: string[]) => new RegExp(`^(?:${chosen.map(sourceOf).join("|") || "(?!)"})$`, "su");
    this.#names = union(all.filter((pattern) => !pattern.includes("/")));
    this.#paths = union(all.filter((pattern) => pattern.includes("/")).map((pattern) => pattern.replace(/^\/+/, "")));
  }

  /** Whether a name in a folder that is not ignored is; `path` ends in the name. */
  takes(name: string, path: string): boolean {
    return this.#names.test(name) || this.#paths.test(path);
  }

  /** Whether a path or a folder above it is ignored. */
  takesAnyOf(path: string): boolean {
    let end = 0;
    for (const name of path.split("/")) {
      end += name.length;
      if (this.takes(name, path.slice(0, end))) return true;
      end++;
    }
    return false;
  }
}

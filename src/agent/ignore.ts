// Decides which paths the agent ignores: files that operating systems create, the audit trail itself, and the patterns
// of the settings.

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

/**
 * The wildcards of a pattern, and its other characters: `*` is any text within a name, `**` any text, `?` one
 * character.
 */
const partsOf = (pattern: string): string[] => pattern.match(/\*\*\/|\*\*|./gsu) ?? [];
const isLoop = (part: string | undefined): boolean => part?.startsWith("*") === true;

/** A pattern with one wildcard for texts at most as an expression, which a text takes once. */
function sourceOf(pattern: string): string {
  const sources = partsOf(pattern).map((part) => {
    if (part === "**/") return "(?:.*/)?";
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    return part === "?" ? "[^/]" : part.replace(/[\\^$.|+()[\]{}]/, "\\$&");
  });
  return sources.join("");
}

/** The places of a pattern, of which a text may stand at several: before each part, and within each "**\/". */
type Places = Set<number>;

/**
 * A pattern with several wildcards for texts. It reads each character once for each part; an expression would try all
 * divisions of a text.
 */
class Glob {
  readonly #parts: readonly string[];
  constructor(pattern: string) {
    this.#parts = partsOf(pattern);
  }

  /** Adds the place before a part, and those behind wildcards there, which may be nothing. */
  #enter(places: Places, at: number): void {
    for (let place = at; ; place++) {
      places.add(place);
      if (!isLoop(this.#parts[place])) return;
    }
  }

  #next(places: Places, character: string): Places {
    const next: Places = new Set();
    const end = this.#parts.length;
    for (const place of places) {
      const isWithin = place > end;
      const at = isWithin ? place - end - 1 : place;
      const part = this.#parts[at];
      if (part === "**/") {
        next.add(at + end + 1);
        if (character === "/") this.#enter(next, at + 1);
      } else if (part === "**" || (part === "*" && character !== "/")) this.#enter(next, at);
      else if (part === character || (part === "?" && character !== "/")) this.#enter(next, at + 1);
    }
    return next;
  }

  takes(text: string): boolean {
    let places: Places = new Set();
    this.#enter(places, 0);
    for (const character of text) {
      places = this.#next(places, character);
      if (places.size === 0) return false;
    }
    return places.has(this.#parts.length);
  }
}

/** Patterns of one kind. */
class Patterns {
  readonly #short: RegExp;
  readonly #long: readonly Glob[];
  constructor(patterns: readonly string[]) {
    const { short = [], long = [] } = Object.groupBy(patterns, (pattern) =>
      partsOf(pattern).filter(isLoop).length > 1 ? "long" : "short",
    );
    this.#short = new RegExp(`^(?:${short.map(sourceOf).join("|") || "(?!)"})$`, "su");
    this.#long = long.map((pattern) => new Glob(pattern));
  }

  takes(text: string): boolean {
    return this.#short.test(text) || this.#long.some((glob) => glob.takes(text));
  }
}

export class Ignore {
  readonly #names: Patterns;
  readonly #paths: Patterns;

  /** A pattern without / is for names of files and folders, another one for paths from the root. */
  constructor(patterns: readonly string[]) {
    const all = [...usuallyIgnored, ...patterns].map(withoutLastSlashes).filter(Boolean);
    const ofPaths = all.filter((pattern) => pattern.includes("/")).map((pattern) => pattern.replace(/^\/+/, ""));
    this.#names = new Patterns(all.filter((pattern) => !pattern.includes("/")));
    this.#paths = new Patterns(ofPaths);
  }

  /** Whether a name in a folder that is not ignored is; `path` ends in the name. */
  takes(name: string, path: string): boolean {
    return this.#names.takes(name) || this.#paths.takes(path);
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

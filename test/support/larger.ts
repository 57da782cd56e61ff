// Writes a production document of any size for benchmarks and tests; the same counts give the same document.
import { once } from "node:events";
import { createWriteStream } from "node:fs";

export interface Counts {
  title?: string;
  scenes: number;
  assets: number;
  /** Versions of each asset; every second one is released. */
  versions: number;
  engagements: number;
}

const departments = ["art", "camera", "costume", "props", "stunts", "sound", "visual-effects", "locations"];
const kinds = ["asset", "prop", "location", "character", "costume", "vehicle", "set-dressing", "graphic"];
const at = (second: number): string => new Date(Date.UTC(2026, 0, 5) + second * 1000).toISOString();
const pick = <T>(from: readonly T[], n: number): T => from[n % from.length] as T;
const many = (count: number, item: (n: number) => unknown): (() => Generator<unknown>) =>
  function* () {
    for (let n = 0; n < count; n++) yield item(n);
  };

const department = (slug: string) => ({
  slug,
  name: slug.toUpperCase(),
  cluster: "physical",
  phases: ["prep", "shoot"],
  mission: `What ${slug} owes the screen.`,
  key_roles: [`Head of ${slug}`],
  privacy: "open",
  unveiled: true,
});

const person = (n: number) => ({
  name: `Crew Member ${n}`,
  role: "Supervisor",
  department: pick(departments, n),
  ...(n < departments.length ? { is_hod: true } : {}),
});

const scene =
  ({ scenes, assets }: Counts) =>
  (n: number) => ({
    number: `${n + 1}`,
    slugline: `${n % 2 === 0 ? "INT." : "EXT."} PLACE ${n % 97} - ${n % 3 === 0 ? "NIGHT" : "DAY"}`,
    synopsis: `What happens in scene ${n + 1} of ${scenes}.`,
    status: pick(["planned", "active", "blocked", "done", "omitted"], n),
    revision_color: pick(["white", "blue", "pink"], n),
    elements: { cast: [`Player ${n % 40}`], extras: n % 30, stunts: n % 11 === 0 },
    assets: Array.from({ length: Math.min(6, assets) }, (_, k) => `Thing ${((n * 6) % Math.max(1, assets - 5)) + k}`),
    created_at: at(n),
    updated_at: at(n + 60),
  });

const version = (asset: number) => (_: unknown, n: number) => ({
  version: n + 1,
  variant: pick(["Main", "On-Set", "Alt"], n),
  status: n % 2 === 0 ? "wip" : "approved",
  note: `Pass ${n + 1} of thing ${asset}`,
  created_by: "Crew Member 3",
  created_by_person: "Crew Member 3",
  ...(n % 2 === 1 ? { released: true } : {}),
  created_at: at(asset + n),
});

const asset =
  ({ assets, versions }: Counts) =>
  (n: number) => ({
    label: `Thing ${n}`,
    kind: pick(kinds, n),
    status: pick(["planned", "active", "blocked", "done"], n),
    department: pick(departments, n),
    ...(pick(kinds, n) === "character" && n + 1 < assets ? { costumes: [`Thing ${n + 1}`] } : {}),
    created_at: at(n),
    updated_at: at(n + 60),
    versions: Array.from({ length: versions }, version(n)),
  });

const delivery =
  ({ scenes, assets }: Counts) =>
  (n: number) => ({
    title: `Turnover ${n}`,
    status: pick(["draft", "blocked", "ready", "sent", "accepted"], n),
    kind: "external",
    due: "2026-05-01",
    external_to: `Vendor ${n}`,
    spec: [{ format: "EXR", frames: 100 + n }],
    scenes: [`${(n % scenes) + 1}`],
    assets: [`Thing ${n % assets}`],
  });

const engagement =
  ({ scenes, assets }: Counts) =>
  (n: number) => ({
    vendor: `Vendor ${n}`,
    title: `Engagement ${n}`,
    created_at: at(n),
    grants: [
      ...Array.from({ length: Math.min(20, scenes) }, (_, k) => ({
        verb: "read",
        scene: `${k + 1}`,
        created_at: at(n),
      })),
      { verb: "read", asset: `Thing ${(8 * n + 3) % assets}`, created_at: at(n) },
      { verb: "read", department: pick(departments, n), created_at: at(n) },
      { verb: "read:own_po", department: pick(departments, n), created_at: at(n) },
      { verb: "submit", delivery: `Turnover ${n}`, created_at: at(n) },
    ],
  });

const files = (n: number) => ({
  path: `reels/${String(n).padStart(7, "0")}.mov`,
  state: "present",
  size: 1_000_000 + n,
  mtime_ns: String(1_767_571_200_000_000_000n + BigInt(n)),
  detected_at: at(n),
});

/** Every list of the document in the schema's order, one item at a time. */
function lists(counts: Counts): [string, () => Iterable<unknown>][] {
  const { scenes, engagements } = counts;
  const strip = (day: number) => Array.from({ length: Math.min(8, scenes - day * 8) }, (_, k) => `${day * 8 + k + 1}`);
  return [
    ["departments", many(departments.length, (n) => department(pick(departments, n)))],
    ["people", many(25, person)],
    ["scenes", many(scenes, scene(counts))],
    ["assets", many(counts.assets, asset(counts))],
    [
      "schedule",
      many(Math.ceil(scenes / 8), (n) => ({
        day_number: n + 1,
        date: at(n * 86_400).slice(0, 10),
        general_call: "07:00",
        status: "scheduled",
        scenes: strip(n),
      })),
    ],
    ["vendors", many(engagements, (n) => `Vendor ${n}`)],
    ["engagements", many(engagements, engagement(counts))],
    ["deliveries", many(engagements, delivery(counts))],
    [
      "approvals",
      many(Math.ceil(scenes / 10), (n) => ({
        title: `Lock scene ${n + 1}`,
        status: "pending",
        mode: "chain",
        scene: `${n + 1}`,
        steps: [{ person: "Crew Member 1", status: "pending" }],
      })),
    ],
    [
      "department_notes",
      many(Math.ceil(scenes / 5), (n) => ({
        department: pick(departments, n),
        scene: `${n + 1}`,
        summary: `Note ${n}`,
        created_at: at(n),
      })),
    ],
    [
      "storage",
      many(1, () => ({ filespace: "stage", active: true, created_at: at(0), files: [...many(100, files)()] })),
    ],
  ];
}

/** Writes the document of `counts` to `file`; returns its size in bytes. */
export async function writeLarger(file: string, counts: Counts): Promise<number> {
  const out = createWriteStream(file);
  const head = {
    document: "tallylight production",
    document_version: 1,
    production: {
      title: counts.title ?? `Larger ${counts.scenes}`,
      logline: "A production of a size that no crew has.",
      status: "active",
      phase: "shoot",
      accent: "slate",
      format: "single",
      created_at: at(0),
    },
  };
  let pending = JSON.stringify(head).slice(0, -1);
  for (const [name, items] of lists(counts)) {
    pending += `,\n${JSON.stringify(name)}: [`;
    let separator = "\n";
    for (const item of items()) {
      pending += separator + JSON.stringify(item);
      separator = ",\n";
      if (pending.length < 1 << 20) continue;
      if (!out.write(pending)) await once(out, "drain");
      pending = "";
    }
    pending += "]";
  }
  out.end(`${pending}}\n`);
  await once(out, "finish");
  return out.bytesWritten;
}

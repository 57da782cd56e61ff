// Builds a small valid production document to start from. Its `$comment` fields explain it; an import ignores them.
import type { ProductionDocumentInput } from "../sections/schema.ts";
import type { productionFormats } from "../../inputs.ts";

export type ProductionFormat = (typeof productionFormats)[number];

/** A value as it is written by hand: each object in it may have a comment. */
type Commented<T> = T extends readonly (infer Item)[]
  ? Commented<Item>[]
  : T extends object
    ? { [Key in keyof T]: Commented<T[Key]> } & { $comment?: string }
    : T;
export type StarterDocument = Commented<ProductionDocumentInput>;

/** The parts that differ between the two formats. */
interface Script {
  production: StarterDocument["production"];
  episodes: NonNullable<StarterDocument["episodes"]>;
  /** The fields of a scene's place in the script. */
  place: { episode?: string };
  /** How references call a scene. */
  scene: (number: string) => string;
}

const single: Script = {
  production: {
    $comment:
      "Any object may have a $comment, which is ignored. A feature has the format single; a series has the format episodic.",
    title: "My Production",
    logline: "One sentence about the story.",
    phase: "prep",
    format: "single",
  },
  episodes: [],
  place: {},
  scene: (number) => number,
};

const episodic: Script = {
  production: {
    $comment:
      "Any object may have a $comment, which is ignored. A series has a season and episodes; a feature has the format single.",
    title: "My Series",
    logline: "One sentence about the story.",
    phase: "prep",
    format: "episodic",
    season_number: 1,
    current_episode: "101",
  },
  episodes: [
    { $comment: "Other things call an episode by its code.", code: "101", title: "Pilot" },
    { code: "102", title: "The Second One" },
  ],
  place: { episode: "101" },
  scene: (number) => `101/${number}`,
};

const script = ({ place, scene, production: { format } }: Script) => ({
  scenes: [
    {
      $comment: `In script order. Other things call the first scene ${scene("1")}${format === "episodic" ? ": the episode's code, a slash and the number" : ", by its number"}.`,
      number: "1",
      ...place,
      slugline: "INT. KITCHEN - DAY",
      synopsis: "Mara finds the letter.",
      assets: ["Mara", "The letter"],
    },
    { number: "2", ...place, slugline: "EXT. HARBOUR - NIGHT", assets: ["Mara", "Harbour at night"] },
  ],
  schedule: [
    {
      $comment: "A day's scenes are in the order of the board.",
      day_number: 1,
      date: "2027-03-01",
      general_call: "07:00",
      scenes: [scene("1")],
    },
    { day_number: 2, date: "2027-03-02", general_call: "16:00", scenes: [scene("2")] },
  ],
});

const assets: NonNullable<StarterDocument["assets"]> = [
  {
    $comment: "A character names its costumes.",
    label: "Mara",
    kind: "character",
    department: "costume",
    costumes: ["Mara - rain coat"],
  },
  {
    $comment:
      "Images of an asset are its versions. Land one over the API, or add media with a file beside this document.",
    label: "Mara - rain coat",
    kind: "costume",
    status: "active",
    department: "costume",
    versions: [{ version: 1, note: "Dark green, waxed.", released: true }],
  },
  { label: "The letter", kind: "prop", department: "art" },
  { label: "Harbour at night", kind: "environment", department: "art" },
];

/** The people, and what vendors do for them: the same for a feature and a series. */
const crewAndVendors = (scene: Script["scene"]) => ({
  vendors: ["Harbour VFX"],
  engagements: [
    {
      $comment: "A vendor's key reaches what its engagement is granted: here a scene, an asset and a delivery.",
      vendor: "Harbour VFX",
      title: "Night extensions",
      grants: [
        { verb: "read" as const, scene: scene("2") },
        { verb: "read" as const, asset: "Harbour at night" },
        { verb: "submit" as const, delivery: "Harbour turnover" },
      ],
    },
  ],
  deliveries: [
    {
      $comment: "draft, blocked, ready, sent or accepted. A vendor submits its work on a delivery that it was granted.",
      title: "Harbour turnover",
      status: "ready" as const,
      kind: "external" as const,
      external_to: "Harbour VFX",
      from_department: "art",
      due: "2027-03-20",
      scenes: [scene("2")],
    },
  ],
  approvals: [
    {
      $comment: "Steps are decided in this order, each by its person.",
      title: "Harbour turnover release",
      delivery: "Harbour turnover",
      steps: [{ person: "Robin Hale" }, { person: "Ada Okafor" }],
    },
  ],
});

/** The document of a format. Sections that are absent are empty, and fields that are absent have their defaults. */
export function starterDocument(format: ProductionFormat): StarterDocument {
  const chosen = format === "single" ? single : episodic;
  const { production, episodes, scene } = chosen;
  return {
    document: "tallylight production",
    document_version: 1,
    production,
    ...(episodes.length > 0 && { episodes }),
    departments: [
      { $comment: "Other things call a department by its slug.", slug: "production", name: "Production" },
      { slug: "art", name: "Art Department" },
      { slug: "costume", name: "Costume" },
    ],
    people: [
      { name: "Ada Okafor", role: "Producer", department: "production", is_hod: true, is_admin: true },
      { name: "Robin Hale", role: "Production designer", department: "art", is_hod: true },
    ],
    ...script(chosen),
    assets,
    ...crewAndVendors(scene),
  };
}

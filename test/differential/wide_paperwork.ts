// Random documents of deliveries, assets, money, approvals and what is recorded.
import type { Json } from "../support/update.ts";
import {
  assetNames,
  day,
  few,
  type Making,
  medium,
  named,
  nameOf,
  orNull,
  personName,
  sceneName,
  sceneNames,
  slug,
  some,
  someOfCharacter,
} from "./fields.ts";
import { chance, integer, pick, thing } from "./known.ts";

export const ofPaperwork: readonly Making[] = [
  (known) => ({
    deliveries: [
      ...few<Json>(known, known.document.deliveries, 2).map((one) => ({
        ...named(one),
        ...some(known, 0.35, {
          status: pick(known, ["draft", "ready", "sent", "accepted", "blocked"]),
          scenes: sceneNames(known),
          assets: assetNames(known),
          ...pick<Json>(known, [
            { kind: "external", external_to: "Somebody" },
            { kind: "internal", external_to: null },
            {},
          ]),
          due: orNull(known, day(known)),
          spec: [{ codec: "EXR", frames: known.number }],
          from_department: orNull(known, slug(known)),
          sent_at: orNull(known, "2026-11-01T00:00:00.000Z"),
          media: [medium(known)],
        }),
      })),
      ...(chance(known, 0.3)
        ? [{ title: `D ${integer(known, 5)}`, ref: `D ref ${known.number}`, status: "draft" }]
        : []),
    ],
  }),
  (known) => ({
    assets: [
      ...(chance(known, 0.6)
        ? [
            {
              label: `A ${integer(known, 30)}`,
              kind: pick(known, ["prop", "character", "costume"]),
              ...some(known, 0.5, { scenes: sceneNames(known), department: slug(known) }),
            },
          ]
        : []),
      ...few<Json>(known, known.document.assets, 2).map((one) => ({
        ...named(one),
        ...some(known, 0.3, {
          status: pick(known, ["planned", "active"]),
          scenes: sceneNames(known),
          department: orNull(known, slug(known)),
          ...(chance(known, 0.2) && { kind: pick(known, ["prop", "character", "costume"]) }),
        }),
        ...(one.kind === "character" && someOfCharacter(known)),
      })),
    ],
  }),
  (known) => {
    const one = thing(known, known.document.assets);
    return {
      assets: [{ label: pick(known, [`${one.label} x`, thing(known, known.document.assets).label]), was: nameOf(one) }],
    };
  },
  (known) => {
    const one = thing(known, known.document.assets);
    const version = (one.versions?.length ?? 0) + (chance(known, 0.8) ? 1 : 0);
    const fields = { note: "n", status: pick(known, ["wip", "approved"]), released: true, media: medium(known) };
    return {
      assets: [
        {
          ...named(one),
          versions: [...(one.versions ?? []), { version, variant: "Main", ...some(known, 0.4, fields) }],
        },
      ],
    };
  },
  (known) => ({
    purchase_orders: [
      ...few<Json>(known, known.document.purchase_orders, 2).map((one) => ({
        ...one,
        status: pick(known, ["open", "partial", "closed", "paid"]),
      })),
      {
        account: "9",
        vendor: pick(known, known.document.vendors),
        description: `D ${integer(known, 4)}`,
        amount: known.number,
        date: "2026-05-01",
        ...some(known, 0.3, { number: `PO ${integer(known, 4)}`, department: slug(known) }),
      },
    ],
  }),
  (known) => ({
    approvals: few<Json>(known, known.document.approvals, 2).map((one) => ({
      ...named(one),
      ...some(known, 0.35, {
        due: orNull(known, day(known)),
        steps: [
          ...one.steps.filter(({ status = "pending" }: Json) => status !== "pending"),
          { person: personName(known) },
        ],
        status: pick(known, ["approved", "pending", "rejected"]),
        mode: pick(known, ["chain", "decision"]),
      }),
    })),
  }),
  (known) => ({
    approvals: [
      {
        title: `Asked ${known.number}`,
        steps: [{ person: personName(known) }, { person: personName(known) }],
        ...pick<Json>(known, [
          {},
          { scene: sceneNames(known)[0] ?? "1" },
          { asset: assetNames(known)[0] ?? "x" },
          { delivery: nameOf(thing(known, known.document.deliveries)) },
        ]),
      },
    ],
  }),
  (known) => ({
    department_notes: [
      {
        department: slug(known),
        scene: sceneName(thing(known, known.document.scenes)),
        summary: `note ${integer(known, 40)}`,
      },
    ],
  }),
  (known) => ({
    engagements: few<Json>(known, known.document.engagements, 1).map((one) => ({
      ...named(one),
      ...some(known, 0.5, {
        grants: [
          ...(one.grants ?? []).filter(({ revoked_at }: Json) => revoked_at === undefined && chance(known, 0.6)),
          pick(known, [
            { verb: "read", scene: sceneName(thing(known, known.document.scenes)) },
            { verb: "read", department: slug(known) },
            {
              verb: "read",
              asset: nameOf(thing(known, known.document.assets)),
              expires_at: "2030-01-01T00:00:00.000Z",
            },
          ]),
        ],
        vendor: pick(known, known.document.vendors),
        ended_at: pick(known, [null, "2026-05-01T00:00:00.000Z", "2030-01-01T00:00:00.000Z"]),
      }),
    })),
  }),
  (known) => ({
    engagements: [
      {
        title: `Work ${known.number}`,
        vendor: pick(known, known.document.vendors),
        grants: [{ verb: "read", scene: sceneName(thing(known, known.document.scenes)) }],
      },
    ],
    vendors: [`Vendor ${known.number}`],
  }),
  (known) => ({
    departments: [
      {
        slug: slug(known),
        ...some(known, 0.4, {
          name: `Dept ${known.number}`,
          phases: few(known, ["prep", "shoot", "post"]),
          mission: orNull(known, "m"),
          key_roles: ["k"],
          registry: { a: known.number, b: [1, null] },
          unveiled: chance(known, 0.5),
        }),
      },
      ...(chance(known, 0.3) ? [{ slug: `s${known.number}`, was: slug(known) }] : []),
      ...(chance(known, 0.2) ? [{ slug: `new-${known.number}`, name: "New" }] : []),
    ],
  }),
  (known) => ({
    cost_reports: [
      {
        week_of: `2027-01-${10 + integer(known, 20)}`,
        active: chance(known, 0.5),
        lines: [
          {
            account: "1",
            department: slug(known),
            ...some(known, 0.5, { budget: known.number, figures: { actual: 2.5 } }),
          },
        ],
      },
    ],
  }),
  (known) => ({
    vendors: [
      pick(known, [
        `Vendor ${known.number}`,
        { name: `Renamed ${known.number}`, was: pick(known, known.document.vendors) },
      ]),
    ],
  }),
  (known) => ({
    production: some(known, 0.4, {
      logline: orNull(known, `L ${known.number}`),
      phase: pick(known, ["prep", "shoot", "post"]),
      accent: pick(known, ["teal", "slate"]),
      status: "active",
      ...(known.document.episodes !== undefined && { season_number: pick(known, [1, 2]) }),
      ...(known.document.episodes?.length > 0 && { current_episode: thing(known, known.document.episodes).code }),
      title: `${known.title}`,
    }),
  }),
  (known) => ({
    episodes: [
      { code: `${300 + integer(known, 6)}`, title: `Episode ${known.number}` },
      ...few<Json>(known, known.document.episodes, 1).map(({ code }) =>
        pick<Json>(known, [
          { code, title: "Retitled" },
          { code: `R${known.number}`, was: code },
        ]),
      ),
    ],
  }),
  (known) => ({
    notes: [
      {
        asset: nameOf(thing(known, known.document.assets)),
        text: `t ${known.number}`,
        author: "a",
        created_at: "2026-11-01T00:00:00Z",
      },
    ],
    jobs: [
      {
        kind: "image",
        status: "done",
        summary: `s ${known.number}`,
        created_at: "2026-11-01T00:00:00Z",
        asset: nameOf(thing(known, known.document.assets)),
      },
    ],
  }),
  (known) => ({
    activity: [
      {
        verb: "note.added",
        summary: `a ${known.number}`,
        actor: "x",
        created_at: "2026-11-01T00:00:00Z",
        ...some(known, 0.4, {
          scene: sceneName(thing(known, known.document.scenes)),
          actor_person: personName(known),
        }),
      },
    ],
  }),
  (known) => ({
    ingredients: [
      {
        label: `I ${integer(known, 9)}`,
        kind: "swatch",
        ...some(known, 0.4, {
          media: medium(known),
        }),
      },
    ],
  }),
  (known) => ({
    script_changes: [
      {
        scene_number: sceneName(thing(known, known.document.scenes)).replace(/^.*\//, ""),
        kind: "changed",
        status: pick(known, ["pending", "approved"]),
        summary: `c ${known.number}`,
        detected_at: "2026-11-01T00:00:00Z",
      },
    ],
  }),
  (known) => ({
    storage: few<Json>(known, known.document.storage, 1).map(({ filespace, files = [] }) => ({
      filespace,
      files: [
        ...files.slice(0, 1).map((file: Json) => ({
          ...file,
          detected_at: pick(known, ["2020-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"]),
          size: known.number,
        })),
        { path: `p/${known.number}.mov`, state: "present", detected_at: "2026-11-02T00:00:00Z" },
      ],
    })),
  }),
];

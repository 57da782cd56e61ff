// Random documents of scenes, people and the schedule.
import type { Json } from "../support/update.ts";
import {
  assetNames,
  day,
  few,
  type Making,
  orNull,
  personName,
  sceneName,
  sceneNames,
  sceneNaming,
  slug,
  some,
} from "./fields.ts";
import { chance, integer, type Known, pick, thing } from "./known.ts";

const sceneFields = (known: Known): Json =>
  some(known, 0.3, {
    synopsis: orNull(known, `Synopsis ${known.number}`),
    slugline: pick(known, ["INT. A - DAY", "EXT. B - NIGHT", "I/E. C - DUSK"]),
    assets: assetNames(known, 5),
    status: pick(known, ["planned", "active", "omitted", "done", "blocked"]),
    revision_color: pick(known, ["blue", "pink", "white"]),
    elements: orNull(known, pick(known, [{ cast: ["X", "Y"], pages: "1" }, { pages: "2/8", set: "HUT" }, {}])),
  });

export const ofScript: readonly Making[] = [
  (known) => ({
    scenes: few<Json>(known, known.document.scenes).map((one) => ({ ...sceneNaming(one), ...sceneFields(known) })),
  }),
  (known) => ({
    scenes: [
      ...(chance(known, 0.7) ? [sceneNaming(thing(known, known.document.scenes))] : []),
      {
        ...sceneNaming(thing(known, known.document.scenes)),
        number: `N${known.number}`,
        slugline: "INT. NEW",
        ...sceneFields(known),
      },
    ],
  }),
  (known) => {
    const one = thing(known, known.document.scenes);
    return {
      scenes: [
        {
          ...sceneNaming(one),
          number: pick(known, [`${one.number}r`, `${known.number}`]),
          was: one.number,
          ...sceneFields(known),
        },
      ],
    };
  },
  (known) => {
    const [one, other] = [thing(known, known.document.scenes), thing(known, known.document.scenes)];
    return {
      scenes: [
        { ...sceneNaming(one), was: sceneName(other) },
        { ...sceneNaming(other), was: sceneName(one) },
      ],
    };
  },
  (known) => {
    const scenes: Json[] = known.document.scenes.map(sceneNaming);
    const [from, to] = [integer(known, scenes.length), integer(known, scenes.length)];
    scenes.splice(to, 0, ...scenes.splice(from, 1));
    return { scenes };
  },
  (known) => ({
    people: [
      ...(chance(known, 0.6)
        ? [
            {
              name: `P ${known.number}`,
              role: "r",
              ...some(known, 0.5, { department: slug(known), is_hod: true, is_admin: true }),
            },
          ]
        : []),
      ...few<Json>(known, known.document.people, 2).map(({ name }) => ({
        name,
        ...some(known, 0.4, {
          role: `role ${known.number}`,
          active: chance(known, 0.5),
          department: orNull(known, slug(known)),
          is_hod: chance(known, 0.5),
        }),
      })),
    ],
  }),
  (known) => {
    const [one, other] = [personName(known), personName(known)];
    return {
      people: pick(known, [
        [{ name: `${one} II`, was: one }],
        [
          { name: one, was: other },
          { name: other, was: one },
        ],
        [{ name: one.toUpperCase(), was: one }],
      ]),
    };
  },
  (known) => {
    const name = `Somebody ${integer(known, 3)}`;
    return { people: [chance(known, 0.5) ? { name, was: personName(known) } : { name, role: "Found again" }] };
  },
  (known) => ({
    schedule: few<Json>(known, known.document.schedule, 3).map(({ day_number }) => ({
      day_number,
      ...some(known, 0.35, {
        scenes: sceneNames(known, 5),
        general_call: pick(known, ["07:00", null, "seven"]),
        calls: few<Json>(known, known.document.people, 3).map(({ name }) => ({
          who: name,
          time: pick(known, ["06:00", "O/C"]),
        })),
        banners: [{ before: pick(known, [...sceneNames(known), "1"]), text: "MOVE" }, { text: "WRAP" }],
        date: day(known),
        notes: orNull(known, `Notes ${known.number}`),
        location: orNull(known, "Quay"),
        status: pick(known, ["scheduled", "wrapped"]),
      }),
    })),
  }),
  (known) => ({
    schedule: [{ day_number: 200 + known.number, date: day(known), scenes: sceneNames(known) }],
  }),
  (known) => {
    const [one, other] = [thing(known, known.document.schedule), thing(known, known.document.schedule)];
    return {
      schedule: [
        { day_number: one.day_number, date: other.date },
        { day_number: other.day_number, date: one.date },
      ],
    };
  },
];

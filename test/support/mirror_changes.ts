// Random changes of a production over the API, for the tests of mirrors: each kind of thing that a list shows, grants,
// renames and undos.
import type { TestServer } from "./app.ts";
import { jpeg } from "./jpeg.ts";

/** The lists of a mirror, with what is asked of them. */
export const mirroredLists = {
  departments: "",
  people: "",
  scenes: "?include=assets,department_notes,shoot_days,script",
  assets: "?include=versions,notes,still",
  schedule: "",
  deliveries: "?include=nodes,awaiting",
  approvals: "",
  "script-changes": "?status=all&all_episodes=1&include=concerns",
  episodes: "",
  vendors: "?include=access",
} as const;

type Row = Record<string, any>;
interface Show {
  studio: string;
  production_id: number;
  vendors: readonly number[];
  vendorKeys: readonly string[];
}

/** Returns a function that tries a random change and says whether it was made; a refusal is none. */
export function randomChange(server: TestServer, { studio, vendors, vendorKeys }: Show, random: () => number) {
  let count = 0;
  const pick = <T>(rows: readonly T[]): T => rows[Math.floor(random() * rows.length)] as T;
  const rowsOf = (path: string): Promise<Row[]> => server.get(studio, path);
  const post = async (path: string, body: object, token = studio): Promise<boolean> => {
    const isForm = body instanceof FormData;
    const given = isForm ? { body } : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const response = await server.ask(token, `/api/v1${path}`, { method: "POST", ...given });
    const text = await response.text();
    if (response.status >= 500) throw new Error(`${path}: ${response.status} ${text}`);
    return response.status === 200;
  };
  const update = (document: object): Promise<boolean> => post("/admin/import", document);
  const file = (name: string, field: string): FormData => {
    const form = new FormData();
    form.append(
      field,
      new Blob([jpeg(16 + (count % 40), 16) as Uint8Array<ArrayBuffer>], { type: "image/jpeg" }),
      name,
    );
    return form;
  };
  const scene = async () => pick(await rowsOf("/scenes"));
  const asset = async () => pick(await rowsOf("/assets"));
  const label = async () => (await asset()).label as string;

  const changes: readonly (() => Promise<boolean>)[] = [
    async () => update({ scenes: [{ number: (await scene()).number, synopsis: `Synopsis ${count}.` }] }),
    async () => update({ scenes: [{ number: `${count}R`, was: (await scene()).number }] }),
    async () =>
      update({ scenes: [{ number: `${count}N`, slugline: `INT. NEW ${count} - DAY`, assets: [await label()] }] }),
    async () => update({ scenes: [{ number: (await scene()).number, status: "omitted" }] }),
    async () => update({ scenes: [{ number: (await scene()).number, assets: [await label(), await label()] }] }),
    async () => update({ assets: [{ label: `Renamed ${count}`, was: await label() }] }),
    async () => update({ assets: [{ label: await label(), scenes: [(await scene()).number] }] }),
    async () => update({ assets: [{ label: await label(), department: pick(await rowsOf("/departments")).slug }] }),
    async () => update({ departments: [{ slug: `renamed-${count}`, was: pick(await rowsOf("/departments")).slug }] }),
    async () => update({ people: [{ name: `Renamed Person ${count}`, was: pick(await rowsOf("/people")).name }] }),
    async () => {
      const day = pick(await rowsOf("/schedule"));
      const scenes = [...new Set([(await scene()).number, ...day.scenes.slice(1).map(({ number }: Row) => number)])];
      return update({ schedule: [{ day_number: day.day_number, scenes, general_call: `0${count % 10}:30` }] });
    },
    async () => {
      const department = pick(await rowsOf("/departments")).slug;
      return update({ department_notes: [{ department, scene: (await scene()).number, summary: `Note ${count}.` }] });
    },
    async () => update({ deliveries: [{ title: `Delivery ${count}`, was: pick(await rowsOf("/deliveries")).title }] }),
    () => post("/assets", { label: `Created ${count}`, kind: "prop" }),
    async () => post("/admin/remove", { section: "assets", id: (await asset()).node_id }),
    async () => post(`/assets/${(await asset()).node_id}/notes`, { text: `Note ${count}` }),
    async () => post(`/assets/${(await asset()).node_id}/versions`, file("still.jpg", "file")),
    async () => {
      const versions = (await rowsOf("/assets?include=versions")).flatMap((row) => row.versions);
      return post(`/admin/versions/${pick(versions).id}/${random() < 0.7 ? "release" : "archive"}`, {});
    },
    async () => {
      const { id, steps } = pick(await rowsOf("/approvals"));
      const decided_by = steps.find(({ status }: Row) => status === "pending")?.person;
      return post(`/approvals/${id}/decide`, { decision: random() < 0.7 ? "approved" : "changes", decided_by });
    },
    async () => post(`/approvals/${pick(await rowsOf("/approvals")).id}/take-back`, {}),
    async () => post(`/admin/approvals/${pick(await rowsOf("/approvals")).id}/reopen`, {}),
    async () => {
      const delivery_id = pick(await rowsOf("/deliveries")).id;
      const target = pick([
        { node_id: (await asset()).node_id },
        { node_id: (await scene()).node_id },
        { delivery_id },
      ]);
      return post("/admin/grants", { engagement_id: pick(vendors), verb: "read", ...target });
    },
    async () => {
      const engagements: Row[] = await rowsOf("/admin/engagements");
      const grants = engagements.flatMap((one) => one.grants.filter(({ live }: Row) => live));
      return grants.length > 3 && post(`/admin/grants/${pick(grants).id}/revoke`, {});
    },
    async () => {
      const [at, key] = pick([...vendorKeys.entries()]);
      const turnover = pick(await server.get<Row[]>(key, "/turnovers"));
      return (
        turnover !== undefined && post(`/turnovers/${turnover.id}/submissions`, file(`work-${at}.jpg`, "files"), key)
      );
    },
    async () => {
      const submission = pick(await rowsOf("/submissions"));
      return (
        submission !== undefined &&
        post(`/submissions/${submission.id}/decide`, { decision: "returned", note: `${count}` })
      );
    },
    async () => {
      const set = (await rowsOf("/admin/history?limit=5"))[0];
      return set !== undefined && post(`/admin/history/${set.id}/undo`, {});
    },
  ];
  return async (): Promise<boolean> => {
    count++;
    return pick(changes)();
  };
}

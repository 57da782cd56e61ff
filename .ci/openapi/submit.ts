// Makes a version, submits work as a vendor and reads a list in pages with the generated client of each of three
// generators: openapi-typescript (types alone), @hey-api/openapi-ts and orval. Needs TALLYLIGHT_URL, TALLYLIGHT_KEY
// (read and write) and TALLYLIGHT_VENDOR (read and submit:turnover, bound to an engagement that may submit).
import { env } from "node:process";
import { client } from "./hey-api/client.gen.ts";
import * as hey from "./hey-api/sdk.gen.ts";
import * as orval from "./orval.ts";
import type { paths } from "./tallylight.ts";

const { TALLYLIGHT_URL: url = "", TALLYLIGHT_KEY: key = "", TALLYLIGHT_VENDOR: vendor = "" } = env;
const authorized = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const still = () =>
  new Blob(
    [
      Buffer.from(
        "/9j/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=",
        "base64",
      ),
    ],
    { type: "image/jpeg" },
  );

interface Client {
  /** The ids of a page of assets, and the address of the next page. */
  page(limit: number): Promise<{ ids: number[]; response: { headers: Headers } }>;
  createVersion(node_id: number, note: string): Promise<number>;
  turnover(): Promise<number>;
  submit(delivery_id: number, title: string): Promise<{ title: string; media: number }>;
}

/** The types of openapi-typescript with fetch, as its guide shows it: a form is made of the fields of the body. */
type Body<P extends keyof paths> = paths[P] extends {
  post: { requestBody: { content: { "multipart/form-data": infer B } } };
}
  ? B
  : never;
type Answer<P extends keyof paths, M extends "get" | "post"> = paths[P][M] extends {
  responses: { 200: { content: { "application/json": infer A } } };
}
  ? A
  : never;

async function typed<P extends keyof paths, M extends "get" | "post">(
  path: P,
  method: M,
  token: string,
  to: string,
  body?: FormData,
) {
  const response = await fetch(`${url}/api/v1${to}`, {
    method: method.toUpperCase(),
    ...authorized(token),
    ...(body && { body }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return { data: (await response.json()) as Answer<P, M>, response };
}

/** The fields of a body as a form. The types say `string` for bytes; `files` has them. */
function formOf<P extends keyof paths>(
  fields: Partial<Body<P>>,
  files: Partial<Record<keyof Body<P>, Blob>>,
): FormData {
  const form = new FormData();
  for (const [name, text] of Object.entries(fields)) form.append(name, String(text));
  for (const [name, file] of Object.entries(files)) form.append(name, file as Blob, "still.jpg");
  return form;
}

const versions = "/assets/{node_id}/versions";
const submissions = "/turnovers/{delivery_id}/submissions";

/** Uploads a still, and returns the id of the upload: these generators take the JSON of a body that may be a form. */
async function uploaded(auth: string): Promise<string> {
  const { size } = still();
  const tus = { "Tus-Resumable": "1.0.0" } as const;
  const { response } = await hey.createUpload({ auth, headers: { ...tus, "Upload-Length": size }, throwOnError: true });
  const upload_id = response.headers.get("location")?.split("/").at(-1) ?? "";
  const headers = { ...tus, "Upload-Offset": 0 };
  await hey.appendUpload({ auth, path: { upload_id }, headers, body: still(), throwOnError: true });
  return upload_id;
}

const clients: Record<string, Client> = {
  "openapi-typescript": {
    async page(limit) {
      const { data, response } = await typed("/assets", "get", key, `/assets?limit=${limit}`);
      return { ids: data.flatMap(({ node_id }) => node_id ?? []), response };
    },
    async createVersion(node_id, note) {
      const form = formOf<typeof versions>({ note }, { file: still() });
      return (await typed(versions, "post", key, `/assets/${node_id}/versions`, form)).data.version;
    },
    turnover: async () =>
      (await typed("/turnovers", "get", vendor, "/turnovers")).data.find(({ can_submit }) => can_submit)?.id ?? 0,
    async submit(delivery_id, title) {
      const form = formOf<typeof submissions>({ title }, { files: still() });
      const { data } = await typed(submissions, "post", vendor, `/turnovers/${delivery_id}/submissions`, form);
      return { title: data.title, media: data.media.length };
    },
  },
  "@hey-api/openapi-ts": {
    async page(limit) {
      const { data, response } = await hey.listAssets({ query: { limit }, throwOnError: true });
      return { ids: data.flatMap(({ node_id }) => node_id ?? []), response };
    },
    async createVersion(node_id, note) {
      const body: { note: string; upload_ids: [string] } = { note, upload_ids: [await uploaded(key)] };
      return (await hey.createVersion({ path: { node_id }, body, throwOnError: true })).data.version;
    },
    async turnover() {
      const { data } = await hey.listTurnovers({ auth: vendor, throwOnError: true });
      return data.find(({ can_submit }) => can_submit)?.id ?? 0;
    },
    async submit(delivery_id, title) {
      const body = { title, upload_ids: [await uploaded(vendor), await uploaded(vendor)] };
      const { data } = await hey.submitTurnover({ path: { delivery_id }, body, auth: vendor, throwOnError: true });
      return { title: data.title, media: data.media.length };
    },
  },
  orval: {
    async page(limit) {
      const { data, headers, status } = await orval.listAssets({ limit }, authorized(key));
      if (status !== 200) throw new Error(`list_assets: ${status}`);
      return { ids: data.flatMap(({ node_id }) => node_id ?? []), response: { headers } };
    },
    async createVersion(node_id, note) {
      const { data, status } = await orval.createVersion(
        node_id,
        { note, upload_ids: [await uploaded(key)] },
        authorized(key),
      );
      if (status !== 200) throw new Error(`create_version: ${status}`);
      return data.version;
    },
    async turnover() {
      const { data, status } = await orval.listTurnovers({}, authorized(vendor));
      if (status !== 200) throw new Error(`list_turnovers: ${status}`);
      return data.find(({ can_submit }) => can_submit)?.id ?? 0;
    },
    async submit(delivery_id, title) {
      const body = { title, upload_ids: [await uploaded(vendor), await uploaded(vendor)] };
      const { data, status } = await orval.submitTurnover(delivery_id, body, authorized(vendor));
      if (status !== 200) throw new Error(`submit_turnover: ${status}`);
      return { title: data.title, media: data.media.length };
    },
  },
};

// orval's functions have paths alone; a program gives them its own address.
const plainFetch = globalThis.fetch;
globalThis.fetch = (input, options) =>
  plainFetch(typeof input === "string" && input.startsWith("/") ? `${url}/api/v1${input}` : input, options);
client.setConfig({ baseUrl: `${url}/api/v1`, auth: key });

for (const [name, one] of Object.entries(clients)) {
  const { ids, response } = await one.page(3);
  const next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  if (ids.length !== 3 || next === undefined)
    throw new Error(`${name}: the page has ${ids.length} rows and no next one`);
  const following = (await (await fetch(next, authorized(key))).json()) as { node_id: number }[];
  if (following.some(({ node_id }) => ids.includes(node_id))) throw new Error(`${name}: the next page repeats a row`);
  const version = await one.createVersion(ids[0] ?? 0, `Made with ${name}.`);
  const title = `Submitted with ${name}`;
  const sent = await one.submit(await one.turnover(), title);
  if (sent.title !== title || sent.media < 1) throw new Error(`${name}: submitted ${JSON.stringify(sent)}`);
  console.log(`${name} read pages, made version ${version} and submitted ${sent.media} files`);
}

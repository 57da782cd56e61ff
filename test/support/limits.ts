// The limits of the program, as docs/reference.md has them: `npm run reference` writes its tables from these rows.
import { networkPart, strangersPart } from "../../src/core/http/connection_shares.ts";
import { defaultBodyTimeouts } from "../../src/core/http/connections.ts";
import "../../src/features.ts";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { maxFiles } from "../../src/core/body_limits.ts";
import { readConfig } from "../../src/core/config.ts";
import { defaultStreamTimes } from "../../src/features/events/event_stream.ts";
import { defaultRetention } from "../../src/features/events/retention.ts";
import { maxStorageEvents } from "../../src/graph/storage_events.ts";
import { constantOf } from "./constants.ts";
import { temporaryFolder } from "./folder.ts";
import { table } from "./operations.ts";

/** The constants that the rows name, as `file name`. */
export const documented = new Set<string>(["core/body_limits.ts maxFiles", "graph/storage_events.ts maxStorageEvents"]);

/** The value of a constant that the tables document. */
function value(file: string, name: string): number {
  documented.add(`${file} ${name}`);
  return constantOf(file, name);
}

const config = readConfig(temporaryFolder(), {});
const rowOf = (name: string) => table.find((row) => row.name === name) as (typeof table)[number];
const pageSize = (): number => {
  const sizes = ["list_activity", "list_jobs"].map((name) => v.parse(rowOf(name).input, {}).limit as number);
  assert.is(sizes[0], sizes[1], "the two lists have the same pages");
  return sizes[0] as number;
};
const together = config.uploads_at_once * value("core/store/blobs.ts", "totalFactor");

const counted = (value: number): string => value.toLocaleString("en");

/** "64 GiB"; "none" if there is no limit. Throws an Error if the value is not a whole number of some unit. */
function bytes(value: number | undefined): string {
  if (value === undefined) return "none";
  const exponent = [4, 3, 2, 1].find((one) => value % 2 ** (10 * one) === 0);
  if (exponent === undefined) throw new Error(`${value} bytes are no whole number of KiB`);
  return `${counted(value / 2 ** (10 * exponent))} ${["", "KiB", "MiB", "GiB", "TiB"][exponent]}`;
}

const units = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
] as const;

/** "30 s", "10 minutes" or "1 day", from milliseconds. */
function time(value: number): string {
  const [size, unit] = units.find(([one]) => value % one === 0 && (value > one || one > 60_000)) ?? [1000, "s"];
  return unit === "s" || value === size ? `${counted(value / size)} ${unit}` : `${counted(value / size)} ${unit}s`;
}

/** "200" or "4,096 pixels"; "none" if there is no limit. */
const count = (value: number | undefined, noun?: string): string =>
  value === undefined ? "none" : [counted(value), noun].filter(Boolean).join(" ");

export interface Limit {
  limit: string;
  value: string;
  /** The status beyond it, or what happens then. */
  beyond?: string;
  /** The setting that changes it. */
  setting?: keyof typeof config;
}

/** The rows of each table, by its heading. */
export const limits: Readonly<Record<string, readonly Limit[]>> = {
  Requests: [
    {
      limit: "all headers of a request",
      value: bytes(value("core/http/request_head.ts", "headerLimit")),
      beyond: "431",
    },
    { limit: "number of headers", value: count(value("core/http/request_head.ts", "maxHeaders")), beyond: "431" },
    { limit: "characters of a token", value: count(value("core/access/callers.ts", "maxToken")), beyond: "401" },
    { limit: "JSON body", value: bytes(value("core/body_limits.ts", "jsonBody")), beyond: "413" },
    { limit: "body of storage events", value: bytes(rowOf("post_storage_events").body_limit), beyond: "413" },
    { limit: "body of a stand-in", value: bytes(rowOf("put_media_proxy").body_limit), beyond: "413" },
    { limit: "MCP body", value: bytes(value("features/mcp/route.ts", "mcpBody")), beyond: "413" },
    { limit: "depth of a JSON body", value: count(value("core/json.ts", "maxDepth")), beyond: "422" },
    { limit: "values in a JSON body", value: count(value("core/json.ts", "maxValues")), beyond: "413" },
    {
      limit: "characters of the keys of a JSON body, together",
      value: count(value("core/json.ts", "maxKeys")),
      beyond: "413",
    },
    {
      limit: "body of a client registration",
      value: bytes(value("features/oauth/registration.ts", "registrationBody")),
      beyond: "413",
    },
    {
      limit: "addresses of a client registration",
      value: count(value("features/oauth/clients.ts", "maxAddresses")),
      beyond: "400",
    },
    {
      limit: "grant types of a client registration, and response types",
      value: count(value("features/oauth/clients.ts", "maxTypes")),
      beyond: "400",
    },
    {
      limit: "name of a client that registers",
      value: count(value("features/oauth/clients.ts", "maxName"), "characters"),
      beyond: "400",
    },
    { limit: "body of another OAuth form", value: bytes(value("features/oauth/form.ts", "oauthBody")), beyond: "413" },
    {
      limit: "form of a page, without files",
      value: bytes(value("features/pages/form.ts", "pageForm")),
      beyond: "413",
    },
    { limit: "form of the sign-in page", value: bytes(value("features/pages/form.ts", "visitorForm")), beyond: "413" },
    {
      limit: "form that is kept when its session has ended",
      value: bytes(value("features/pages/form.ts", "keptForm")),
      beyond: "it is lost",
    },
    {
      limit: "script of the first production, on its page",
      value: bytes(value("features/documents/pages/feature.ts", "maxScript")),
      beyond: "413",
    },
    {
      limit: "fields of a form without files",
      value: count(value("features/pages/form_pairs.ts", "maxPairs")),
      beyond: "413",
    },
    { limit: "bodies in memory, of one key", value: bytes(value("core/body_limits.ts", "bodiesOfKey")), beyond: "503" },
    { limit: "bodies in memory, of all keys", value: bytes(value("core/body_limits.ts", "allBodies")), beyond: "503" },
    {
      limit: "texts and values of bodies that are parsed, of one key",
      value: bytes(value("core/body_limits.ts", "parsedOfKey")),
      beyond: `it waits its turn for ${time(value("core/body_limits.ts", "maxWait"))}, then 503`,
    },
    {
      limit: "texts and values of bodies that are parsed, of all keys",
      value: bytes(value("core/body_limits.ts", "allParsed")),
      beyond: `it waits its turn for ${time(value("core/body_limits.ts", "maxWait"))}, then 503`,
    },
    { limit: "problems that an error names", value: count(value("core/inputs.ts", "maxSentences")), beyond: "counted" },
    {
      limit: "text or digits of the `id` of an MCP message",
      value: count(value("features/mcp/messages.ts", "maxId")),
      beyond: "-32600",
    },
  ],
  "Forms and uploads": [
    { limit: "one uploaded file", value: bytes(config.upload_limit), beyond: "413", setting: "upload_limit" },
    { limit: "files of a form or an MCP call", value: count(maxFiles), beyond: "413" },
    {
      limit: "files of an import on its page, together",
      value: bytes(value("features/documents/pages/feature.ts", "importFiles")),
      beyond: "413",
    },
    {
      limit: "files that `POST /admin/files` adds to a delivery's own",
      value: count(value("features/documents/operations.ts", "maxAdded")),
      beyond: "422",
    },
    { limit: "items of a batch", value: count(value("graph/batches.ts", "maxBatch")), beyond: "422" },
    {
      limit: "names of the files of a submission, together",
      value: bytes(value("graph/turnovers.ts", "maxNames")),
      beyond: "413",
    },
    {
      limit: "files that one engagement has submitted, and uploads that it began",
      value: count(config.engagement_quota.files),
      beyond: "413",
      setting: "engagement_quota",
    },
    {
      limit: "bytes that one engagement has submitted, and of uploads that it began",
      value: count(config.engagement_quota.bytes),
      beyond: "413",
      setting: "engagement_quota",
    },
    {
      limit: "people of one form who are invited",
      value: count(value("features/admin/pages/many_invitations.ts", "maxInvited")),
      beyond: "422",
    },
    { limit: "fields of a form", value: count(value("core/http/multipart.ts", "maxFields")), beyond: "413" },
    { limit: "all fields of a form", value: bytes(value("core/body_limits.ts", "formFields")), beyond: "413" },
    { limit: "parts of a form", value: count(value("core/http/multipart_limits.ts", "maxParts")), beyond: "413" },
    {
      limit: "headers of one part",
      value: bytes(value("core/http/multipart_limits.ts", "maxHeaderBytes")),
      beyond: "413",
    },
    {
      limit: "headers of all parts",
      value: bytes(value("core/http/multipart_limits.ts", "maxTotalHeaderBytes")),
      beyond: "413",
    },
    {
      limit: "uploads of one key at once",
      value: count(config.uploads_at_once),
      beyond: "503",
      setting: "uploads_at_once",
    },
    { limit: "uploads of all keys at once", value: count(together), beyond: "503", setting: "uploads_at_once" },
    {
      limit: "uploads of all keys at once, for a key that has none",
      value: count(together * value("core/store/blobs.ts", "spareFactor")),
      beyond: "503",
      setting: "uploads_at_once",
    },
    {
      limit: "unused resumable uploads of one key",
      value: count(value("features/uploads/receiving.ts", "maxUploadsOfKey")),
      beyond: "503",
    },
    { limit: "free space on the disk", value: bytes(config.disk_reserve), beyond: "507", setting: "disk_reserve" },
  ],
  Fields: [
    { limit: "page of `/activity`, `/jobs` and `/admin/audit`, by default", value: count(pageSize()) },
    {
      limit: "page of `/activity`, `/jobs`, `/search`, `/admin/audit`, `/admin/history` and the lists of a webhook",
      value: count(value("core/inputs.ts", "maxFeedRows")),
      beyond: "200",
    },
    {
      limit: "page of another list",
      value: count(value("core/inputs.ts", "maxListRows")),
      beyond: "500",
    },
    { limit: "text of a page of a list", value: bytes(value("core/listing.ts", "maxPage")), beyond: "the page ends" },
    { limit: "page of `/events`, by default", value: count(v.parse(rowOf("list_events").input, {}).limit as number) },
    {
      limit: "page of `/events`",
      value: count(v.parse(rowOf("list_events").input, { limit: 1_000_000 }).limit as number),
      beyond: "200",
    },
    {
      limit: "values of a field that repeats in a query",
      value: count(value("core/inputs.ts", "maxIds")),
      beyond: "422",
    },
    {
      limit: "values in the documents of an import, together",
      value: count(value("features/documents/jobs/import_work.ts", "maxValues")),
      beyond: "413",
    },
    {
      limit: "scenes of a production, assets and people likewise; `import FILE` of a whole document takes more",
      value: count(value("graph/values.ts", "maxThings")),
      beyond: "422",
    },
    {
      limit: "days of the cast that `/cast/days` lists, of all characters together",
      value: count(value("features/cast/cast_days.ts", "maxCastDays")),
      beyond: "422",
    },
    {
      limit: "days near a shoot day whose cast is compared with its own",
      value: count(value("features/clashes/clashes.ts", "maxNearDays")),
      beyond: "not compared",
    },
    {
      limit: "`elements`, `spec`, `registry` or `figures` of a document, as JSON",
      value: count(value("features/documents/sections/values.ts", "maxFree"), "characters"),
      beyond: "422",
    },
    {
      limit: "characters of two texts that a page compares word by word, together",
      value: count(value("features/pages/differences.ts", "maxCompared")),
      beyond: "the beginnings are shown",
    },
    {
      limit: "characters of all texts that one page compares",
      value: count(value("features/pages/differences.ts", "maxComparedOnPage")),
      beyond: "the beginnings are shown",
    },
    {
      limit: "rows of a whole list on a page",
      value: count(value("features/pages/list_windows.ts", "maxWhole")),
      beyond: "shown in parts",
    },
    {
      limit: "`map` fields of an import",
      value: count(value("features/documents/import_flags.ts", "maxMaps")),
      beyond: "422",
    },
    {
      limit: "script or list of an import",
      value: bytes(value("features/documents/importers.ts", "maxBytes")),
      beyond: "422",
    },
    { limit: "events of a storage batch", value: count(maxStorageEvents), beyond: "413" },
    {
      limit: "path in a filespace",
      value: count(value("graph/storage_events.ts", "maxPathBytes"), "bytes"),
      beyond: "422",
    },
    {
      limit: "names that an approval of a script change takes out of a scene, and keeps",
      value: count(value("features/scripts/operations.ts", "maxNames")),
      beyond: "422",
    },
    { limit: "text of a note", value: count(value("graph/note.ts", "maxNoteLength"), "characters"), beyond: "422" },
    {
      limit: "words of a search that may be corrected",
      value: count(value("features/search/near_words.ts", "maxWords")),
      beyond: "none is",
    },
    {
      limit: "webhooks of a production",
      value: count(value("features/webhooks/webhooks.ts", "maxWebhooks")),
      beyond: "409",
    },
    {
      limit: "address of a webhook",
      value: count(value("features/webhooks/destinations.ts", "maxUrl"), "characters"),
      beyond: "422",
    },
    {
      limit: "side of a stand-in",
      value: count(value("graph/stand_ins.ts", "maxSide"), "pixels"),
      beyond: "422",
    },
    { limit: "scans of a JPEG", value: count(value("graph/jpeg.ts", "maxScans")), beyond: "422" },
    { limit: "still for a look brief", value: bytes(value("features/restyle/percep.ts", "maxBytes")), beyond: "422" },
    {
      limit: "memory that decoding a picture takes, as its header says",
      value: bytes(value("features/pictures/decoder.ts", "maxHeld")),
      beyond: "the original is served",
    },
    {
      limit: "memory of the process that decodes pictures, beyond what its runtime reserves",
      value: bytes(value("features/pictures/memory_bound.ts", "maxData")),
      beyond: "the original is served",
    },
    {
      limit: "memory of the process that makes the picture or the preview of a film",
      value: bytes(value("features/pictures/ffmpeg.ts", "maxMemory")),
      beyond: "the film is served, and has no preview",
    },
    {
      limit: "the preview of a film",
      value: bytes(value("features/pictures/ffmpeg.ts", "maxPreview")),
      beyond: "404",
    },
    {
      limit: "side of a still for a look brief",
      value: count(value("features/restyle/percep.ts", "maxSide"), "pixels"),
      beyond: "422",
    },
  ],
  "Time and rates": [
    {
      limit: "time for the headers of a request",
      value: time(value("core/server.ts", "headersTimeout")),
      beyond: "408",
    },
    { limit: "time for a body that is not an upload", value: time(defaultBodyTimeouts.complete), beyond: "408" },
    { limit: "least that an upload must bring in each interval", value: bytes(defaultBodyTimeouts.min), beyond: "408" },
    { limit: "interval for an upload", value: time(defaultBodyTimeouts.window), beyond: "408" },
    {
      limit: "idle time of a connection",
      value: time(value("core/http/send.ts", "idleTimeout")),
      beyond: "closed, up to 15 s later",
    },
    {
      limit: "time that requests have when the server stops",
      value: time(value("core/server.ts", "closeTimeout")),
      beyond: "closed",
    },
    {
      limit: "time that a write waits for another process, and longer while an import of this server is being stored",
      value: time(value("core/store/transactions.ts", "defaultTimeout")),
      beyond: "503",
    },
    { limit: "connections", value: count(config.connections), beyond: "closed", setting: "connections" },
    {
      limit: "of them without a valid key or session",
      value: count(config.connections * strangersPart),
      beyond: "503, or closed",
    },
    {
      limit: "of them of one network",
      value: count(config.connections * networkPart),
      beyond: "503, or closed",
    },
    {
      limit: "longest `wait` of `/events`",
      value: time(1000 * value("features/events/wait.ts", "maxWait")),
      beyond: "422",
    },
    {
      limit: "event streams and waiting polls of one key",
      value: count(config.event_readers),
      beyond: "503",
      setting: "event_readers",
    },
    {
      limit: "event stream without an event, until a comment",
      value: time(defaultStreamTimes.quiet),
      beyond: "a comment",
    },
    { limit: "event stream that the client does not read", value: time(defaultStreamTimes.stalled), beyond: "closed" },
    {
      limit: "one delivery to a webhook",
      value: time(value("features/webhooks/posting.ts", "tryTimeout")),
      beyond: "tried again",
    },
    {
      limit: "answers to a webhook that refuse one event",
      value: count(value("features/webhooks/deliveries.ts", "maxRefusals")),
      beyond: "it is set aside",
    },
    {
      limit: "longest `Retry-After` of the receiver of a webhook",
      value: time(value("features/webhooks/deliveries.ts", "maxDelay")),
      beyond: "10 minutes",
    },
    { limit: "requests of one key in a minute", value: count(config.rate_limit), beyond: "429", setting: "rate_limit" },
    {
      limit: "wrong keys and tickets of one network in a minute",
      value: count(config.failed_keys),
      beyond: "429",
      setting: "failed_keys",
    },
    {
      limit: "wrong keys on the sign-in page, of one network in a minute",
      value: count(value("features/oauth/authorization.ts", "wrongKeysAMinute")),
      beyond: "429",
    },
    {
      limit: "wrong keys and links on the pages, of one network in a minute",
      value: count(value("features/pages/sign_in.ts", "wrongKeysAMinute")),
      beyond: "429",
    },
    {
      limit: "client registrations of one network in a minute",
      value: count(value("features/oauth/registration.ts", "registrationsAMinute")),
      beyond: "429",
    },
    {
      limit: "look briefs that are made at once",
      value: count(value("features/restyle/providers.ts", "maxInFlight")),
      beyond: "503",
    },
    {
      limit: "pictures of one key that wait to be made",
      value: count(value("features/pictures/pictures.ts", "waitingOfKey")),
      beyond: "503",
    },
    {
      limit: "films of one key that wait for their pictures, and for their previews",
      value: count(value("features/pictures/films.ts", "waitingOfKey")),
      beyond: "503",
    },
    {
      limit: "pictures of all keys that wait to be made",
      value: count(value("features/pictures/pictures.ts", "waitingOfAll")),
      beyond: "503",
    },
    {
      limit: "imports of one production that run or wait",
      value: count(value("features/work/jobs.ts", "maxOfProduction")),
      beyond: "503",
    },
    {
      limit: "imports of all productions that wait",
      value: count(value("features/work/jobs.ts", "maxWaiting")),
      beyond: "503",
    },
    {
      limit: "longest `Retry-After` that comes from a provider",
      value: time(1000 * value("features/restyle/outbound.ts", "maxRetryAfterHeader")),
      beyond: "300 s",
    },
  ],
  Lifetimes: [
    { limit: "event", value: time(defaultRetention.maxAge), beyond: "a cursor before it is 410" },
    { limit: "events of all productions", value: count(defaultRetention.maxEvents), beyond: "the oldest go" },
    {
      limit: "answer to an `Idempotency-Key`",
      value: time(value("core/times.ts", "day")),
      beyond: "the request runs again",
    },
    {
      limit: "answers with a credential in memory",
      value: count(value("features/idempotency/idempotency.ts", "maxInMemory")),
      beyond: "the oldest go",
    },
    {
      limit: "resumable upload after its last bytes",
      value: time(value("features/uploads/resumable_uploads.ts", "lifetime")),
      beyond: "removed",
    },
    { limit: "media ticket", value: time(value("graph/tickets.ts", "ticketLifetime")), beyond: "401" },
    { limit: "sign-in page", value: time(value("features/oauth/requests.ts", "lifetime")), beyond: "400" },
    { limit: "authorization code", value: time(value("features/oauth/sign_ins.ts", "codeLifetime")), beyond: "400" },
    { limit: "access token", value: time(value("features/oauth/sign_ins.ts", "accessLifetime")), beyond: "401" },
    { limit: "refresh token", value: time(value("features/oauth/sign_ins.ts", "refreshLifetime")), beyond: "400" },
    {
      limit: "tokens of one sign-in",
      value: count(value("features/oauth/sign_ins.ts", "maxTokensOfFamily")),
      beyond: "the oldest go",
    },
    {
      limit: "sign-ins of one key",
      value: count(value("features/oauth/sign_ins.ts", "maxSigninsOfKey")),
      beyond: "the oldest go",
    },
    {
      limit: "session of a browser, without use",
      value: time(value("features/pages/sessions.ts", "sessionLifetime")),
      beyond: "sign in again",
    },
    {
      limit: "form whose session has ended, until its sender signs in",
      value: time(value("features/pages/held_forms.ts", "heldLifetime")),
      beyond: "it is lost",
    },
    { limit: "such forms", value: count(value("features/pages/held_forms.ts", "maxHeld")), beyond: "the oldest go" },
    {
      limit: "sessions of one key",
      value: count(value("features/pages/sessions.ts", "maxSessionsOfKey")),
      beyond: "the oldest go",
    },
    {
      limit: "one-time link that begins the first production",
      value: time(value("features/pages/first_visit.ts", "beginLinkLifetime")),
      beyond: "403",
    },
    { limit: "one-time link", value: time(value("features/pages/sessions.ts", "linkLifetime")), beyond: "403" },
    {
      limit: "client that never signed in",
      value: time(value("features/oauth/clients.ts", "unusedLifetime")),
      beyond: "forgotten",
    },
    {
      limit: "clients that never signed in",
      value: count(value("features/oauth/clients.ts", "maxUnused")),
      beyond: "the oldest go",
    },
    {
      limit: "client without a sign-in or a token",
      value: time(value("features/oauth/clients.ts", "idleLifetime")),
      beyond: "forgotten",
    },
  ],
};

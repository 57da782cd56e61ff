// The limits in docs/api.md are those of the program, and no limit that a client can meet is missing there.
import "../../src/features.ts";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { readConfig } from "../../src/core/config.ts";
import { maxFiles } from "../../src/core/errors.ts";
import { defaultBodyTimeouts } from "../../src/core/http/connections.ts";
import { defaultStreamTimes } from "../../src/features/events/event_stream.ts";
import { defaultRetention } from "../../src/features/events/retention.ts";
import { maxStorageEvents } from "../../src/graph/storage_events.ts";
import { constantOf, limitConstants } from "../support/constants.ts";
import { pageAt, quantityOf, tablesOf } from "../support/documentation.ts";
import { temporaryFolder } from "../support/folder.ts";
import { table } from "../support/operations.ts";

const documented = new Set<string>(["core/errors.ts maxFiles", "graph/storage_events.ts maxStorageEvents"]);

/** The value of a constant that the tables document. */
function value(file: string, name: string): number {
  documented.add(`${file} ${name}`);
  return constantOf(file, name);
}

const config = readConfig(temporaryFolder(), {});
const rowOf = (name: string) => table.find((row) => row.name === name) as (typeof table)[number];
const pageSize = (limit?: number): number => {
  const sizes = ["list_activity", "list_jobs"].map((name) => v.parse(rowOf(name).input, { limit }).limit as number);
  assert.is(sizes[0], sizes[1], "the two lists have the same pages");
  return sizes[0] as number;
};
/** The most characters that a text field takes. */
function longest(name: string, field: string): number {
  const { pipe = [] } = rowOf(name).input.entries[field] as {
    pipe?: readonly { type: string; requirement?: unknown }[];
  };
  return pipe.find(({ type }) => type === "max_length")?.requirement as number;
}
/** The most seconds that `wait` takes. */
const longestWait = [...Array(1_000).keys()].findLast((wait) => v.is(rowOf("list_events").input, { wait }));
const together = config.uploads_at_once * value("core/store/blobs.ts", "totalFactor");

/** Every row of the tables with what the program says: bytes, milliseconds or a count; undefined is no limit. */
const limits: Readonly<Record<string, Readonly<Record<string, number | undefined>>>> = {
  Requests: {
    "all headers of a request": value("core/http/request_head.ts", "headerLimit"),
    "number of headers": value("core/http/request_head.ts", "maxHeaders"),
    "JSON body": value("core/body_limits.ts", "jsonBody"),
    "body of storage events": rowOf("post_storage_events").body_limit,
    "body of a media proxy": rowOf("put_media_proxy").body_limit,
    "MCP body": value("core/body_limits.ts", "mcpBody"),
    "depth of a JSON body": value("core/json.ts", "maxDepth"),
    "values in a JSON body": value("core/json.ts", "maxValues"),
    "body of a client registration": value("core/body_limits.ts", "registrationBody"),
    "body of another OAuth form": value("core/body_limits.ts", "oauthBody"),
    "form of a page, without files": value("core/body_limits.ts", "pageForm"),
    "form of the sign-in page": value("core/body_limits.ts", "visitorForm"),
    "form that is kept when its session has ended": value("core/body_limits.ts", "keptForm"),
    "script of the first production, on its page": value("features/documents/pages/first_production.ts", "maxScript"),
    "fields of a form without files": value("core/http/body.ts", "maxPairs"),
    "bodies in memory, of one key": value("core/body_limits.ts", "bodiesOfKey"),
    "bodies in memory, of all keys": value("core/body_limits.ts", "allBodies"),
    "problems that an error names": value("core/inputs.ts", "maxSentences"),
    "text or digits of the `id` of an MCP message": value("features/mcp/messages.ts", "maxId"),
  },
  "Forms and uploads": {
    "one uploaded file": config.upload_limit,
    "files of a form or an MCP call": maxFiles,
    "files of an import on its page, together": value("core/body_limits.ts", "importFiles"),
    "names of the files of a submission, together": value("graph/turnovers.ts", "maxNames"),
    "files that one engagement has submitted": config.engagement_quota.files,
    "bytes that one engagement has submitted": config.engagement_quota.bytes,
    "fields of a form": value("core/http/multipart.ts", "maxFields"),
    "all fields of a form": value("core/body_limits.ts", "formFields"),
    "parts of a form": value("core/http/multipart_limits.ts", "maxParts"),
    "headers of one part": value("core/http/multipart_limits.ts", "maxHeaderBytes"),
    "headers of all parts": value("core/http/multipart_limits.ts", "maxTotalHeaderBytes"),
    "uploads of one key at once": config.uploads_at_once,
    "uploads of all keys at once": together,
    "uploads of all keys at once, for a key that has none": together * value("core/store/blobs.ts", "spareFactor"),
    "unused resumable uploads of one key": value("features/uploads/receiving.ts", "maxUploadsOfKey"),
    "free space on the disk": config.disk_reserve,
  },
  Fields: {
    "page of `/activity`, `/jobs` and `/admin/audit`, by default": pageSize(),
    "page of `/activity`, `/jobs` and `/admin/audit`": pageSize(1_000_000),
    "page of another list": v.parse(rowOf("list_people").input, { limit: 1_000_000 }).limit as number,
    "text of a page of a list": value("core/listing.ts", "maxPage"),
    "page of `/events`, by default": v.parse(rowOf("list_events").input, {}).limit as number,
    "page of `/events`": v.parse(rowOf("list_events").input, { limit: 1_000_000 }).limit as number,
    "values of a field that repeats in a query": value("core/inputs.ts", "maxIds"),
    "values in the documents of an import, together": value("features/documents/import_thread.ts", "maxValues"),
    "scenes of a production, assets and people likewise; `import FILE` of a whole document takes more": value(
      "graph/values.ts",
      "maxThings",
    ),
    "days of the cast that `/cast/days` lists, of all characters together": value("graph/schedule.ts", "maxCastDays"),
    "days near a shoot day whose cast is compared with its own": value("features/clashes/clashes.ts", "maxNearDays"),
    "`elements`, `spec`, `registry` or `figures` of a document, as JSON": value(
      "features/documents/sections/schema.ts",
      "maxFree",
    ),
    "rows of a whole list on a page": value("features/pages/list_windows.ts", "maxWhole"),
    "`map` fields of an import": value("features/documents/import_flags.ts", "maxMaps"),
    "script or list of an import": value("features/documents/importers.ts", "maxBytes"),
    "events of a storage batch": maxStorageEvents,
    "path in a filespace": value("graph/storage_events.ts", "maxPathBytes"),
    "text of a note": longest("create_note", "text"),
    "webhooks of a production": value("features/webhooks/webhooks.ts", "maxWebhooks"),
    "address of a webhook": value("features/webhooks/destinations.ts", "maxUrl"),
    "side of a media proxy": value("graph/media_proxies.ts", "maxSide"),
    "scans of a JPEG": value("graph/jpeg.ts", "maxScans"),
    "still for a look brief": value("features/restyle/percep.ts", "maxBytes"),
    "side of a still for a look brief": value("features/restyle/percep.ts", "maxSide"),
  },
  "Time and rates": {
    "time for the headers of a request": value("core/server.ts", "headersTimeout"),
    "time for a body that is not an upload": defaultBodyTimeouts.complete,
    "least that an upload must bring in each interval": defaultBodyTimeouts.min,
    "interval for an upload": defaultBodyTimeouts.window,
    "idle time of a connection": value("core/http/send.ts", "idleTimeout"),
    "time that requests have when the server stops": value("core/server.ts", "closeTimeout"),
    "time that a write waits for another process": value("core/store/transactions.ts", "defaultTimeout"),
    connections: config.connections,
    "longest `wait` of `/events`": 1000 * (longestWait ?? Number.NaN),
    "event streams and waiting polls of one key": config.event_readers,
    "event stream without an event, until a comment": defaultStreamTimes.quiet,
    "event stream that the client does not read": defaultStreamTimes.stalled,
    "one delivery to a webhook": value("features/webhooks/posting.ts", "tryTimeout"),
    "longest `Retry-After` of the receiver of a webhook": value("features/webhooks/deliveries.ts", "longestDelay"),
    "requests of one key in a minute": config.rate_limit,
    "wrong keys and tickets of one network in a minute": config.failed_keys,
    "wrong keys on the sign-in page, of one network in a minute": value(
      "features/oauth/authorization.ts",
      "wrongKeysAMinute",
    ),
    "wrong keys and links on the pages, of one network in a minute": value(
      "features/pages/sign_in.ts",
      "wrongKeysAMinute",
    ),
    "client registrations of one network in a minute": value("features/oauth/registration.ts", "registrationsAMinute"),
    "look briefs that are made at once": value("features/restyle/providers.ts", "maxInFlight"),
    "pictures of one key that wait to be made": value("features/pictures/pictures.ts", "waitingOfKey"),
    "pictures of all keys that wait to be made": value("features/pictures/pictures.ts", "waitingOfAll"),
    "imports of one production that run or wait": value("features/documents/jobs.ts", "maxOfProduction"),
    "imports of all productions that wait": value("features/documents/jobs.ts", "maxWaiting"),
    "longest `Retry-After` that comes from a provider":
      1000 * value("features/restyle/outbound.ts", "maxRetryAfterHeader"),
  },
  Lifetimes: {
    event: defaultRetention.maxAge,
    "events of all productions": defaultRetention.maxEvents,
    "answer to an `Idempotency-Key`": value("core/times.ts", "day"),
    "answers with a credential in memory": value("features/idempotency/idempotency.ts", "maxInMemory"),
    "resumable upload after its last bytes": value("features/uploads/resumable_uploads.ts", "lifetime"),
    "media ticket": value("core/app.ts", "ticketLifetime"),
    "sign-in page": value("features/oauth/requests.ts", "lifetime"),
    "authorization code": value("features/oauth/sign_ins.ts", "codeLifetime"),
    "access token": value("features/oauth/sign_ins.ts", "accessLifetime"),
    "refresh token": value("features/oauth/sign_ins.ts", "refreshLifetime"),
    "tokens of one sign-in": value("features/oauth/sign_ins.ts", "maxTokensOfFamily"),
    "sign-ins of one key": value("features/oauth/sign_ins.ts", "maxSigninsOfKey"),
    "session of a browser, without use": value("features/pages/sessions.ts", "sessionLifetime"),
    "form whose session has ended, until its sender signs in": value("features/pages/sign_in.ts", "heldLifetime"),
    "such forms": value("features/pages/sign_in.ts", "maxHeld"),
    "sessions of one key": value("features/pages/sessions.ts", "maxSessionsOfKey"),
    "one-time link": value("features/pages/sessions.ts", "linkLifetime"),
    "client that never signed in": value("features/oauth/clients.ts", "unusedLifetime"),
    "clients that never signed in": value("features/oauth/clients.ts", "maxUnused"),
    "client without a sign-in or a token": value("features/oauth/clients.ts", "idleLifetime"),
  },
};

const ofReaders = "bounds of the readers, which are less than those of an import; a problem of the file names each";
/** The limits that no client meets, by the beginning of `file name`, and why. */
const internal: Readonly<Record<string, string>> = {
  "features/productions/commands.ts maxShown": "the places that keep a name, which a command prints; --json lists all",
  "features/backup/verification.ts maxListed": "the problems of a backup that a sentence names",
  "features/health/machine.ts maxLead": "how far the clock may be ahead before health says so",
  "features/replica/peer.ts challengeTime": "how long the peer of two boxes may take to answer a challenge",
  "features/scripts/draft_renames.ts maxNumber":
    "the numbers of scenes that a rename names, in place of a scene's number",
  "features/history/change_sets.ts maxText": "the length of the summary of a change set",
  "features/documents/pages/edit/controls.ts maxItems":
    "the items of a list in a form, which has at most as many fields",
  "features/history/undo.ts maxNamed": "the conflicts that a refusal names; it says how many more there are",
  "features/documents/applied.ts": "the length of an activity entry of an import",
  "features/mcp/stills.ts maxStill": "docs/api.md names it at MCP; a larger picture is made smaller",
  "features/pictures/decoder.ts maxPixels": "docs/api.md names it at the media; the image itself is answered",
  "features/pictures/decoder.ts maxProportion": "how high a picture is at most; a higher one is narrower",
  "features/pictures/decoder_process.ts maxIdle": "how long the process waits for the next picture",
  "features/pictures/decoder_process.ts timeout": "docs/api.md names it at the media; the image itself is answered",
  "features/scripts/approved_numbers.ts maxNumber": "the length of the number that an omitted scene keeps",
  "features/scripts/operations.ts maxDecided": "docs/api.md names it at POST /script-changes/decide",
  "features/pages/differences.ts maxPairs": "longer texts are shown as two whole ones",
  "features/documents/pages/edit/fields.ts maxWithNames": "the items of a list in a form that have menus",
  "features/documents/pages/edit/controls.ts maxLine": "whether a form has one line or several for a text",
  "features/documents/pages/save.ts maxNamedChanges": "the changes that the message after a save names",
  "features/documents/import_job.ts maxProblems": "docs/api.md names it at POST /admin/import",
  "features/events/catching_up.ts maxKept":
    "bounds the memory of the readers of events; what is not kept is read again",
  "features/paperwork/findings.ts maxMentions": "docs/paperwork.md names it",
  "features/documents/jobs.ts maxRunning": "imports that run at once; the others wait",
  "features/history/change_sets.ts maxSetsSince":
    "how many change sets are searched for what changed since a form was shown",
  "features/history/change_sets.ts maxSearched": "how many changes are searched for it; a page says if there were more",
  "features/work/thread.ts maxIdle": "how long a thread waits for the next import",
  "features/work/thread.ts maxMemory": "docs/documents.md names it",
  "features/work/thread_work.ts maxKept": "the memory with which a thread waits",
  "features/documents/check/warnings.ts maxDays":
    "how many days a sentence of a plan names, and with how many others a day is compared",
  "features/documents/sections/problems.ts maxKept": "docs/documents.md names it",
  "features/webhooks/pages/webhooks_page.ts maxDeliveries": "the newest deliveries that a page shows",
  "features/documents/update_commands.ts maxValue": "the length of a printed value",
  "core/limits.ts maxNames": "bounds the memory of the rate limiter",
  "features/webhooks/deliveries.ts endTime": "within the time that requests have when the server stops",
  "features/webhooks/deliveries.ts unstoredTime": "bounds the writes of a webhook that has nothing to deliver",
  "features/events/retention.ts max": "in the tables by defaultRetention",
  "core/store/events.ts maxValue": "docs/events.md names it; see docs/events.test.ts",
  "features/events/event_stream.ts reconnectTime": "advises a client, and limits nothing",
  "features/pages/sessions.ts maxBrowserLength": "the length of a browser's name in the list of sessions",
  "features/admin/pages/health_view.ts maxCheckedBytes": "docs/pages.md names it",
  "features/search/pages/search_page.ts maxResults": "the length of a list on a page",
  "core/listing.ts maxInflated": "a cursor of the server is shorter",
  "features/pages/html_parts.ts maxLength": "the length of a value on a page",
  "agent/": "bounds the work of the storage agent",
  "features/documents/read/json.ts maxLevels": "docs/documents.md names it; see below",
  "features/documents/export/export.ts": "the size of the pieces of an export",
  "features/documents/sections/problems.ts maxOfName": "the length of a name in a problem of a document",
  "features/lists/": ofReaders,
  "features/schedules/": ofReaders,
  "features/scripts/builder.ts": ofReaders,
  "features/scripts/fdx": ofReaders,
  "features/scripts/fountain_lines.ts": ofReaders,
  "features/scripts/likeness.ts": ofReaders,
  "features/scripts/script.ts": ofReaders,
  "features/paperwork/asset_list.ts": ofReaders,
  "features/paperwork/bytes.ts": ofReaders,
  "features/paperwork/cast_numbers.ts": ofReaders,
  "features/paperwork/findings.ts": ofReaders,
  "features/scripts/script_import.ts maxCast": "the characters of a cast in the summary of a script change",
  "features/restyle/look.ts maxBytes": "bounds what a provider answers",
  "features/restyle/restyle.ts maxBytes": "bounds what a provider answers",
  "features/soundness/orphans.ts maxListed": "the rows that doctor names",
  "features/uploads/resumable_uploads.ts maxHashes":
    "bounds the memory of running hashes; a hash can be computed again",
  "features/replica/ask_server.ts maxAnswer": "bounds what another server of Tallylight answers",
  "features/replica/follower.ts usualTimeout": "after which a copy is tried again",
  "features/replica/promotion.ts stopTimeout": "how long promote waits",
  "features/replica/promotion.ts mediaTimeout": "how long promote waits",
  "graph/key_rotation.ts maxOverlap": "docs/commands.md names it; only the command line rotates",
  "core/store/migrations.ts maxCopyAge": "docs/operating.md names it; it concerns a file of the data directory",
  "features/backup/restore.ts maxManifest": "bounds the manifest of a backup",
  "features/soundness/soundness.ts maxListed": "the rows that doctor names",
  "core/store/staging.ts maxWaiting": "bounds the memory of an upload",
  "core/store/transactions.ts minDelay": "between two tries of a write",
  "core/store/transactions.ts maxDelay": "between two tries of a write",
  "core/http/connections.ts drain": "how much of a refused body is read",
  "core/http/connections.ts maxHandlersTime": "after the connections are closed",
  "core/json.ts maxDigits": "a longer number is refused like one that is rounded",
  "core/json.ts maxInexact": "readers refuse a text for the first ones",
  "core/json.ts maxRestored": "readers refuse what is nested as deep",
  "core/http/response_cache.ts max": "bounds the cache, which changes no answer",
  "core/http/send.ts minCompressed":
    "docs/api.md names it, as what is compressed; a client that asks for nothing does not meet it",
  "features/admin/pages/vendors.ts maxTargets": "how many names a list of a page offers at once",
  "features/mcp/route.ts maxCachedBody": "bounds the cache, which changes no answer",
};

const page = pageAt("docs/api.md");
const tables = tablesOf(page, "Limits");
const test = suite("the limits in docs/api.md");

for (const [heading, rows] of Object.entries(limits))
  test(`${heading}: the rows and their values are those of the program`, () => {
    const found = tables.filter(({ headings }) => headings.at(-1) === heading);
    assert.is(found.length, 1, `${heading} has one table`);
    const written = found.flatMap((one) => one.rows.map(([limit = "", cell = ""]) => [limit, cell] as const));
    assert.equal(
      written.map(([limit]) => limit),
      Object.keys(rows),
    );
    for (const [limit, cell] of written)
      if (rows[limit] === undefined) assert.is(cell, "none", limit);
      else assert.is(quantityOf(cell), rows[limit], `${limit} is ${rows[limit]} in the program, and ${cell} here`);
  });

test("every table below Limits is compared", () => {
  assert.equal(
    tables.map(({ headings }) => headings.at(-1)),
    Object.keys(limits),
  );
});

test("a limit with a setting names a setting", () => {
  for (const { rows } of tables)
    for (const [limit, , , setting = ""] of rows)
      if (setting !== "") assert.ok(Object.hasOwn(config, setting.replaceAll("`", "")), `${limit}: ${setting}`);
});

test("every constant that reads like a limit is in the tables, or no client meets it", () => {
  const constants = limitConstants();
  assert.ok(constants.length > 50, "the constants are found");
  const reasons = Object.keys(internal);
  const missing = constants.filter((one) => !documented.has(one) && !reasons.some((start) => one.startsWith(start)));
  assert.equal(missing, [], "document them, or say here why no client meets them");
  for (const start of reasons)
    assert.ok(
      constants.some((one) => one.startsWith(start)),
      `${start}: there is no such constant`,
    );
});

test("docs/documents.md names how deep a document may be nested", () => {
  assert.match(
    pageAt("docs/documents.md").text,
    `at most ${constantOf("features/documents/read/json.ts", "maxLevels")} levels`,
  );
});

test.run();

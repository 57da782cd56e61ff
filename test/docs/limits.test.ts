// No limit that a client can meet is missing in docs/reference.md, whose tables `npm run reference` writes.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { constantOf, limitConstants, namelessLimits } from "../support/constants.ts";
import { pageAt } from "../support/documentation.ts";
import { documented } from "../support/limits.ts";

const ofReaders = "bounds of the readers, which are less than those of an import; a problem of the file names each";
/** The limits that no client meets, by the beginning of `file name`, and why. */
const internal: Readonly<Record<string, string>> = {
  "features/productions/name_pattern.ts maxFirstName": "before a family name that may be of somebody else",
  "features/productions/name_pattern.ts maxParticles": "behind a first name that may be of somebody else",
  "features/productions/commands.ts maxShown": "the places that keep a name, which a command prints; --json lists all",
  "features/backup/verification.ts maxListed": "the problems of a backup that a sentence names",
  "features/replica/peer.ts challengeTime": "how long the peer of two boxes may take to answer a challenge",
  "features/scripts/compare/comparison.ts maxNumber":
    "the numbers of scenes that a rename names, in place of a scene's number",
  "features/history/change_sets.ts maxText": "the length of the summary of a change set",
  "features/documents/pages/edit/controls.ts maxItems":
    "the items of a list in a form, which has at most as many fields",
  "features/history/undo.ts maxNamed": "the conflicts that a refusal names; it says how many more there are",
  "features/documents/sentences.ts": "the length of an activity entry of an import",
  "features/documents/refusals.ts maxNamed": "the mistakes that a refusal names; it says how many more there are",
  "features/documents/production_update.ts maxLate": "after how long a change gets the time of its end",
  "features/documents/changes/names.ts maxLookUps": "how many names are looked up alone; then all are read at once",
  "features/mcp/stills.ts maxStill": "docs/api.md names it at MCP; a larger picture is made smaller",
  "features/pictures/decoder.ts maxPixels": "docs/api.md names it at the media; the image itself is answered",
  "features/pictures/decoder.ts maxProportion": "how high a picture is at most; a higher one is narrower",
  "features/pictures/ffmpeg.ts maxPixels":
    "docs/api.md names what is answered for a film of which no picture can be made",
  "features/pictures/ffmpeg.ts maxOutput": "what is read of the description of a film, which is a few hundred bytes",
  "features/pictures/ffmpeg.ts probeTime": "how long a film is looked at before the request is asked to come again",
  "features/pictures/decoder_process.ts maxIdle": "how long the process waits for the next picture",
  "features/pictures/decoder_process.ts timeout": "docs/api.md names it at the media; the image itself is answered",
  "features/scripts/approved_numbers.ts maxNumber": "the length of the number that an omitted scene keeps",
  "features/scripts/operations.ts maxDecided": "docs/api.md names it at POST /script-changes/decide",
  "features/documents/pages/saved_warnings.ts maxSets": "bounds the memory of what the page shows behind a form",
  "features/pages/differences.ts maxPlaces": "which words say what two texts have in common",
  "features/pages/differences.ts maxRounds": "how closely two texts are compared",
  "features/documents/pages/edit/fields.ts maxWithNames": "the items of a list in a form that have menus",
  "features/documents/pages/edit/controls.ts maxLine": "whether a form has one line or several for a text",
  "features/documents/pages/save.ts maxNamedChanges": "the changes that the message after a save names",
  "features/events/catching_up.ts maxKept":
    "bounds the memory of the readers of events; what is not kept is read again",
  "features/paperwork/findings.ts maxMentions": "docs/paperwork.md names it",
  "features/work/jobs.ts maxRunning": "imports that run at once; the others wait",
  "features/history/change_sets.ts maxSetsSince":
    "how many change sets are searched for what changed since a form was shown",
  "features/history/change_sets.ts maxSearched": "how many changes are searched for it; a page says if there were more",
  "features/work/thread.ts maxIdle": "how long a thread waits for the next import",
  "features/work/thread.ts maxMemory": "docs/format.md names it",
  "features/work/thread_work.ts maxKept": "the memory with which a thread waits",
  "features/documents/changes/warnings.ts maxDays":
    "how many days a sentence of a plan names, and with how many others a day is compared",
  "features/documents/sections/problems.ts maxKept": "docs/format.md names it",
  "features/webhooks/pages/webhooks_page.ts maxDeliveries": "the newest deliveries that a page shows",
  "features/documents/commands/update_commands.ts maxValue": "the length of a printed value",
  "core/inputs.ts maxExternalId": "in the schema of the field, which /docs shows",
  "core/inputs.ts maxSlug": "in the schema of the field, which /docs shows",
  "core/settings.ts maxName": "the error of the setting names it; it concerns a file of the data directory",
  "core/http/ignored_parameters.ts maxName": "how much of a name Tallylight-Ignored repeats",
  "core/json.ts maxExact": "how much is kept of a number that is refused",
  "core/json.ts maxPrinted": "a property of JavaScript's numbers",
  "core/limits.ts maxRest": "how long work in turns rests while connections arrive",
  "core/store/picture_headers.ts":
    "how much of a picture is looked into for its size and place; the rest is served as it is",
  "core/wording.ts maxRepeated": "how much of what was sent a message repeats",
  "core/wording.ts maxMessage": "the length of a message, which counts what it leaves out",
  "features/documents/pages/chosen_files.ts maxShown": "the length of a cell in the first rows of a list",
  "features/names/names.ts maxLetters": "how much of a long name is compared with others",
  "features/pages/film_boxes.ts maxBoxes": "how much of a film is looked into for its codecs",
  "features/pages/film_containers.ts maxParts": "how much of a film is looked into for its codecs",
  "features/pages/film_previews.ts maxAsked": "how many films of a page are made ready at once",
  "features/pages/image_sequences.ts fewest": "how many frames make a sequence",
  "features/pages/known_media.ts": "bounds what a page remembers and looks at; a picture is served without it",
  "features/pictures/films.ts maxKnown": "bounds the memory of what was found out about films",
  "features/replica/peer.ts maxNonce": "bounds what another server of Tallylight sends",
  "features/replica/peer.ts maxContinued": "bounds what another server of Tallylight sends",
  "features/restyle/brief.ts maxLine": "bounds what a provider answers",
  "features/webhooks/posting.ts maxInformation": "bounds what the destination of a webhook answers",
  "features/webhooks/posting.ts maxHead": "bounds what the destination of a webhook answers",
  "graph/day_hours.ts maxBefore": "a personal time so long before the call is of the next day",
  "core/http/ignored_parameters.ts maxNames": "the names in Tallylight-Ignored, which limits nothing else",
  "core/limits.ts maxNames": "bounds the memory of the rate limiter",
  "features/webhooks/deliveries.ts endTime": "within the time that requests have when the server stops",
  "features/webhooks/deliveries.ts unstoredTime": "bounds the writes of a webhook that has nothing to deliver",
  "features/events/retention.ts max": "in the tables by defaultRetention",
  "features/documents/changes/record.ts maxValue": "docs/api.md names it; see docs/events.test.ts",
  "features/scripts/episode_parts.ts maxEpisodes": "the refusal of a file with more names it",
  "features/events/event_stream.ts reconnectTime": "advises a client, and limits nothing",
  "features/pages/sessions.ts maxBrowserLength": "the length of a browser's name in the list of sessions",
  "features/admin/pages/health_view.ts maxCheckedBytes": "docs/pages.md names it",
  "features/search/pages/search_page.ts maxResults": "the length of a list on a page",
  "features/pages/pages/approvals.ts maxChosen": "the message of the page names it",
  "features/pages/pages/review.ts repeatTime": "within which a note that is sent again is one form sent twice",
  "features/pages/pages/approvals.ts maxCards": "how many approvals that were decided together a page shows as cards",
  "core/listing.ts maxInflated": "a cursor of the server is shorter",
  "features/pages/html_parts.ts maxLength": "the length of a value on a page",
  "features/progress/pages/progress.ts": "how many days and scenes a page shows",
  "features/pages/layout.ts maxShown": "the highest number that a menu shows",
  "agent/": "bounds the work of the storage agent",
  "features/documents/read/json.ts maxLevels": "docs/format.md names it; see below",
  "features/documents/export/export.ts": "the size of the pieces of an export",
  "features/documents/sections/values.ts maxIssues": "how many problems of a list are named; the others are counted",
  "features/documents/sections/problems.ts maxOfName": "the length of a name in a problem of a document",
  "features/lists/": ofReaders,
  "features/schedules/": ofReaders,
  "features/scripts/builder.ts": ofReaders,
  "features/scripts/first_draft.ts maxTitle": ofReaders,
  "features/scripts/fdx": ofReaders,
  "features/scripts/fountain.ts": ofReaders,
  "features/scripts/fountain_lines.ts": ofReaders,
  "features/scripts/compare/likeness.ts": ofReaders,
  "features/scripts/compare/speakers.ts mostOfName": ofReaders,
  "features/scripts/script.ts": ofReaders,
  "features/paperwork/asset_list.ts": ofReaders,
  "features/paperwork/bytes.ts": ofReaders,
  "features/paperwork/cast_numbers.ts": ofReaders,
  "features/paperwork/encodings.ts": ofReaders,
  "features/paperwork/findings.ts": ofReaders,
  "features/paperwork/unread_fields.ts": ofReaders,
  "features/scripts/change_summaries.ts maxCast": "the characters of a cast in the summary of a script change",
  "features/restyle/look.ts maxBytes": "bounds what a provider answers",
  "features/restyle/restyle.ts maxBytes": "bounds what a provider answers",
  "features/soundness/orphans.ts maxListed": "the rows that doctor names",
  "features/uploads/resumable_uploads.ts maxHashes":
    "bounds the memory of running hashes; a hash can be computed again",
  "features/replica/peer.ts maxAnswer": "bounds what another server of Tallylight answers",
  "features/replica/follower.ts usualTimeout": "after which a copy is tried again",
  "features/replica/promotion.ts stopTimeout": "how long promote waits",
  "features/replica/promotion.ts mediaTimeout": "how long promote waits",
  "features/admin/key_rotation.ts maxOverlap": "docs/commands.md names it; only the command line rotates",
  "features/day_issues/retention.ts limit": "how many rows one step of a timer removes",
  "features/clock/old_copies.ts maxCopyAge": "docs/operating.md names it; it concerns a file of the data directory",
  "features/backup/unpacking.ts maxManifest": "bounds the manifest of a backup",
  "features/soundness/soundness.ts maxListed": "the rows that doctor names",
  "core/store/staging.ts maxWaiting": "bounds the memory of an upload",
  "core/store/transactions.ts minDelay": "between two tries of a write",
  "core/store/transactions.ts maxDelay": "between two tries of a write",
  "core/http/connection_shares.ts answerTime": "how long a connection that is closed for others may take its answer",
  "core/http/connections.ts drain": "how much of a refused body is read",
  "core/http/connections.ts maxHandlersTime": "after the connections are closed",
  "core/json.ts maxDigits": "a longer number is refused like one that is rounded",
  "core/json.ts maxInexact": "readers refuse a text for the first ones",
  "core/json.ts maxRestored": "readers refuse what is nested as deep",
  "core/times.ts greatestOfTime": "the greatest id that a time may give, which no clock reaches",
  "core/wording.ts maxPlaces": "bounds what is remembered of sorting, which changes no answer",
  "core/http/response_cache.ts max": "bounds the cache, which changes no answer",
  "core/http/send.ts minCompressed":
    "docs/api.md names it, as what is compressed; a client that asks for nothing does not meet it",
  "features/admin/pages/grant_rows.ts maxTargets": "how many names a list of a page offers at once",
  "features/admin/pages/inside.ts maxInvitations": "of an older one, a list says as of a key that it ended or expired",
  "features/admin/pages/keys.ts maxOffered": "how many names a field of a page offers at once",
  "features/admin/pages/vendor_form.ts maxNames":
    "the names of a kind that a page writes out; it says how many more there are",
  "features/mcp/route.ts maxCachedBody": "bounds the cache, which changes no answer",
};

const test = suite("the limits in docs/reference.md");

test("every constant that reads like a limit is in the tables, or no client meets it", () => {
  const constants = limitConstants();
  assert.ok(constants.length > 50, "the constants are found");
  const reasons = Object.keys(internal);
  const missing = constants.filter((one) => !documented.has(one) && !reasons.some((start) => one.startsWith(start)));
  assert.equal(
    missing,
    [],
    "give each a row in test/support/limits.ts and run `npm run reference`, or say in this file why no client meets it",
  );
  for (const start of reasons)
    assert.ok(
      constants.some((one) => one.startsWith(start)),
      `${start}: there is no such constant`,
    );
});

test("a limit in a schema has a name", () => {
  assert.equal(namelessLimits(), []);
});

test("docs/format.md names how deep a document may be nested", () => {
  assert.match(
    pageAt("docs/format.md").text,
    `at most ${constantOf("features/documents/read/json.ts", "maxLevels")} levels`,
  );
});

test.run();

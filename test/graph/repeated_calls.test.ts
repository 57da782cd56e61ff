// Keys, engagements, grants, versions, storage and submissions, when a call comes again, after a rename and after a
// removal.
import { one, openTestServer } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { type Json, quiet, testRepeatedCalls } from "../support/repeated_calls.ts";

const server = await openTestServer();

testRepeatedCalls(server, "calls that come again", (calls) => {
  const {
    store,
    production_id,
    command,
    get,
    post,
    update,
    changes,
    first,
    picked,
    s,
    keep,
    scene,
    upload,
    vendorOf,
    submitForm,
  } = calls;
  const picture = (shade: number) => Buffer.from(jpeg(16, 16, shade)).toString("base64");
  const event = (path: string, dedupe_key: string, more: object = {}) => ({
    ...{
      event_type: "create",
      path,
      source: "reconciler",
      dedupe_key,
      detected_at: "2026-11-21T00:00:00.000Z",
      size: 1,
    },
    ...more,
  });
  const stateOf = (path: string) =>
    one<string | undefined>(
      store,
      "SELECT state FROM asset_files f JOIN storage_installs i ON i.id = f.install_id WHERE i.active = 1 AND i.production_id = ? AND path = ?",
      production_id,
      path,
    );
  const submit = (idempotency: string, text = "Work"): Promise<Json> =>
    submitForm(s.vendor, [text], { "idempotency-key": idempotency });
  /** Somebody whose step of an approval is next, with a key. */
  const personOf = async () => {
    const [approval, person_id, name] = store.database
      .prepare(
        `SELECT a.id, p.id, p.name FROM approvals a JOIN approval_steps t ON t.approval_id = a.id JOIN people p ON p.id = t.person_id
         WHERE a.production_id = ? AND a.status = 'pending' AND t.status = 'pending' AND p.active = 1
         AND (SELECT count(*) FROM approval_steps o JOIN approvals b ON b.id = o.approval_id WHERE o.person_id = p.id AND o.status = 'pending' AND b.status = 'pending') = 1
         AND NOT EXISTS (SELECT 1 FROM approval_steps o WHERE o.approval_id = a.id AND o.status = 'pending' AND o.position < t.position) ORDER BY a.id`,
      )
      .raw()
      .get(production_id) as [number, number, string];
    const other = first(`SELECT name FROM people WHERE production_id = ? AND id <> ${person_id}`);
    const { id, token } = await post("/admin/keys", { label: "Mine", scopes: ["read", "write"], person_id });
    return { approval, name, other, id, token, scopes: ["read", "write"] };
  };
  return {
    keys: [
      [
        "a key is minted",
        () => picked(keep("key", post("/admin/keys", { label: "Desk", scopes: ["read"] })), "label"),
        ["Desk"],
      ],
      [
        "the same again is another key",
        async () => (await post("/admin/keys", { label: "Desk", scopes: ["read"] })).id !== s.key.id,
        true,
      ],
      ["it is revoked", () => picked(post(`/admin/keys/${s.key.id}/revoke`), "live"), [false]],
      ["revoked again", () => picked(post(`/admin/keys/${s.key.id}/revoke`), "live"), [false], quiet],
      ["and used", () => get("/production", s.key.token), /^401/],
      ["by its prefix, on the command line", () => command("keys", "revoke", s.key.prefix), /ended already at/, quiet],
    ],
    "people's keys": [
      [
        "the key of somebody whose step is next",
        async () => picked(keep("person", personOf()), "scopes"),
        [["read", "write"]],
      ],
      [
        "names the person after a rename",
        async () => {
          await update({ people: [{ name: `${s.person.name} II`, was: s.person.name }] });
          return (await get("/admin/keys")).find(({ id }: Json) => id === s.person.id).person;
        },
        / II$/,
      ],
      [
        "decides as somebody else",
        () =>
          post(
            `/approvals/${s.person.approval}/decide`,
            { decision: "approved", decided_by: s.person.other },
            s.person.token,
          ),
        /^403 this key decides only as .* II,/,
        quiet,
      ],
      [
        "leaves",
        async () => (await update({ people: [{ name: `${s.person.name} II`, active: false }] })).warnings.length,
        1,
      ],
      [
        "decides after leaving",
        () =>
          post(
            `/approvals/${s.person.approval}/decide`,
            { decision: "approved", decided_by: `${s.person.name} II` },
            s.person.token,
          ),
        /^401 the person of this key has left$/,
        quiet,
      ],
      [
        "comes back under the former name",
        () => changes({ people: [{ name: s.person.name, was: `${s.person.name} II`, active: true }] }),
        1,
      ],
      [
        "the same again",
        () => changes({ people: [{ name: s.person.name, was: `${s.person.name} II`, active: true }] }),
        0,
        quiet,
      ],
      [
        "asks for changes",
        () =>
          picked(
            post(
              `/approvals/${s.person.approval}/decide`,
              { decision: "changes", decided_by: s.person.name },
              s.person.token,
            ),
            "status",
          ),
        ["changes_requested"],
      ],
      [
        "decides once more",
        () =>
          post(
            `/approvals/${s.person.approval}/decide`,
            { decision: "approved", decided_by: s.person.name },
            s.person.token,
          ),
        /^409 the approval is changes_requested, not pending/,
        quiet,
      ],
      ["reopened", () => picked(post(`/admin/approvals/${s.person.approval}/reopen`), "status"), ["pending"]],
      ["reopened again", () => post(`/admin/approvals/${s.person.approval}/reopen`), /^409 .*is pending; only/, quiet],
      [
        "decides before the first step of the second round",
        () =>
          post(
            `/approvals/${s.person.approval}/decide`,
            { decision: "changes", decided_by: s.person.name },
            s.person.token,
          ),
        /^403 decided_by is not the person whose step it is/,
      ],
      [
        "after its key was revoked",
        async () => {
          await post(`/admin/keys/${s.person.id}/revoke`);
          return post(`/approvals/${s.person.approval}/decide`, { decision: "approved" }, s.person.token);
        },
        /^401/,
      ],
    ],
    engagements: [
      [
        "a vendor is engaged",
        () =>
          picked(
            keep("engagement", post("/admin/engagements", { vendor: "Twice Ltd", title: "Twice" })),
            "title",
            "existed",
          ),
        ["Twice", false],
      ],
      [
        "the same again",
        async () => (await post("/admin/engagements", { vendor: "twice LTD", title: "Twice" })).id === s.engagement.id,
        true,
        quiet,
      ],
      [
        "after its vendor was renamed",
        async () => {
          await update({ vendors: [{ name: "Thrice Ltd", was: "Twice Ltd" }] });
          return (await post("/admin/engagements", { vendor: "Thrice Ltd", title: "Twice" })).id === s.engagement.id;
        },
        true,
      ],
      [
        "a grant",
        () =>
          picked(
            keep("grant", post("/admin/grants", { engagement_id: s.engagement.id, verb: "read", node_id: scene })),
            "live",
            "existed",
          ),
        [true, false],
      ],
      [
        "the same grant again",
        async () =>
          (await post("/admin/grants", { engagement_id: s.engagement.id, verb: "read", node_id: scene })).id ===
          s.grant.id,
        true,
        quiet,
      ],
      [
        "with an expiry",
        () =>
          picked(
            post("/admin/grants", {
              engagement_id: s.engagement.id,
              verb: "read",
              node_id: scene,
              expires: "2099-01-01",
            }),
            "existed",
            "expires_at",
          ),
        [true, "2099-01-01T23:59:59.999Z"],
      ],
      [
        "with the same expiry",
        () =>
          picked(
            post("/admin/grants", {
              engagement_id: s.engagement.id,
              verb: "read",
              node_id: scene,
              expires: "2099-01-01",
            }),
            "existed",
            "expires_at",
          ),
        [true, "2099-01-01T23:59:59.999Z"],
        quiet,
      ],
      ["revoked", () => picked(post(`/admin/grants/${s.grant.id}/revoke`), "still_live"), [[]]],
      ["revoked again", () => picked(post(`/admin/grants/${s.grant.id}/revoke`), "still_live"), [[]], quiet],
      [
        "granted again",
        async () => {
          const again = await post("/admin/grants", { engagement_id: s.engagement.id, verb: "read", node_id: scene });
          return [again.existed, again.id !== s.grant.id];
        },
        [false, true],
      ],
      ["ended", () => picked(post(`/admin/engagements/${s.engagement.id}/end`), "active"), [false]],
      ["ended again", () => picked(post(`/admin/engagements/${s.engagement.id}/end`), "active"), [false], quiet],
      [
        "a grant after the end",
        () => post("/admin/grants", { engagement_id: s.engagement.id, verb: "read", node_id: scene }),
        /^409 .*has ended/,
        quiet,
      ],
      [
        "a key after the end",
        () => post("/admin/keys", { label: "x", engagement_id: s.engagement.id, scopes: ["read"] }),
        /^409 .*ended/,
        quiet,
      ],
      [
        "the same with the title of somebody else's",
        () => command("engagements", "end", "Twice", "--production", String(production_id)),
        /already ended/,
        quiet,
      ],
      [
        "the vendor is engaged again",
        async () => {
          const again = await post("/admin/engagements", { vendor: "Thrice Ltd", title: "Twice" });
          return [again.existed, again.id !== s.engagement.id, again.grants];
        },
        [false, true, []],
      ],
    ],
    versions: [
      [
        "an asset with a version",
        async () => {
          s.lamp = await post("/assets", { label: "Storm lamp", kind: "prop" });
          s.version = await upload(`/assets/${s.lamp.node_id}/versions`, 1);
          return [s.version.version, s.version.released];
        },
        [1, false],
      ],
      [
        "a second version",
        async () => {
          s.second = await upload(`/assets/${s.lamp.node_id}/versions`, 2);
          return [s.second.version, s.second.released];
        },
        [2, false],
      ],
      [
        "the same label again is another asset",
        async () => (await post("/assets", { label: "Storm lamp", kind: "prop" })).node_id !== s.lamp.node_id,
        true,
      ],
      [
        "released",
        () => picked(post(`/admin/versions/${s.version.id}/release`), "released", "archived"),
        [true, false],
      ],
      ["released again", () => picked(post(`/admin/versions/${s.version.id}/release`), "released"), [true], quiet],
      [
        "by the renamed asset and its number",
        async () => {
          await update({ assets: [{ label: "Storm lantern", ref: "Storm lantern", was: "Storm lamp" }] });
          return command("versions", "release", "1", "--asset", String(s.lamp.node_id));
        },
        /is already released/,
      ],
      ["archived", () => picked(post(`/admin/versions/${s.version.id}/archive`), "released", "archived"), [true, true]],
      ["archived again", () => picked(post(`/admin/versions/${s.version.id}/archive`), "archived"), [true], quiet],
      [
        "released after it was archived",
        () => picked(post(`/admin/versions/${s.second.id}/release`), "released", "archived"),
        [true, false],
      ],
      [
        "a note and another",
        async () => {
          for (const text of ["One.", "Two."]) await post(`/assets/${s.lamp.node_id}/notes`, { text, author: "Desk" });
          return (await get(`/assets/${s.lamp.node_id}/notes`)).map(({ text }: Json) => text);
        },
        ["Two.", "One."],
      ],
    ],
    storage: [
      [
        "a filespace",
        () => picked(post("/admin/storage/install", { filespace: "stage" }), "filespace", "active"),
        ["stage", true],
      ],
      ["the same again", () => picked(post("/admin/storage/install", { filespace: "stage" }), "active"), [true], quiet],
      [
        "a report",
        () => post("/storage/events", { filespace: "stage", events: [event("a.mov", "1")] }),
        { accepted: 1, duplicates: 0 },
      ],
      [
        "the same report again",
        () => post("/storage/events", { filespace: "stage", events: [event("a.mov", "1")] }),
        { accepted: 0, duplicates: 1 },
        quiet,
      ],
      [
        "an older report",
        async () => {
          await post("/storage/events", {
            filespace: "stage",
            events: [event("a.mov", "0", { event_type: "delete", detected_at: "2026-11-01T00:00:00.000Z" })],
          });
          return stateOf("a.mov");
        },
        "present",
      ],
      [
        "a picture",
        () => picked(post("/storage/media-proxy", { filespace: "stage", path: "a.mov", bytes: picture(1) }), "ok"),
        [true],
      ],
      [
        "the same picture again",
        async () => {
          const before = one(store, "SELECT count(*) FROM media");
          await post("/storage/media-proxy", { filespace: "stage", path: "a.mov", bytes: picture(1) });
          return one(store, "SELECT count(*) FROM media") - before;
        },
        0,
      ],
      [
        "another picture replaces it",
        async () => {
          const before = one(store, "SELECT count(*) FROM media");
          await post("/storage/media-proxy", { filespace: "stage", path: "a.mov", bytes: picture(3) });
          return one(store, "SELECT count(*) FROM media") - before;
        },
        0,
      ],
      [
        "it is gone",
        async () => {
          await post("/storage/events", {
            filespace: "stage",
            events: [event("a.mov", "2", { event_type: "delete", detected_at: "2026-11-22T00:00:00.000Z" })],
          });
          return [
            await stateOf("a.mov"),
            await post("/storage/media-proxy", { filespace: "stage", path: "a.mov", bytes: picture(1) }),
          ];
        },
        /gone.*404/,
      ],
      [
        "it comes back",
        async () => {
          await post("/storage/events", {
            filespace: "stage",
            events: [event("a.mov", "3", { detected_at: "2026-11-22T01:00:00.000Z" })],
          });
          return stateOf("a.mov");
        },
        "present",
      ],
      [
        "a move",
        () => picked(keep("move", post("/admin/storage/moves", { src: "a.mov", dst: "b/a.mov" })), "status"),
        ["pending"],
      ],
      [
        "the same move again",
        () => post("/admin/storage/moves", { src: "a.mov", dst: "b/a.mov" }),
        /^409 move \d+ of a.mov is pending already/,
        quiet,
      ],
      ["it fails", () => post("/storage/tasks/ack", { task_id: s.move.id, ok: false, note: "Busy." }), { ok: true }],
      [
        "it is settled once more",
        () => post("/storage/tasks/ack", { task_id: s.move.id, ok: true }),
        { ok: true },
        quiet,
      ],
      [
        "approved again after the failure",
        () => picked(keep("move", post("/admin/storage/moves", { src: "a.mov", dst: "b/a.mov" })), "status"),
        ["pending"],
      ],
      [
        "it is done",
        async () => {
          await post("/storage/tasks/ack", { task_id: s.move.id, ok: true });
          return [await stateOf("a.mov"), await stateOf("b/a.mov")];
        },
        [undefined, "present"],
      ],
      [
        "the reverse",
        async () => {
          const back = await post("/admin/storage/moves", { src: "b/a.mov", dst: "a.mov" });
          await post("/storage/tasks/ack", { task_id: back.id, ok: true });
          return [await stateOf("a.mov"), await stateOf("b/a.mov")];
        },
        ["present", undefined],
      ],
      ["the filespace is renamed", () => changes({ storage: [{ filespace: "stage 2", was: "stage" }] }), 1],
      [
        "a report under the former name",
        () => post("/storage/events", { filespace: "stage", events: [event("a.mov", "4")] }),
        /^422/,
        quiet,
      ],
      [
        "the same event under the new name",
        () => post("/storage/events", { filespace: "stage 2", events: [event("a.mov", "1")] }),
        { accepted: 0, duplicates: 1 },
        quiet,
      ],
      [
        "another filespace",
        () => picked(post("/admin/storage/install", { filespace: "stage" }), "filespace"),
        ["stage"],
      ],
      [
        "its files are its own",
        () => post("/storage/events", { filespace: "stage", events: [event("a.mov", "1")] }),
        { accepted: 1, duplicates: 0 },
      ],
      [
        "the former one again",
        async () => {
          await post("/admin/storage/install", { filespace: "stage 2" });
          return [
            await stateOf("a.mov"),
            await post("/storage/events", { filespace: "stage", events: [event("a.mov", "5")] }),
          ];
        },
        /present.*422/,
      ],
    ],
    submissions: [
      [
        "work is submitted",
        async () => {
          s.vendor = await vendorOf();
          s.work = await submit("k1");
          return [s.work.status, s.work.media.length];
        },
        ["submitted", 1],
      ],
      ["the same request again", async () => (await submit("k1")).id === s.work.id, true, quiet],
      ["the same work under another key", async () => (await submit("k2")).id !== s.work.id, true],
      [
        "other work under the first key",
        () => submit("k1", "Other"),
        /^422 Idempotency-Key was used for another request/,
        quiet,
      ],
      [
        "accepted",
        () =>
          picked(
            post(`/submissions/${s.work.id}/decide`, { decision: "accepted", note: "Good." }),
            "status",
            "decision_note",
          ),
        ["accepted", "Good."],
      ],
      [
        "accepted again",
        () => picked(post(`/submissions/${s.work.id}/decide`, { decision: "accepted", note: "Good." }), "status"),
        ["accepted"],
      ],
      [
        "returned without a note",
        () => picked(post(`/submissions/${s.work.id}/decide`, { decision: "returned" }), "status", "decision_note"),
        ["returned", undefined],
      ],
      [
        "after its delivery was renamed",
        async () => {
          await update({ deliveries: [{ title: "Second reel", was: "First reel" }] });
          return [
            (await get(`/turnovers/${s.vendor.delivery}/submissions`, s.vendor.token))
              .map(({ id }: Json) => id)
              .includes(s.work.id),
            (await submit("k3")).title,
          ];
        },
        [true, "Second reel"],
      ],
      ["removed", () => command("submissions", "remove", String(s.work.id)), /^Removed First reel/],
      ["removed again", () => command("submissions", "remove", String(s.work.id)), /there is no submission/, quiet],
      [
        "decided after the removal",
        () => post(`/submissions/${s.work.id}/decide`, { decision: "accepted" }),
        /^404/,
        quiet,
      ],
      ["the first request again has its first answer", async () => (await submit("k1")).id === s.work.id, true, quiet],
      ["its file", () => get(`/media/${s.work.media[0].id}`, s.vendor.token), /^404/],
      [
        "after the grant ended",
        async () => {
          await post(`/admin/engagements/${s.vendor.engagement}/end`);
          return [await submit("k4"), await submit("k3")];
        },
        /404.*404/,
      ],
    ],
  };
});

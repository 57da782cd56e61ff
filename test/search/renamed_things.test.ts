// Search and the manifest after renames, undos and the end of a grant.
import { openTestServer } from "../support/app.ts";
import { type Json, quiet, testRepeatedCalls } from "../support/repeated_calls.ts";

const server = await openTestServer();

testRepeatedCalls(server, "renamed things", (calls) => {
  const { send, command, get, post, update, s, scene, sceneKey, vendorOf } = calls;
  const sceneName = (number = sceneKey().number) =>
    sceneKey().episode === undefined ? number : `${sceneKey().episode}/${number}`;
  const undo = (id: number) => command("undo", String(id));
  const excerpts = async (q: string) => (await get(`/search?q=${q}`)).map(({ excerpt }: Json) => excerpt);
  const labels = async (q: string) => (await get(`/search?q=${q}`)).map(({ label }: Json) => label);
  return {
    search: [
      [
        "a new thing is found",
        async () => {
          await update({ assets: [{ label: "Quixotic barometer", kind: "prop" }] });
          return labels("quixotic");
        },
        ["Quixotic barometer"],
      ],
      [
        "by its former name, too, after a rename, with what it is called now",
        async () => {
          await update({ assets: [{ label: "Zephyric barometer", was: "Quixotic barometer" }] });
          return [await labels("quixotic"), await excerpts("quixotic"), await labels("zephyric")];
        },
        [["Zephyric barometer"], ["prop · planned · was Quixotic barometer"], ["Zephyric barometer"]],
      ],
      [
        "and after the reverse",
        async () => {
          await update({ assets: [{ label: "Quixotic barometer", was: "Zephyric barometer" }] });
          return [await labels("quixotic"), await labels("zephyric"), await excerpts("zephyric")];
        },
        [["Quixotic barometer"], ["Quixotic barometer"], ["prop · planned · was Zephyric barometer"]],
      ],
      [
        "not after its addition was undone",
        async () => {
          const [, , added] = await get("/admin/history?limit=3");
          const undone = await undo(added.id);
          return [/1 removed/.test(undone), await labels("quixotic")];
        },
        [true, []],
      ],
      [
        "a word of a synopsis that goes",
        async () => {
          const found = [];
          for (const synopsis of ["An ouroboros sleeps.", null, "An ouroboros wakes."]) {
            await update({ scenes: [{ ...sceneKey(), synopsis }] });
            found.push((await labels("ouroboros")).length);
          }
          return found;
        },
        [1, 0, 1],
      ],
      ["and one of another production is never found", async () => (await labels("ouroboros")).length, 1],
    ],
    manifest: [
      [
        "what a vendor reaches",
        async () => {
          s.vendor = await vendorOf();
          s.first = await get("/me/manifest", s.vendor.token);
          [s.own] = s.first.documents.map(({ path }: Json) => path);
          return s.first.documents.map(({ path }: Json) => path.replace(/\d+/, "N"));
        },
        ["/turnovers/N/submissions", "/turnovers"], // its submitted work outlives the grant
      ],
      [
        "the same again",
        () => send(s.vendor.token, "GET", "/me/manifest", undefined, { "if-none-match": s.first.etag }),
        "304",
        quiet,
      ],
      [
        "with one more grant",
        async () => {
          s.grant = await post("/admin/grants", { engagement_id: s.vendor.engagement, verb: "read", node_id: scene });
          return (await get("/me/manifest", s.vendor.token)).documents
            .map(({ path }: Json) => path)
            .filter((path: string) => path !== s.own);
        },
        [`/bundles/scene/${scene}`, "/turnovers"],
      ],
      [
        "after the scene was renumbered",
        async () => {
          const before = await get("/me/manifest", s.vendor.token);
          await update({ scenes: [{ ...sceneKey(), number: "999Z", was: sceneName() }] });
          const after = await get("/me/manifest", s.vendor.token);
          return before.documents.map((one: Json, at: number) => one.etag === after.documents[at].etag);
        },
        [false, true, true],
      ],
      [
        "after the reverse, as before",
        async () => {
          await update({ scenes: [{ ...sceneKey(), number: sceneKey().number, was: sceneName("999Z") }] });
          return (await get("/me/manifest", s.vendor.token)).documents.length;
        },
        3,
      ],
      [
        "after the grant was revoked",
        async () => {
          await post(`/admin/grants/${s.grant.id}/revoke`);
          const after = await get("/me/manifest", s.vendor.token);
          return [after.documents.length, after.etag === s.first.etag];
        },
        [2, true],
      ],
      [
        "after the engagement ended",
        async () => {
          await post(`/admin/engagements/${s.vendor.engagement}/end`);
          return (await get("/me/manifest", s.vendor.token)).documents.map(({ path }: Json) => path);
        },
        ["/turnovers"],
      ],
    ],
  };
});

// A webhook that is paused, changed, resumed, rotated and removed, each of them again.
import { openTestServer } from "../support/app.ts";
import { quiet, testRepeatedCalls } from "../support/repeated_calls.ts";

const server = await openTestServer();

testRepeatedCalls(server, "calls about webhooks that come again", (calls) => {
  const { command, post, picked, s, keep } = calls;

  return {
    webhooks: [
      [
        "a webhook",
        () =>
          picked(
            keep("hook", post("/admin/webhooks", { url: "http://127.0.0.1:9/hook", types: ["production.removed"] })),
            "types",
          ),
        [["production.removed"]],
      ],
      [
        "the same again is a second one",
        async () => {
          s.other = await post("/admin/webhooks", { url: "http://127.0.0.1:9/hook", types: ["production.removed"] });
          return s.other.id !== s.hook.id;
        },
        true,
      ],
      ["paused", () => picked(post(`/admin/webhooks/${s.hook.id}/pause`), "status"), ["paused"]],
      ["paused again", () => picked(post(`/admin/webhooks/${s.hook.id}/pause`), "status"), ["paused"], quiet],
      [
        "changed while it is paused",
        () => picked(post(`/admin/webhooks/${s.hook.id}`, { types: [] }), "types", "status"),
        [null, "paused"],
      ],
      [
        "the same change again",
        () => picked(post(`/admin/webhooks/${s.hook.id}`, { types: [] }), "types"),
        [null],
        quiet,
      ],
      [
        "the reverse",
        () => picked(post(`/admin/webhooks/${s.hook.id}`, { types: ["production.removed"] }), "types"),
        [["production.removed"]],
      ],
      ["resumed", () => picked(post(`/admin/webhooks/${s.hook.id}/resume`), "status"), ["active"]],
      ["resumed again", () => picked(post(`/admin/webhooks/${s.hook.id}/resume`), "status"), ["active"], quiet],
      [
        "rotated twice",
        async () =>
          new Set([
            s.hook.secret,
            ...(await Promise.all([1, 2].map(async () => (await post(`/admin/webhooks/${s.hook.id}/rotate`)).secret))),
          ]).size,
        3,
      ],
      ["removed", () => picked(post(`/admin/webhooks/${s.hook.id}/remove`), "url"), ["http://127.0.0.1:9/hook"]],
      ["removed again", () => post(`/admin/webhooks/${s.hook.id}/remove`), /^404/, quiet],
      [
        "paused after the removal, on the command line",
        () => command("webhooks", "pause", String(s.hook.id)),
        /there is no webhook/,
        quiet,
      ],
      [
        "the next one has an id of its own",
        async () => {
          const { id } = await post("/admin/webhooks", {
            url: "http://127.0.0.1:9/hook",
            types: ["production.removed"],
          });
          for (const one of [id, s.other.id]) await post(`/admin/webhooks/${one}/remove`);
          return id > s.hook.id;
        },
        true,
      ],
    ],
  };
});

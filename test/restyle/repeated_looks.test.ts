// A look that is asked for again: while the provider fails, after it answered, and after a rename.
import { openTestServer } from "../support/app.ts";
import { quiet, testRepeatedCalls } from "../support/repeated_calls.ts";
import {
  completion,
  environmentOf,
  goodBrief,
  openScriptedProvider,
  respond,
  shortPauses,
} from "../support/scripted_provider.ts";

const provider = await openScriptedProvider();
const server = await openTestServer({ environment: environmentOf(provider.url), outbound: shortPauses });

testRepeatedCalls(
  server,
  "looks that are asked for again",
  (calls) => {
    const { post, update, s, upload } = calls;
    const look = () => post(`/percep/looks/${s.second.id}/brief`);
    return {
      looks: [
        [
          "an asset with two versions, of which the second is released",
          async () => {
            const { node_id } = await post("/assets", { label: "Storm lantern", kind: "prop" });
            await upload(`/assets/${node_id}/versions`, 1);
            s.second = await upload(`/assets/${node_id}/versions`, 2);
            await post(`/admin/versions/${s.second.id}/release`);
            return s.second.version;
          },
          2,
        ],
        [
          "a look of a version while the provider fails, twice",
          async () => {
            provider.respondWith(respond(500));
            return [await look(), await look()].map((one) => one.slice(0, 3));
          },
          ["502", "502"],
          quiet,
        ],
        [
          "once it answers",
          () => {
            provider.respondWith(respond(200, completion(goodBrief)));
            return look();
          },
          goodBrief,
        ],
        [
          "the same look again, while the provider fails",
          async () => {
            provider.respondWith(respond(500));
            return [await look(), provider.requests.length];
          },
          [goodBrief, 0],
          quiet,
        ],
        [
          "after the asset was renamed",
          async () => {
            await update({ assets: [{ label: "Lantern", ref: "Lantern", was: "Storm lantern" }] });
            return look();
          },
          goodBrief,
        ],
      ],
    };
  },
  () => provider.stop(),
);

// What `tallylight doctor --online` says about the other one of two boxes: whether it answers, and whether one of them is a copy of a living one.
import { dirname, join } from "node:path";
import type { Config } from "../../core/config.ts";
import { CliError } from "../../core/errors.ts";
import type { Finding } from "../../core/feature.ts";
import { databaseName, openReplicaStore } from "../../core/store/database.ts";
import { closing } from "../../core/store/files.ts";
import { doubtOf, meetPeer, peerOf, tookOver } from "./peer.ts";

export async function checkData(data: string, config: Config): Promise<Finding[]> {
  const finding = (ok: boolean, detail: string): Finding[] => [{ check: "peer", ok, detail, items: [] }];
  const peer = peerOf(data, config);
  if (peer === undefined) return [];
  try {
    const store = openReplicaStore(join(data, databaseName), () => new CliError("doctor writes nothing"));
    return await closing(store, async () => {
      const statement = await meetPeer(peer, store);
      const doubt = tookOver(store, statement)
        ? `took over at ${statement.started_at}: ${dirname(store.file)} is a former primary's, and its server gives way when it starts`
        : doubtOf(store, statement);
      return finding(doubt === undefined, `the peer ${peer.url} ${doubt ?? "answers"}`);
    });
  } catch (error) {
    return finding(false, `the peer ${peer.url} does not answer: ${(error as Error).message}`);
  }
}

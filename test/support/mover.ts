// Runs an agent once and kills its own process at a step of a move, as a crash would: URL KEY FILESPACE ROOT STATE
// STEP.
import { runAgent } from "../../src/agent/agent.ts";
import { agentSettingsOf } from "../../src/agent/settings.ts";

const [url, key, filespace, root, state, fatal] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string,
];
await runAgent({
  settings: agentSettingsOf({ url, key, filespace, root, state }, {}),
  log: () => {},
  signal: new AbortController().signal,
  once: true,
  step: (name) => {
    if (name === fatal) process.kill(process.pid, "SIGKILL");
  },
});

// Every command, a row each, in the order of help.
import { agentCommands } from "./agent.ts";
import type { Command } from "./arguments.ts";
import { auditCommand } from "./audit.ts";
import { backupCommands } from "./backup.ts";
import { demoCommand } from "./demo.ts";
import { doctorCommand } from "./doctor.ts";
import { engagementCommands } from "./engagements.ts";
import { exportCommand } from "./export.ts";
import { importCommand } from "./import.ts";
import { keyCommands } from "./keys.ts";
import { listingCommands } from "./listings.ts";
import { mcpConfigCommand } from "./mcp-config.ts";
import { openapiCommand } from "./openapi.ts";
import { serveCommand } from "./serve.ts";
import { storageCommands } from "./storage.ts";
import { versionCommands } from "./versions.ts";
import { whoamiCommand } from "./whoami.ts";

export const commands: readonly Command[] = [
  demoCommand,
  serveCommand,
  importCommand,
  exportCommand,
  ...keyCommands,
  whoamiCommand,
  ...engagementCommands,
  ...versionCommands,
  ...storageCommands,
  ...agentCommands,
  ...listingCommands,
  ...backupCommands,
  doctorCommand,
  auditCommand,
  openapiCommand,
  mcpConfigCommand,
];

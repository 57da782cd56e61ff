// The audit over the API. The command reads the same row.
export { listAudit } from "../../graph/audit.ts";

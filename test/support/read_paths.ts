// The reads of a production that take no id, below /api/v1: every production-wide key with the scope read gets them.
export const productionReads: readonly string[] = [
  "/production",
  "/departments",
  "/scenes",
  "/assets",
  "/schedule",
  "/deliveries",
  "/approvals",
  "/activity",
  "/people",
  "/jobs",
  "/script-changes?status=all",
];

// The descriptions of fields of paths and bodies that mean the same in every operation, for those whose schema has
// none.

const fields: Readonly<Record<string, string>> = {
  label: "The name of the asset.",
  status: "The status; by default as the operation says.",
  file: "The bytes.",
  files: "The files, each of which is kept under its name.",
  note: "A text that is kept with it and shown to those who see it.",
  variant: "Which variant the version is of, such as On-Set.",
  text: "The text.",
  decision: "What is decided.",
  events: "The file events, at most 1,000.",
  bytes: "The JPEG: base64 in JSON, a file in a form.",
  task_id: "The task, as GET /storage/tasks lists it.",
  model: "The model of the provider.",
  engagement_id: "The engagement.",
  verb: "What the grant allows.",
  filespace: "The name of the filespace.",
  section: "The section of documents that has the thing.",
  delivery_id: "The delivery.",
  ids: "The ids of what is decided.",
  id: "The id of the thing.",
};

/** The description of a field of a body or a query. */
export const fieldDescription = (name: string): string | undefined =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

/** The description of a field of a path. */
export const pathDescription = (name: string): string =>
  name === "id" ? "The id." : `The id of the ${name.replace(/_id$/, "").replaceAll("_", " ")}.`;

// Readers and writers of CSV lists.
import type { Feature } from "../../core/feature.ts";

export const lists: Feature = {
  name: "lists",
  url: import.meta.url,
  needs: ["paperwork"],
};

// Finds the versions of assets by their numbers.
import { value } from "./statements.ts";

export const versionIdOf = value<{ node_id: number; version: number }, number>("find_version_id");

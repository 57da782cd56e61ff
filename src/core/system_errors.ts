// Says in words why the system refused a file or a folder.
import { CliError, codeOf, errorOf } from "./errors.ts";

const noPermission = "this user has no permission for it, or may not enter a folder above it";

/** What the codes of the system say of a file or a folder. */
const causes: Readonly<Record<string, string>> = {
  EACCES: noPermission,
  EPERM: noPermission,
  EBUSY: "another program uses it",
  EEXIST: "a file of this name exists",
  EISDIR: "it is a folder",
  ELOOP: "its links lead in a circle",
  EMFILE: "this program has too many files open",
  ENAMETOOLONG: "its name is too long",
  ENFILE: "this machine has too many files open",
  ENODEV: "its disk is gone",
  ENOENT: "it, or a folder above it, does not exist",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of the path is not a folder",
  ENOTEMPTY: "the folder is not empty",
  EDQUOT: "the disk quota of this user is used up",
  EIO: "the disk reports an error",
  EROFS: "the disk is read-only",
  ETXTBSY: "it is a program that runs",
};

/** Why the system refused a file or a folder, in words; what the error says otherwise. */
export function causeOf(error: unknown): string {
  const { message } = errorOf(error);
  const code = codeOf(error);
  return (Object.hasOwn(causes, code) && causes[code]) || message;
}

/** The error for a file that the system does not let this program read. */
export const cannotRead = (file: string, error: unknown): CliError =>
  new CliError(`${file} cannot be read: ${causeOf(error)}`);

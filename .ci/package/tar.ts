// Writes a folder as a tar.gz whose bytes depend only on the names, contents and executable bits of its files: sorted, owned by
// root, with one time for all (POSIX ustar).
import { createReadStream, createWriteStream, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

const block = 512;

/** A path in the two fields of a header: at most 100 bytes after a slash, and at most 155 before it. */
function splitPath(path: string): { prefix: string; name: string } {
  if (Buffer.byteLength(path) <= 100) return { prefix: "", name: path };
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(name) <= 100) return { prefix, name };
  }
  throw new Error(`${path} is too long for a tar file`);
}

function header(
  path: string,
  { size, mode, seconds, type }: { size: number; mode: number; seconds: number; type: "0" | "5" },
) {
  const buffer = Buffer.alloc(block);
  const { prefix, name } = splitPath(path);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, "0")}\0`;
  buffer.write(name, 0);
  buffer.write(octal(mode, 8), 100);
  buffer.write(octal(0, 8), 108); // owner
  buffer.write(octal(0, 8), 116); // group
  buffer.write(octal(size, 12), 124);
  buffer.write(octal(seconds, 12), 136);
  buffer.write(" ".repeat(8), 148); // the checksum counts itself as spaces
  buffer.write(type, 156);
  buffer.write("ustar\x0000", 257);
  buffer.write("root", 265);
  buffer.write("root", 297);
  buffer.write(prefix, 345);
  const sum = buffer.reduce((total, byte) => total + byte, 0);
  buffer.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return buffer;
}

/** The files below a folder, with `/` between their parts, sorted by their bytes. Throws an Error for anything but files and folders. */
export function filesBelow(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return [];
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile()) throw new Error(`${path} is neither a file nor a folder`);
    return [path.slice(folder.length + 1).replaceAll("\\", "/")];
  });
  return files.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

async function* members(folder: string, root: string, seconds: number): AsyncGenerator<Buffer> {
  const made = new Set<string>();
  for (const file of filesBelow(folder)) {
    const parts = [root, ...file.split("/").slice(0, -1)];
    for (const at of parts.keys()) {
      const path = `${parts.slice(0, at + 1).join("/")}/`;
      if (!made.has(path)) yield header(path, { size: 0, mode: 0o755, seconds, type: "5" });
      made.add(path);
    }
    const { size, mode } = statSync(join(folder, file));
    yield header(`${root}/${file}`, { size, mode: (mode & 0o100) === 0 ? 0o644 : 0o755, seconds, type: "0" });
    for await (const chunk of createReadStream(join(folder, file))) yield chunk as Buffer;
    yield Buffer.alloc((block - (size % block)) % block);
  }
  yield Buffer.alloc(2 * block);
}

/** Writes `folder` to `target` as members below `root`; `seconds` is the Unix time of every member. */
export async function writeTar(folder: string, target: string, root: string, seconds: number): Promise<void> {
  await pipeline(Readable.from(members(folder, root, seconds)), createGzip({ level: 9 }), createWriteStream(target));
}

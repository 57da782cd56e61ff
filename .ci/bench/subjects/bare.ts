// Bare node:http as the upper limit: sends given bytes and headers, pipes a file out, or pipes an upload to disk. Run
// with "answer" FILE (JSON: status, headers, body), "content" FILE, "upload" DIRECTORY or "nothing"; prints its
// address.
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";

function sendAnswer(file: string): RequestListener {
  const { status, headers, body } = JSON.parse(readFileSync(file, "utf8"));
  const bytes = Buffer.from(body);
  const flat: string[] = Object.entries(headers as Record<string, string>).flat();
  return (_, res) => {
    res.writeHead(status, flat as never);
    res.end(status === 304 ? undefined : bytes);
  };
}

function sendContent(file: string): RequestListener {
  const { size } = statSync(file);
  return (_, res) => {
    res.writeHead(200, { "content-type": "application/octet-stream", "content-length": size });
    createReadStream(file).pipe(res);
  };
}

function storeUpload(folder: string): RequestListener {
  let number = 0;
  return async (req, res) => {
    const file = join(folder, `bare-${number++}`);
    const hash = createHash("sha256");
    const hashing = new Transform({
      transform(chunk, _, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    await pipeline(req, hashing, createWriteStream(file, { flush: true })); // flush: fsync before closing
    res.end(hash.digest("hex"));
    rmSync(file);
  };
}

const [kind = "nothing", place = ""] = process.argv.slice(2);
const listeners: Record<string, (place: string) => RequestListener> = {
  answer: sendAnswer,
  content: sendContent,
  upload: storeUpload,
  nothing: () => (_, res) => void res.end("{}"),
};
const http = createServer((listeners[kind] as (place: string) => RequestListener)(place));
http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}`));

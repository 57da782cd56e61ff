// Detects the media type of bytes from the bytes themselves. The type that a client sends is ignored.

const ascii = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.subarray(from, to)).toString("latin1");

const signatures: readonly [type: string, matches: (bytes: Uint8Array) => boolean][] = [
  ["image/jpeg", (b) => b[0] === 0xff && b[1] === 0xd8 && b[2] === 0xff],
  ["image/png", (b) => ascii(b, 0, 8) === "\x89PNG\r\n\x1a\n"],
  ["image/gif", (b) => /^GIF8[79]a$/.test(ascii(b, 0, 6))],
  ["image/webp", (b) => ascii(b, 0, 4) === "RIFF" && ascii(b, 8, 12) === "WEBP"],
  ["image/avif", (b) => ascii(b, 4, 8) === "ftyp" && /^avi[fs]$/.test(ascii(b, 8, 12))],
  ["video/quicktime", (b) => ascii(b, 4, 8) === "ftyp" && ascii(b, 8, 10) === "qt"],
  ["video/mp4", (b) => ascii(b, 4, 8) === "ftyp"],
  [
    "video/webm",
    (b) => b[0] === 0x1a && b[1] === 0x45 && b[2] === 0xdf && b[3] === 0xa3 && ascii(b, 4, 64).includes("webm"),
  ],
  ["application/pdf", (b) => ascii(b, 0, 5) === "%PDF-"],
  ["application/zip", (b) => ascii(b, 0, 4) === "PK\x03\x04"],
];

/** The types that browsers display and that cannot contain scripts. Only these are served inline. */
export const inlineTypes: ReadonlySet<string> = new Set([
  "image/jpeg",
  "image/png",
  "image/gif",
  "image/webp",
  "image/avif",
  "video/mp4",
  "video/webm",
  "video/quicktime",
]);

/** Detects the media type from the first 512 bytes; application/octet-stream if it is unknown. */
export function sniff(head: Uint8Array): string {
  return signatures.find(([, matches]) => matches(head))?.[0] ?? "application/octet-stream";
}

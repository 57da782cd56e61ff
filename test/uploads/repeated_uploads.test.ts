// Resumable uploads and the quota of an engagement, when a part, a request or a submission comes again.
import { openTestServer } from "../support/app.ts";
import { type Json, quiet, testRepeatedCalls } from "../support/repeated_calls.ts";

/** How many files an engagement may submit. */
const quota = 6;
const server = await openTestServer({ environment: { TALLYLIGHT_ENGAGEMENT_QUOTA: `{"files": ${quota}}` } });

testRepeatedCalls(server, "uploads that come again", (calls) => {
  const { command, post, s, keep, vendorOf, submitForm } = calls;
  const submitTo = (vendor: Json, count: number): Promise<Json> =>
    submitForm(
      vendor,
      Array.from({ length: count }, (_, at) => `file ${at}`),
    );
  /** A request for resumable uploads. */
  const tus = (method: string, path: string, body = "", more: Record<string, string> = {}): Promise<Response> => {
    const headers = { "tus-resumable": "1.0.0", ...more };
    return server.ask(s.desk.token, `/api/v1${path}`, { method, headers, ...(body !== "" && { body }) });
  };
  const part = async (text: string, offset: number) => {
    const headers = { "upload-offset": String(offset), "content-type": "application/offset+octet-stream" };
    const response = await tus("PATCH", s.upload, text, headers);
    return [response.status, response.headers.get("upload-offset")];
  };
  const sendUpload = (key?: string) =>
    post(
      `/turnovers/${s.desk.delivery}/submissions`,
      { upload_ids: [s.upload.split("/").at(-1)] },
      s.desk.token,
      key === undefined ? {} : { "idempotency-key": key },
    );
  return {
    "resumable uploads": [
      [
        "one that is begun",
        async () => {
          s.desk = await vendorOf("Uploaders", "Third reel");
          const { status, headers } = await tus("POST", "/uploads", "", { "upload-length": "4" });
          s.upload = `/uploads/${headers.get("location")?.split("/").at(-1)}`;
          return status;
        },
        201,
      ],
      ["its first part", () => part("ab", 0), [204, "2"], quiet],
      ["the same part again", () => part("ab", 0), [409, null], quiet],
      ["where it goes on", async () => (await tus("HEAD", s.upload)).headers.get("upload-offset"), "2", quiet],
      ["submitted before its end", () => sendUpload(), /^422 .*has 2 of 4 bytes/, quiet],
      ["its last part", () => part("cd", 2), [204, "4"], quiet],
      ["submitted", async () => (await keep("sent", sendUpload("u1"))).media.length, 1],
      ["the same request again", async () => (await sendUpload("u1")).id === s.sent.id, true, quiet],
      [
        "the same upload under another key",
        () => sendUpload("u2"),
        /^422 .*(?:was already used|does not exist or has expired)/,
        quiet,
      ],
      ["a part of what was submitted", async () => (await part("e", 4))[0], 404, quiet],
      [
        "another one, ended and ended again",
        async () => {
          const { headers } = await tus("POST", "/uploads", "", { "upload-length": "4" });
          const other = `/uploads/${headers.get("location")?.split("/").at(-1)}`;
          return [(await tus("DELETE", other)).status, (await tus("DELETE", other)).status];
        },
        [204, 404],
        quiet,
      ],
    ],
    "the quota of an engagement": [
      [
        "what fills it",
        async () => {
          s.full = await keep("filled", submitTo(s.desk, quota - 1));
          return s.full.media.length;
        },
        quota - 1,
      ],
      ["one more", () => submitTo(s.desk, 1), /^413 .*engagement_quota/, quiet],
      ["and again", () => submitTo(s.desk, 1), /^413 .*6 of 6 files are used/, quiet],
      [
        "another engagement",
        async () => {
          s.other = await vendorOf("Others", "Fourth reel");
          return (await submitTo(s.other, 1)).media.length;
        },
        1,
      ],
      [
        "after a submission was removed",
        async () => {
          await command("submissions", "remove", String(s.full.id));
          return (await submitTo(s.desk, quota - 1)).media.length;
        },
        quota - 1,
      ],
      ["full once more", () => submitTo(s.desk, 1), /^413/, quiet],
    ],
  };
});

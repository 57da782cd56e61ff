// Asks a server with GET over a connection that stays open, without compression and without Node's fetch, which takes
// several times the processor time: for tests that compare thousands of answers.
import { Agent, get } from "node:http";

const agent = new Agent({ keepAlive: true });

export interface PlainAnswer {
  status: number;
  etag: string | null;
  text: string;
}

/** The answer to a token's GET of an address. */
export function getPlain(url: string, token: string, own: Record<string, string> = {}): Promise<PlainAnswer> {
  const headers = { authorization: `Bearer ${token}`, ...own };
  return new Promise((resolve, reject) => {
    const sent = get(url, { agent, headers }, (message) => {
      let text = "";
      message.setEncoding("utf8");
      message.on("data", (part: string) => {
        text += part;
      });
      message.on("error", reject);
      message.on("end", () => resolve({ status: message.statusCode ?? 0, etag: message.headers.etag ?? null, text }));
    });
    sent.on("error", (error: NodeJS.ErrnoException) => {
      // The server closed an idle connection while the request was on its way.
      if (sent.reusedSocket && error.code === "ECONNRESET") getPlain(url, token, own).then(resolve, reject);
      else reject(error);
    });
  });
}

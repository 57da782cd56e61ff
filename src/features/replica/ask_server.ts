// Asks another server of Tallylight: the other one of two boxes.
import { loadHttp, loadHttps } from "../../core/network.ts";

/** The longest answer that is read of another server, in bytes. */
const maxAnswer = 65_536;

/**
 * Sends a GET, or a POST with a JSON body, to a Tallylight server on this machine or at the address of the peer. Rejects with an Error
 * that says why there is no answer. The certificate is not checked, because it may name another host, so no secret may be sent, and what
 * is answered needs a proof of its own.
 */
export function askServer(url: string, body?: string, timeout = 5000): Promise<{ status: number; text: string }> {
  const { request } = url.startsWith("https:") ? loadHttps() : loadHttp();
  return new Promise((resolve, reject) => {
    const headers = { connection: "close", ...(body !== undefined && { "content-type": "application/json" }) };
    const method = body === undefined ? "GET" : "POST";
    const asked = request(url, { method, headers, rejectUnauthorized: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
        if (text.length > maxAnswer) asked.destroy(new Error("its answer is too long"));
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.on("error", reject);
    });
    const timer = setTimeout(() => asked.destroy(new Error(`no answer in ${timeout / 1000} s`)), timeout);
    asked.on("close", () => clearTimeout(timer));
    asked.on("error", (error) => reject(new Error(error.message || (error as NodeJS.ErrnoException).code)));
    asked.end(body);
  });
}

// Sends requests on connections that stay open.
import { Agent, get } from "node:http";

/** An agent with one connection. */
export const single = (): Agent => new Agent({ keepAlive: true, maxSockets: 1 });

/**
 * Sends one request with the connections of an agent; resolves when the answer is complete. Rejects if it is not 200.
 */
export const ask = (agent: Agent, address: string, key: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const asked = get(address, { agent, headers: { authorization: `Bearer ${key}` } }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${address} answered ${answer.statusCode}`));
      answer.resume().once("end", resolve);
    });
    asked.once("error", reject);
  });

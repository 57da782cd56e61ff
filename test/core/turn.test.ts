// Turns: whoever asks while others read or send much is answered between them, and access is decided again after a
// wait.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, createServer as createListener } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Steps } from "../../src/core/answers.ts";
import { readBodyAs } from "../../src/core/http/body.ts";
import { readMultipart } from "../../src/core/http/multipart.ts";
import type { RequestContext } from "../../src/core/http/request_context.ts";
import { RequestFiles } from "../../src/core/http/request_files.ts";
import { connectionArrived, openTurn } from "../../src/core/limits.ts";
import type { Operation } from "../../src/core/operation.ts";
import { openContext, perform } from "../../src/core/pipeline.ts";
import { listNotes } from "../../src/graph/notes.ts";
import { getProduction } from "../../src/graph/production.ts";
import { mint, one, openTestServer, revoke } from "../support/app.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { until } from "../support/until.ts";

const server = await openTestServer();
const { app } = server;
const { production: production_id } = seedDataOf(server.store);

/** Works for longer than the requests of one turn may. */
function workLong(): void {
  for (const until = performance.now() + 30; performance.now() < until; );
}

/** An operation that reads; `run` is called with the number of the call. */
const reading = (run: (at: number) => void): Operation => {
  let calls = 0;
  return {
    ...getProduction,
    run() {
      run(calls++);
      return {};
    },
  };
};
const contextOf = (key: string) => openContext(app, { authorization: `Bearer ${key}` });

/**
 * Opens a connection to the server. What it returns asks for the production with `key` and resolves with the status.
 */
async function connected(key: string): Promise<() => Promise<string>> {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  await once(socket, "connect");
  return async () => {
    socket.write(`GET /api/v1/production HTTP/1.1\r\nhost: here\r\nauthorization: Bearer ${key}\r\n\r\n`);
    const [answer] = await once(socket, "data");
    socket.destroy();
    return String(answer).slice(9, 12);
  };
}

/**
 * Does `work`, which calls `piece` at least `count` times. Somebody who asks during the first piece must be answered
 * before the last one.
 */
async function letsOthersIn(count: number, work: (piece: () => void) => Promise<unknown>): Promise<void> {
  const happened: string[] = [];
  const ask = await connected(mint(server.store, { production_id }));
  let answered: Promise<unknown> | undefined;
  await work(() => {
    happened.push("piece");
    answered ??= ask().then((status) => happened.push(status));
    workLong();
  });
  await answered;
  assert.ok(happened.filter((what) => what === "piece").length >= count, String(happened));
  assert.is(happened.at(-1), "piece", `somebody waited for all of it: ${happened}`);
  assert.ok(happened.includes("200"), String(happened));
}

const turns = suite("turns of the event loop");
turns.after(() => server.stop());

turns("go to who waits before those who had a part, also of one owner", async () => {
  const turn = openTurn(25);
  const parts: string[] = [];
  const work = async (name: string, count: number): Promise<void> => {
    for (let part = 1; part <= count; part++) {
      while (turn.isOver) await turn.next("one");
      workLong();
      parts.push(`${name} ${part}`);
    }
  };
  await Promise.all([work("long", 4), work("second", 2), work("third", 1)]);
  assert.is(parts.length, 7);
  const first = parts.filter((part) => /^(?:second|third) 1$/.test(part));
  assert.equal(first, ["second 1", "third 1"]);
  assert.ok(
    first.every((part) => parts.indexOf(part) < parts.indexOf("long 3")),
    parts.join(),
  );
  assert.ok(parts.indexOf("second 2") < parts.indexOf("long 4"), parts.join());
});

turns("answer long reads in the order of arrival, and others between them", async () => {
  const key = mint(server.store, { production_id });
  const order: number[] = [];
  await letsOthersIn(8, (piece) => {
    const operation = reading(piece);
    const contexts = Array.from({ length: 8 }, () => contextOf(key));
    return Promise.all(contexts.map((context, at) => perform(context, operation, {}).then(() => order.push(at))));
  });
  assert.equal(order, [0, 1, 2, 3, 4, 5, 6, 7]);
});

turns("do not let a read wait for all those of another key", async () => {
  const [many, single] = [mint(server.store, { production_id }), mint(server.store, { production_id })];
  const order: string[] = [];
  const operation = reading(workLong);
  const ask = (key: string, name: string) => perform(contextOf(key), operation, {}).then(() => order.push(name));
  await Promise.all([...Array.from({ length: 8 }, () => ask(many, "many")), ask(single, "single")]);
  assert.ok(order.indexOf("single") <= 2, String(order));
  assert.is(order.length, 9);
});

turns("refuse a read whose key was revoked while it waited", async () => {
  const key = mint(server.store, { production_id, label: "ends soon" });
  const ran: number[] = [];
  const operation = reading((at) => {
    ran.push(at);
    if (at === 0) revoke(server.store, "ends soon");
    workLong();
  });
  const page = contextOf(key);
  const results = await Promise.allSettled([perform(contextOf(key), operation, {}), perform(page, operation, {})]);
  assert.equal(
    results.map((result) => (result.status === "rejected" ? result.reason.status : result.status)),
    ["fulfilled", 401],
  );
  assert.equal(ran, [0]);
});

turns("decide the access of a whole page again", async () => {
  const key = mint(server.store, { production_id, label: "narrowed", scopes: ["read", "write"] });
  const narrow = "UPDATE api_keys SET scopes = '[\"read\"]' WHERE label = 'narrowed'";
  const operation = reading((at) => {
    if (at === 0) server.store.writeSync(() => server.store.database.exec(narrow));
    workLong();
  });
  const page = contextOf(key);
  await Promise.all([perform(contextOf(key), operation, {}), perform(page, operation, {})]);
  assert.equal(page.caller.scopes, ["read"]);
});

turns("refuse a read whose path was taken away while it waited", async () => {
  const key = mint(server.store, { production_id });
  const gone = one(
    server.store,
    "INSERT INTO nodes (production_id, kind, label, status, created_at, updated_at) VALUES (?, 'prop', 'gone', 'planned', '2026', '2026') RETURNING id",
    production_id,
  );
  const operation = reading((at) => {
    if (at === 0)
      server.store.writeSync(() => server.store.database.prepare("DELETE FROM nodes WHERE id = ?").run(gone));
    workLong();
  });
  const waiting = contextOf(key);
  const results = await Promise.allSettled([
    perform(contextOf(key), operation, {}),
    perform(waiting, listNotes, { node_id: gone }),
  ]);
  assert.equal(
    results.map((result) => (result.status === "rejected" ? result.reason.status : result.status)),
    ["fulfilled", 404],
  );
});

/** An operation that reads in steps, each of which takes long. */
const readingInSteps = (steps: number, step: (at: number) => void): Operation => ({
  ...getProduction,
  run: () =>
    new Steps(
      (function* () {
        for (let at = 0; at < steps; at++) {
          step(at);
          workLong();
          yield;
        }
        return {};
      })(),
    ),
});

turns("let others in between the steps of a read", async () => {
  const key = mint(server.store, { production_id });
  await letsOthersIn(8, (piece) => perform(contextOf(key), readingInSteps(8, piece), {}));
});

turns("refuse a read in steps whose key was revoked between two steps", async () => {
  const key = mint(server.store, { production_id, label: "ends between" });
  const ran: number[] = [];
  const operation = readingInSteps(3, (at) => {
    ran.push(at);
    if (at === 1) revoke(server.store, "ends between");
  });
  const [result] = await Promise.allSettled([perform(contextOf(key), operation, {})]);
  assert.equal([result.status === "rejected" && result.reason.status, ran], [401, [0, 1]]);
});

/** Serves `answer` while `ask` runs with the address. */
async function served(
  answer: (req: IncomingMessage, res: ServerResponse) => Promise<unknown>,
  ask: (address: string) => Promise<unknown>,
): Promise<void> {
  const listener = createServer(async (req, res) => res.end(String(await answer(req, res))));
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  await ask(`http://127.0.0.1:${(listener.address() as AddressInfo).port}`);
  await new Promise((resolve) => listener.close(resolve));
}

turns("let others in between bodies that take long to parse and arrive together", () =>
  letsOthersIn(10, (piece) => {
    let arrived = 0;
    return served(
      (req, res) => {
        arrived++;
        return readBodyAs({ app, req, res, credentials: {} } as RequestContext, 100, piece);
      },
      async (address) => {
        const sockets = Array.from({ length: 10 }, () => connect(Number(new URL(address).port), "127.0.0.1").resume());
        const closed = sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
        for (const socket of sockets)
          socket.write("POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 2\r\nconnection: close\r\n\r\n");
        await until(() => arrived === 10);
        for (const socket of sockets) socket.write("{}"); // so that all of them end in one turn
        await Promise.all(closed);
      },
    );
  }),
);

turns("let others in between the files of a form that take long", async () => {
  const form = new FormData();
  for (let at = 0; at < 10; at++) form.append("files", new Blob([`${at}`]), `${at}.txt`);
  const whole = new Response(form);
  const headers = { "content-type": whole.headers.get("content-type") as string };
  const body = await whole.arrayBuffer(); // in one piece: a form that is sent part by part takes a turn for each
  const staged = new RequestFiles(app);
  await letsOthersIn(10, (check) =>
    served(
      async (req) => {
        const read = await readMultipart(req, staged, { check });
        assert.is(read.files.get("files")?.length, 10);
      },
      (address) => fetch(address, { method: "POST", body, headers }),
    ),
  );
  await staged.end();
});

turns("let the connections that arrive together be accepted between two long pieces of work", async () => {
  const count = 400;
  let accepted = 0;
  let pieces = 0;
  const listener = createListener((socket) => {
    connectionArrived();
    accepted++;
    socket.on("error", () => {}).destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", count, resolve));
  const { port } = listener.address() as AddressInfo;
  const [one, other] = [openTurn(5), openTurn(5)];
  const work = async (turn: typeof one): Promise<void> => {
    do {
      while (turn.isOver) await turn.next();
      pieces++;
      for (const until = performance.now() + 5; performance.now() < until; );
    } while (accepted < count);
  };
  const sockets = Array.from({ length: count }, () => connect(port, "127.0.0.1").on("error", () => {}));
  await Promise.all([work(one), work(other)]);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => listener.close(resolve));
  assert.ok(pieces < count / 4, `${pieces} pieces of work before ${count} connections were accepted`);
});
turns.run();

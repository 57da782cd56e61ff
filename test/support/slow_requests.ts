// A program that takes connections of a proxy without a key: each sends the beginning of a request that never ends, and
// is opened again when it is lost. Arguments: the port, the file with the certificate that it trusts, the number of
// connections. Prints a line once it has opened so many.
import { readFileSync } from "node:fs";
import { connect, createSecureContext } from "node:tls";

const [port, file = "", count] = process.argv.slice(2);
// one for all: to make it takes a third of the time
const secureContext = createSecureContext({ ca: readFileSync(file) });
const request = `POST /token HTTP/1.1\r
Host: localhost\r
Content-Type: application/x-www-form-urlencoded\r
Content-Length: 5000\r
\r
grant_type`;

let opened = 0;

function hold(): void {
  const socket = connect({ host: "127.0.0.1", port: Number(port), servername: "localhost", secureContext }, () => {
    socket.write(request);
    if (++opened === Number(count)) console.log("open");
  });
  socket.on("error", () => {}).resume();
  socket.on("close", () => setTimeout(hold, 1_000));
}

for (let at = 0; at < Number(count); at++) {
  hold();
  // a proxy has a queue for connections that come
  if (at % 50 === 49) await new Promise((resolve) => setTimeout(resolve, 20));
}

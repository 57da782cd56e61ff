// The smallest server: node:http in JavaScript, so that no runtime has types to remove. Prints its address.
import { createServer } from "node:http";

const http = createServer((_, res) => void res.end("{}"));
http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}`));

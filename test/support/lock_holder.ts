// Takes the server lock of a data directory and keeps it until the process is killed. For lock.test.ts.
import { lockForServing } from "../../src/core/store/lock.ts";

lockForServing(process.argv[2] as string);
console.log("held");
setInterval(() => {}, 1000);

// A process that takes a data directory's server lock and holds it until it is killed. For lock.test.ts.
import { lockForServing } from "../../src/store/lock.ts";

lockForServing(process.argv[2] as string);
console.log("held");
setInterval(() => {}, 1000);

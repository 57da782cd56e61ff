// Runs the Node of the checkout: `node .ci/node.js ARGUMENT…`. npm 10 makes no link to it in node_modules/.bin. Where
// there is none for the platform, runs the Node that runs this. Programs that the command starts get the same one as
// `node`.
import { delimiter, dirname } from "node:path";
import { pinnedNode, runOn } from "../bin/pinned_node.js";

const node = pinnedNode() ?? process.execPath;
process.env.PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ""}`;
await runOn(node, process.argv.slice(2));

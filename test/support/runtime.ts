// How tests start a program in its own process on the runtime that they run on.
import { agentOnDeno, serverOnDeno, testOnDeno } from "./deno_permissions.ts";

const onDeno = "Deno" in globalThis;

/** The arguments before the program's file. Node runs TypeScript itself: it removes the types. */
const onNode = ["--disable-warning=ExperimentalWarning"];
export const runtime: readonly string[] = onDeno ? ["run", "--no-check", ...testOnDeno] : onNode;
/** Of one that is a server or an agent: on Deno it has the permissions that the guides give, and no other. */
export const serverRuntime: readonly string[] = onDeno ? ["run", ...serverOnDeno] : onNode;
export const agentRuntime: readonly string[] = onDeno ? ["run", ...agentOnDeno] : onNode;
/** Of a program of these tests. */
export const runtimeOf = (file: string): readonly string[] =>
  file.endsWith("server_process.ts") ? serverRuntime : runtime;

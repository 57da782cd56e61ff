// How tests start a TypeScript program in its own process on the runtime that they run on.

/** The arguments before the program's file. Node runs TypeScript itself: it removes the types. */
export const runtime: readonly string[] =
  "Deno" in globalThis ? ["run", "-A", "--quiet", "--no-check"] : ["--disable-warning=ExperimentalWarning"];

// The transports of a server: which one answers a path.
import { notFound } from "./errors.ts";
import type { FeatureRoute, Opening } from "./feature.ts";
import { features } from "./features.ts";
import { checkMethod, type RequestContext, type Transport } from "./http/request_context.ts";
import { basePath } from "./http/request_head.ts";
import { sendJson } from "./http/send.ts";
import { loadOnce } from "./late_loading.ts";
import { release } from "./program.ts";
import { openRestTransport } from "./rest.ts";

const healthPath = "/healthz";

/** Answers GET /healthz. docs/operating.md, "Health". */
const healthTransport: Transport = {
  answer(ctx) {
    ctx.operation = "healthz";
    checkMethod(ctx, ["GET", "HEAD"]);
    const { copy, health } = ctx.app;
    const state = copy?.health() ?? health.state();
    const { ok, ...rest } = state.ok && copy ? { ok: true, epoch: state.epoch, replica: { age: copy.age() } } : state;
    const answer = { ok, ...(ok && { version: release }), ...rest };
    sendJson(ctx, state.ok ? 200 : 503, JSON.stringify(answer), { "cache-control": "no-store" });
  },
};

/**
 * A transport of a file that is loaded with the first request for it, so that the server starts sooner and rests
 * smaller.
 */
function loadedLater(module: FeatureRoute["load"], opening: Opening): Transport {
  const load = loadOnce(async () => (await module()).openTransport(opening));
  let loaded: Transport | undefined;
  return {
    async answer(ctx) {
      loaded ??= await load();
      await loaded.answer(ctx);
    },
    answerFromCache: (ctx) => loaded?.answerFromCache?.(ctx) === true,
  };
}

/** The routes of the features, as far as the settings allow them. */
const featureRoutes = (opening: Opening) =>
  features()
    .flatMap(({ routes = [] }) => routes)
    .filter(({ when }) => when === undefined || when(opening.app.config))
    .map(({ load, ...route }) => ({ ...route, transport: loadedLater(load, opening) }));

/** Answers 404. */
const nothing: Transport = {
  answer() {
    throw notFound();
  },
};

/**
 * Opens the transports; returns a function that selects the transport of a path. A path of a feature may lie below that
 * of the REST API.
 */
export function openTransports(opening: Opening): (path: string) => Transport {
  const routes = featureRoutes(opening);
  const rest = openRestTransport(opening.app, opening.cache);
  const named = new Map<string, Transport>([
    [healthPath, healthTransport],
    [basePath, rest],
  ]);
  for (const { paths = [], transport } of routes) for (const path of paths) named.set(path, transport);
  const folders = routes.flatMap(({ below, transport }) => (below === undefined ? [] : [{ below, transport }]));
  folders.push({ below: `${basePath}/`, transport: rest });
  const fallback = routes.find((route) => route.fallback)?.transport ?? nothing;
  return (path) => named.get(path) ?? folders.find(({ below }) => path.startsWith(below))?.transport ?? fallback;
}

/** Whether a path is answered even while a replica's copy is too old to be used (`refusal` of ServedCopy). */
export const unguarded = (path: string): boolean =>
  path === healthPath ||
  features().some(({ routes = [] }) => routes.some((route) => route.always && route.paths?.includes(path)));

/**
 * Answers from the response cache. Returns false if it cannot; if it failed, the transport meets the same error and
 * reports it.
 */
export function answersFromCache(transport: Transport, ctx: RequestContext): boolean {
  try {
    return transport.answerFromCache?.(ctx) === true;
  } catch (error) {
    if (!ctx.res.headersSent) return false;
    ctx.error = error;
    ctx.res.destroy();
    return true;
  }
}

// The OAuth authorization server: registration, authorization, tokens and revocation. Chooses the endpoint by the path,
// and sends errors in the form that OAuth clients expect.
import type { App } from "../../core/context.ts";
import { notFound } from "../../core/errors.ts";
import { checkMethod, type RequestContext, type Transport } from "../../core/http/request_context.ts";
import { oauthPaths } from "../addresses/paths.ts";
import { Authorization } from "./authorization.ts";
import { sendOAuthProblem } from "./form.ts";
import { openRegistration } from "./registration.ts";
import { OAuthError } from "./settings.ts";
import { revocationEndpoint, tokenEndpoint } from "./tokens.ts";

interface Endpoint {
  name: string;
  methods: readonly string[];
  answer: (ctx: RequestContext) => Promise<void>;
}

export function openTransport({ app }: { app: App }): Transport {
  const authorization = new Authorization(app);
  const authorize = (ctx: RequestContext): Promise<void> => authorization.answer(ctx);
  const endpoints = new Map<string, Endpoint>([
    [oauthPaths.register, { name: "register", methods: ["POST"], answer: openRegistration(app) }],
    [oauthPaths.authorize, { name: "authorize", methods: ["GET", "HEAD", "POST"], answer: authorize }],
    [oauthPaths.token, { name: "token", methods: ["POST"], answer: tokenEndpoint }],
    [oauthPaths.revoke, { name: "revoke", methods: ["POST"], answer: revocationEndpoint }],
  ]);
  return {
    async answer(ctx) {
      const endpoint = endpoints.get(ctx.path);
      if (endpoint === undefined) throw notFound();
      const { name, methods, answer } = endpoint;
      ctx.operation = `oauth ${name}`;
      checkMethod(ctx, methods);
      try {
        await answer(ctx);
      } catch (error) {
        if (!(error instanceof OAuthError)) throw error;
        sendOAuthProblem(ctx, error);
      }
    },
  };
}

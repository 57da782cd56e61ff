// The authorization server's door: registration, authorization, tokens, revocation. Picks the endpoint, and gives refusals the
// form that OAuth's clients read.
import { OAuthRefusal } from "../access/oauth.ts";
import type { App } from "../context.ts";
import { checkMethod, type Exchange } from "./exchange.ts";
import { openAuthorization } from "./oauth/authorization.ts";
import { sendOAuthProblem } from "./oauth/form.ts";
import { oauthPaths } from "./oauth/paths.ts";
import { openRegistration } from "./oauth/registration.ts";
import { revocationDoor, tokenDoor } from "./oauth/tokens.ts";

interface Endpoint {
  name: string;
  methods: readonly string[];
  answer: (exchange: Exchange) => Promise<void>;
}

export function openOAuthDoor(app: App) {
  const endpoints = new Map<string, Endpoint>([
    [oauthPaths.register, { name: "register", methods: ["POST"], answer: openRegistration(app) }],
    [oauthPaths.authorize, { name: "authorize", methods: ["GET", "HEAD", "POST"], answer: openAuthorization(app) }],
    [oauthPaths.token, { name: "token", methods: ["POST"], answer: tokenDoor }],
    [oauthPaths.revoke, { name: "revoke", methods: ["POST"], answer: revocationDoor }],
  ]);
  return async (exchange: Exchange): Promise<void> => {
    const { name, methods, answer } = endpoints.get(exchange.path) as Endpoint;
    exchange.request.operation = `oauth ${name}`;
    checkMethod(exchange, ...methods);
    try {
      await answer(exchange);
    } catch (error) {
      if (!(error instanceof OAuthRefusal)) throw error;
      sendOAuthProblem(exchange, error);
    }
  };
}

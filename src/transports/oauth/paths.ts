// The paths of the authorization server's endpoints. They are at the root because clients that read no metadata look there.
export const oauthPaths = {
  register: "/register",
  authorize: "/authorize",
  token: "/token",
  revoke: "/revoke",
} as const;

// Where the authorization server's endpoints stand: at the root, where clients look that read no metadata.
export const oauthPaths = {
  register: "/register",
  authorize: "/authorize",
  token: "/token",
  revoke: "/revoke",
} as const;

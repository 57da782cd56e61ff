// What the operations may ask of the outside: the two restyle providers. The only code that opens outbound connections
// stands in this folder.

/** The configured providers; each is undefined where the deployment has none. */
// biome-ignore lint/suspicious/noEmptyInterface: filled with the restyle helpers
export interface Providers {}

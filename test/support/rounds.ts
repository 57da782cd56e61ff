// How often a test repeats what it cannot ask for exactly, such as a kill at a random moment. A file says how often at
// least, which the gate does; ROUNDS=20 repeats each of them 20 times.

/** Whether more is asked for than what the gate does. */
export const isLong = Number(process.env.ROUNDS ?? 0) >= 20;

/** ROUNDS, or `few`. */
export const roundsOf = (few: number): number => Number(process.env.ROUNDS ?? few);

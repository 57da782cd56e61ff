// Joins pieces of text into fewer, larger ones, because every write has a fixed cost.

const minCharacters = 1 << 16;

/** The same text in pieces of at least 65,536 characters, the last one excepted. */
export async function* larger(pieces: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let waiting = "";
  for await (const piece of pieces) {
    waiting += piece;
    if (waiting.length < minCharacters) continue;
    yield waiting;
    waiting = "";
  }
  yield waiting;
}

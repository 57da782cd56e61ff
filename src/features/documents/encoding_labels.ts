// The labels of encodings, as the WHATWG standard has them.

/** The name of the encoding of a label; undefined for a label that is none, or of UTF. */
export function encodingOf(label: string): string | undefined {
  try {
    const { encoding } = new TextDecoder(label);
    return /^(?:utf-|x-user-defined$)/.test(encoding) ? undefined : encoding;
  } catch {
    return undefined;
  }
}

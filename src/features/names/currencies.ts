// The codes of currencies (ISO 4217).

let codes: ReadonlySet<string> | undefined;

/** Whether a text is the code of a currency, such as EUR. */
export function isCurrency(text: string): boolean {
  codes ??= new Set(Intl.supportedValuesOf("currency"));
  return codes.has(text);
}

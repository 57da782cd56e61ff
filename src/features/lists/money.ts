// Reads amounts as spreadsheets print them: $1,234.50, (5.50), 1.234,50. The amount itself, or the other amounts of its
// column, show whether a point or a comma precedes the decimals.
import { quoted } from "../names/names.ts";
import { CellRefusal } from "../paperwork/findings.ts";

type Mark = "." | ",";
/** The value if that mark precedes the decimals. */
type Readings = ReadonlyMap<Mark, number>;

const code =
  "(?:USD|EUR|GBP|CAD|AUD|NZD|CHF|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|TRY|MAD|ZAR|AED|INR|THB|JPY|CNY|HKD|SGD|KRW|MXN|BRL)";
const sign = String.raw`(?:[A-Z]{0,3}\p{Sc}|${code}|kr\.?|Fr\.)`;
const currency = new RegExp(`^${sign}|(?:${sign}|[,.]-)$`, "gu");
const grouped: Record<Mark, RegExp> = {
  ".": /^(?:[1-9]\d{0,2}(?:[, '’]\d{3})+|\d+)?(?:\.\d*)?$/,
  ",": /^(?:[1-9]\d{0,2}(?:[. '’]\d{3})+|\d+)?(?:,\d*)?$/,
};

/** The sign and the rest: (5.50), -5.50 and 5.50- are less than nothing. */
function splitSign(text: string): { negative: boolean; rest: string } {
  const bare = text.replace(currency, "").trim();
  const inside =
    /^\((.*)\)$/.exec(bare)?.[1] ??
    (/\d/.test(bare) ? (/^[-−–](.*)$/.exec(bare)?.[1] ?? /^(.*)[-−–]$/.exec(bare)?.[1]) : undefined);
  return {
    negative: inside !== undefined,
    rest: (inside ?? bare.replace(/^\+/, "")).trim().replace(currency, "").trim(),
  };
}

const signs: Readonly<Record<string, string>> = { "€": "EUR", "£": "GBP", $: "USD", US$: "USD" };
const anyCode = new RegExp(`(?<![A-Z])${code}(?![A-Z])`);

/**
 * The currency that an amount is written in: that of its code, or of €, £ or $. A $ says nothing beside a `stored`
 * currency, which may be another dollar. Undefined if the text says none.
 */
export function currencyIn(text: string, stored: unknown): string | undefined {
  const [written] = anyCode.exec(text) ?? [];
  const [sign = ""] = /[A-Z]{0,3}\p{Sc}/u.exec(text) ?? [];
  return written ?? (sign.endsWith("$") && typeof stored === "string" ? undefined : signs[sign]);
}

const maxLength = 60;
/** An amount that has only one reading. */
const plain = /^(?:0|[1-9]\d{0,11})(?:\.\d\d?)?$/;
const withExponent = /^[-+]?\d+(?:\.\d+)?e[-+]?\d+$/i;

/** Whether a number keeps these digits: any 15, or those that it prints itself. */
const isExact = (value: number, digits: string): boolean =>
  digits.replace(/\D/g, "").replace(/^0+/, "").length <= 15 || String(value) === digits;

/** Every way to read `text` as an amount; none if it is no amount. */
function readingsOf(text: string): Readings {
  const readings = new Map<Mark, number>();
  if (text.length > maxLength) return readings;
  if (plain.test(text)) return readings.set(".", Number(text));
  // no -0
  if (withExponent.test(text)) return Number.isFinite(Number(text)) ? readings.set(".", Number(text) || 0) : readings;
  const { negative, rest } = splitSign(text.trim().replace(/[\u00a0\u2007\u2009\u202f]/g, " "));
  // Accounting formats print nothing as a dash.
  if (/^[-–—]$/.test(rest)) return readings.set(".", 0);
  if (!/\d/.test(rest)) return readings;
  for (const mark of [".", ","] as const) {
    if (!grouped[mark].test(rest)) continue;
    const digits = rest
      .replaceAll(mark, "\n")
      .replace(/[., '’]/g, "")
      .replace("\n", ".");
    const value = Number(digits);
    if (!isExact(value, digits)) continue;
    readings.set(mark, negative && value !== 0 ? -value : value);
  }
  return readings;
}

/**
 * As moneyReader reads it again, whatever stands beside it: a fourth decimal shows that the point parts no thousands.
 */
export const printNumber = (value: number): string => {
  const text = String(value);
  return /^-?[1-9]\d{0,2}\.\d{3}$/.test(text) ? `${text}0` : text;
};

const isDecided = (readings: Readings): boolean => readings.size === 1;

/** The mark before the decimals that every clear amount of the column has. */
function commonMark(texts: Iterable<string>): Mark | undefined {
  const marks = new Set<Mark>();
  for (const text of texts) {
    const readings = readingsOf(text);
    if (isDecided(readings) && /[.,]/.test(text)) for (const mark of readings.keys()) marks.add(mark);
  }
  const [mark] = marks;
  return marks.size === 1 ? mark : undefined;
}

/** Why a text is no amount: it could be two. */
export class TwoAmounts extends CellRefusal {}

/** Reads the amounts of one column. Answers the number, or what is wrong with the text. */
export function moneyReader(texts: Iterable<string>): (text: string) => number | CellRefusal {
  let mark: { common: Mark | undefined } | undefined;
  return (text) => {
    const readings = readingsOf(text);
    const values = new Set(readings.values());
    const [value] = values;
    if (value === undefined) return new CellRefusal(`${quoted(text)} is not an amount`);
    if (values.size === 1) return value;
    mark ??= { common: commonMark(texts) };
    const known = mark.common === undefined ? undefined : readings.get(mark.common);
    if (known !== undefined) return known;
    // 1,234 without another amount beside it: decimals come in twos, so the comma parts thousands. 1.234 could be
    // either.
    if (/,\d{3}$/.test(text.trim())) return readings.get(".") as number;
    return new TwoAmounts(`${quoted(text)} could be ${[...values].join(" or ")}; write it with two decimals`);
  };
}

import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { moneyReader, printNumber } from "../../src/features/lists/money.ts";
import { assertProperty, sampling } from "../support/sampling.ts";

/** How each text is read if all of them are in one column: a number or a problem. */
const read = (...texts: string[]) => {
  const reader = moneyReader(texts);
  return texts.map((text) => {
    const reading = reader(text);
    return typeof reading === "number" ? reading : reading.message;
  });
};

const money = suite("amounts");

money("are read with currency signs, separators and brackets", () => {
  assert.equal(
    read("$1,234.50", "(5.50)", "-£12", "USD 1,000", "12.5 €", "5.50-", "kr 7", "$ -", " 1 234.5", "1'000.00"),
    [1234.5, -5.5, -12, 1000, 12.5, -5.5, 7, 0, 1234.5, 1000],
  );
});

money("are read with a decimal comma if it can be nothing else", () => {
  assert.equal(read("1.234,50"), [1234.5]);
  assert.equal(read("12,5", "1.234.567", "100,-"), [12.5, 1234567, 100]);
});

money("that are ambiguous take their meaning from the unambiguous ones of the column", () => {
  assert.equal(read("1.234", "1.234,50"), [1234, 1234.5]);
  assert.equal(read("1.234", "12.50"), [1.234, 12.5]);
});

money("that are ambiguous are refused, but a comma before three digits separates thousands", () => {
  assert.equal(read("1.234"), ['"1.234" could be 1.234 or 1234; write it with two decimals']);
  assert.equal(read("1,234"), [1234]);
});

money("that are invalid are refused", () => {
  for (const text of ["#REF!", "n/a", "12 May", "1.2.3", "1,23,4", "12345678901234567", "1e999", "--5"])
    assert.match(String(read(text)[0]), /is not an amount$/, text);
});

money("are read back unchanged after printing", () => {
  const amount = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
  const cents = fc.integer().map((value) => value / 1000);
  assertProperty(
    fc.property(fc.oneof(amount, cents), (value) => assert.equal(read(printNumber(value)), [value])),
    sampling(100, 1),
  );
});

money.run();

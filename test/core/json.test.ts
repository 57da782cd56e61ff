// Parsing JSON from clients: every digit of an integer is kept, and limits are checked before parsing.
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Inexact, parseJson, parseJsonInTurns, RepeatedKey, TooDeep } from "../../src/core/json.ts";
import { documentLimits } from "../../src/features/documents/json_limits.ts";
import { assertProperty, sampling } from "../support/sampling.ts";

const json = suite("parseJson");

json("returns what JSON.parse returns, for every value that a number can represent", () => {
  assertProperty(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      const asNumbers = JSON.stringify(parseJson(text), (_, value) =>
        typeof value === "bigint" ? Number(value) : value,
      );
      assert.equal(JSON.parse(asNumbers), JSON.parse(text));
    }),
    sampling(100, 1),
  );
});

json("refuses what JSON.parse refuses", () => {
  const piece = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "\\",
    "-",
    "0",
    "12345678901234567890",
    "1e5",
    " ",
    "a",
  );
  assertProperty(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      const parses = (parse: (text: string) => unknown): boolean => {
        try {
          parse(text);
          return true;
        } catch (error) {
          assert.instance(error, SyntaxError);
          return false;
        }
      };
      assert.is(parses(parseJson), parses(JSON.parse), text);
    }),
    sampling(100, 1),
  );
});

json("has no 0 with a sign, which would be another value than the stored one", () => {
  const found = parseJson('[-0, {"a": -0.0, "b": [-0e-7]}, -0E+5, "-0", -0.5, -1e0, -10]');
  assert.equal(found, [0, { a: 0, b: [0] }, 0, "-0", -0.5, -1, -10]);
  assert.not.ok(
    [(found as number[])[0], (found as { a: number }[])[1]?.a, parseJson("-0")].some((one) => Object.is(one, -0)),
  );
  assert.throws(() => parseJson("[-0 1]"));
  assert.throws(() => parseJson("[-00]"));
});

json("keeps every digit of a long integer at any place, and changes no other value", () => {
  const text =
    '{"a":[12345678901234567890,-9223372036854775808],"b":"12345678901234567890","c":1234567890123456.5,"d":1e30}';
  assert.equal(parseJson(text), {
    a: [12345678901234567890n, -9223372036854775808n],
    b: "12345678901234567890",
    c: 1234567890123456.5,
    d: 1e30,
  });
  assert.is(parseJson("9007199254740991"), 9007199254740991);
  assert.is(parseJson("1763625312000000001"), 1763625312000000001n);
});

json("does not confuse text from a client with its internal integer marker", () => {
  assert.equal(parseJson('["\\u000012345678901234567890", 12345678901234567890]'), [
    "\u000012345678901234567890",
    12345678901234567890n,
  ]);
});

json("keeps __proto__ as an own key", () => {
  const value = parseJson('{"__proto__":{"x":12345678901234567890}}') as object;
  assert.is(Object.getPrototypeOf(value), Object.prototype);
  assert.equal(Object.keys(value), ["__proto__"]);
});

json("refuses more than 64 levels and more than 50,000 values before parsing", () => {
  assert.throws(
    () => parseJson("[".repeat(65)),
    (error: unknown) => error instanceof TooDeep,
  );
  assert.throws(() => parseJson(`[${"0,".repeat(60_000)}`), /at most 50,000 values/);
  assert.ok(parseJson(`[${"0,".repeat(49_000)}0]`));
});

json("refuses more than 2,097,152 characters of keys before parsing, in bodies alone", () => {
  const text = `{"${"k".repeat(1_100_000)}": 1, "${"l".repeat(1_100_000)}": 2}`;
  assert.throws(() => parseJson(text), /the keys of a JSON body must have at most 2,097,152 characters together/);
  assert.is(Object.keys(parseJson(text, documentLimits()) as object).length, 2);
  assert.ok(parseJson(`["${"k".repeat(3_000_000)}"]`), "a value is no key");
});

json("lets the event loop go on while a body of a hundred thousand characters and more is parsed", async () => {
  const texts = {
    spaces: `[1${" ".repeat(8_000_000)}]`,
    "long integers": `[${`${"9".repeat(95)},`.repeat(40_000)}1]`,
    "zeros with a sign": `[${"-0,".repeat(49_000)}1]`,
    keys: `{${Array.from({ length: 40_000 }, (_, n) => `"k${n}":-0`)}}`,
  };
  for (const [name, text] of Object.entries(texts)) {
    let turns = 0;
    let goesOn = true;
    const count = (): void => {
      turns++;
      if (goesOn) setImmediate(count);
    };
    setImmediate(count);
    assert.equal(await parseJsonInTurns(text), parseJson(text), name);
    goesOn = false;
    assert.ok(turns > 1, name);
  }
});

json("keeps the text of a number that JavaScript would round, for the reader that refuses it", () => {
  for (const text of ["1e400", "-1e-400", "0.12345678901234567890123", "1.0000000000000000001e3", "1".repeat(101)])
    assert.equal(parseJson(`{"x": ${text} }`), { x: new Inexact(text) }, text);
  for (const text of ["1e30", "0.1000000000000000000", "123456789012345.25"])
    assert.is(parseJson(text), JSON.parse(text), text);
  assert.throws(() => parseJson("{12345678901234567890: 1}"), SyntaxError, "a number is no key");
  const many = parseJson(`[${"1e400,".repeat(300)}1]`) as unknown[];
  assert.is(many.filter((one) => one instanceof Inexact).length, 200);
});

json("keeps the first thousand characters of a longer number, and checks all of them", () => {
  const digits = "1234567890".repeat(500);
  for (const text of [digits, `-${digits}`, `0.${digits}`, `${digits}.5e-${digits}`, `1e${digits}`])
    assert.equal(parseJson(`[1, ${text} ]`), [1, new Inexact(text.slice(0, 1001))], text.slice(0, 20));
  for (const text of [
    `0${digits}`,
    `${digits}.`,
    `.${digits}`,
    `${digits}e`,
    `${digits}-`,
    `${digits}.5.5`,
    `--${digits}`,
    `${digits}e5e5`,
  ])
    assert.throws(() => parseJson(`[1, ${text}]`), SyntaxError, text.slice(-20));
});

// 20 times: a reader whose time is the square of the length takes 1,000 times and more; both are the least of three.
json("does not read a number of 8 MB in the square of its length", () => {
  const [long, list] = ["7".repeat(2 ** 23), `[${'"7777777777777777777777777777",'.repeat(2 ** 18)}7]`];
  const shortest = (text: string): number =>
    Math.min(
      ...Array.from({ length: 3 }, () => {
        const before = process.cpuUsage();
        parseJson(text, documentLimits());
        const { user, system } = process.cpuUsage(before);
        return user + system;
      }),
    );
  const [number, all] = [shortest(long), shortest(list)];
  assert.ok(number < 20 * all, `${number} and ${all} microseconds`);
});

json("refuses a key that an object has twice, with its place, however it is written", () => {
  const cases = [
    ['{"a":1,"a":2}', "a"],
    ['{"a":1,"\\u0061":2}', "a"],
    ['{"scenes":[{"number":"1"},{"number":"2","n":{"x":1},"number" : "3"}]}', "scenes[1].number"],
    ['[[],[{"a":{"b":[0,{"":1,"":2}]}}]]', "[1][0].a.b[1]."],
    ['{"__proto__":1,"__proto__":{}}', "__proto__"],
    ['{"a":"\\"a\\":1","a":":"}', "a"],
    ['{"a":12345678901234567890,"a":1e400}', "a"],
  ] as const;
  for (const [text, place] of cases)
    assert.throws(
      () => parseJson(text),
      (error: Error) => error instanceof RepeatedKey && error.message.startsWith(`${place} is given twice`),
      text,
    );
  const sound = [
    '{"a":{"a":1},"b":[{"a":1},{"a":2}]}',
    '{"a":"a:","b":"{\\"a\\":1,\\"a\\":2}"}',
    '["a","a"]',
    '{"A":1,"a":2}',
  ];
  for (const text of sound) assert.equal(parseJson(text), JSON.parse(text));
  const long = JSON.stringify("k".repeat(1e6));
  assert.throws(
    () => parseJson(`{${long}:1,${long}:2}`),
    (error: Error) => error.message.length < 300,
  );
  const deep = `${'{"a":['.repeat(60_000)}{"b":1,"b":2}${"]}".repeat(60_000)}`;
  assert.throws(
    () => parseJson(deep, documentLimits()),
    (error: Error) => error instanceof RepeatedKey,
  );
});

json.run();

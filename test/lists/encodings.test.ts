// Texts in other encodings than UTF-8: read as the likeliest one, or a question that `encoding` answers.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { likeliestEncoding } from "../../src/features/paperwork/encodings.ts";
import { FormatError } from "../../src/features/paperwork/findings.ts";
import { readFountain } from "../../src/features/scripts/fountain.ts";
import { mint, openTestServer } from "../support/app.ts";
import { openImports } from "../support/import.ts";
import { openAsAdmin } from "../support/pages.ts";
import { readFdx } from "../support/script_readers.ts";
import { seedDataOf } from "../support/seed_data.ts";

/** The bytes of a text in an encoding of which each byte, or pair of them, is one character. */
function encoded(text: string, encoding: string): Buffer {
  const decoder = new TextDecoder(encoding);
  const bytes = new Map<string, number[]>();
  for (let one = 0; one < 256; one++) {
    bytes.set(decoder.decode(Uint8Array.of(one)), [one]);
    if (/^windows|macintosh/.test(encoding)) continue;
    for (let other = 0x30; one > 0x80 && other < 256; other++) {
      const character = decoder.decode(Uint8Array.of(one, other));
      if (!bytes.has(character)) bytes.set(character, [one, other]);
    }
  }
  return Buffer.from([...text].flatMap((character) => bytes.get(character) as number[]));
}

const crews = {
  "windows-1250": "Łukasz Żak,Operator dźwięku\nMałgorzata Wójcik,Kierowniczka produkcji\nPaweł Dąbrowski,Oświetlacz\n",
  "windows-1251": "Иван Петров,Оператор\nОльга Смирнова,Гримёр\n",
  "windows-1253": "Γιώργος Παππάς,Ηλεκτρολόγος\nΆννα Δήμου,Ενδυματολόγος\n",
  "windows-1254": "Işıl Demir,Yardımcı yönetmen\nGökçe Yağmur,Işık şefi\n",
  "windows-1256": "أحمد علي,مصور\nفاطمة حسن,مساعدة المخرج\n",
  shift_jis: "田中一郎,カメラ\n佐藤花子,衣装\n",
  gb18030: "王小明,摄影师\n李华,美术指导\n张伟,灯光师\n",
  big5: "陳大文,攝影師\n林美玲,服裝設計\n",
  "euc-kr": "김민수,촬영감독\n이영희,의상\n",
  macintosh: "Zoé Müller,Réalisatrice\nJürgen Groß,Maître d'hôtel\n",
};
const western = [
  "Jürgen Groß,Aufnahmeleiter\nZoë Müller,Ausstattung – Bühne\n",
  "João Conceição,Produção\nInês Leitões,Direcção\n",
  "Andrés Ordóñez,Iluminación\n¿Quién?,Cañón\n",
  "Þórður Guðmundsson,Leikstjóri\nÆgir Þór,Hljóð\n",
  "Päivi Mäkelä,Äänittäjä\nYrjö Häyhä,Öljy\n",
  "Chloé L’Œuvre,Régie générale «été» 50 €\n",
  "Åsa Öberg,Rekvisitör\nSmåöarna,Blåögd\n",
  "Jäääär,Öö\nTõnu Õunapuu,Režissöör\n",
  "Zoë,x\n",
];
const unclear = "Їжак Ґудзик,Освітлювач\n";
const list = (rows: string): string => `Name,Role\n${rows}`;

const test = suite("a text in another encoding");

test("is read as what a detector finds clearly likeliest, and Western words as Windows-1252", () => {
  for (const [encoding, rows] of Object.entries(crews))
    assert.is(likeliestEncoding(encoded(list(rows), encoding)), encoding, encoding);
  for (const rows of western) assert.is(likeliestEncoding(encoded(list(rows), "windows-1252")), "windows-1252", rows);
});

test("is none that makes the same of a text as Windows-1252, where that is not Western", () => {
  const crew = "Abteilung;Name;Vorname\nKamera;Müller;Jörg\nTon;Weiß;Änne\n";
  assert.is(likeliestEncoding(encoded(crew, "macintosh")), "macintosh");
});

test("is a question with its choices where it may be several", () => {
  try {
    likeliestEncoding(encoded(list(unclear), "windows-1251"));
    assert.unreachable();
  } catch (error) {
    assert.instance(error, FormatError);
    const { problems } = error as FormatError;
    assert.ok(problems[0]?.choices?.includes("windows-1251"));
    assert.match(
      problems[0]?.sentence ?? "",
      /^the file is not UTF-8, and its encoding is not clear; --encoding must say it: /,
    );
  }
});

test("that is UTF-8 with a damaged character is refused", () => {
  const damaged = Buffer.concat([Buffer.from("Zoë Müller, Chloé "), Buffer.from([0xc3])]);
  assert.throws(() => likeliestEncoding(damaged), /^line 1: this is not UTF-8 text; save the file as UTF-8$/);
});

test("may be a script, which is read with a warning; a document of XML says its encoding", () => {
  const script = readFountain(
    encoded(
      "INT. КУХНЯ - НОЧЬ\n\nИВАН\nТихо. Иди сюда, пожалуйста, и закрой за собой дверь, потому что на улице холодно.\n",
      "windows-1251",
    ),
  );
  assert.equal(
    script.scenes.map(({ slugline, characters }) => [slugline, [...characters]]),
    [["INT. КУХНЯ - НОЧЬ", ["ИВАН"]]],
  );
  assert.match(script.warnings[0]?.sentence ?? "", /was read as Windows-1251/);
  const xml = `<?xml version="1.0" encoding="windows-1251"?><FinalDraft DocumentType="Script"><Content>
<Paragraph Type="Scene Heading" Number="1"><Text>INT. ЁЖ - НОЧЬ</Text></Paragraph></Content></FinalDraft>`;
  assert.is(readFdx(encoded(xml, "windows-1251")).scenes[0]?.slugline, "INT. ЁЖ - НОЧЬ");
});

test("is what --encoding says, and files in UTF-8 stay UTF-8", async () => {
  const production = await openImports({ name: "white.fountain", text: "Title: A\n\nINT. HALL - DAY #1#\n\nRain.\n" });
  const given = { name: "crew.csv", text: encoded(list(unclear), "windows-1251") };
  const refused = await production.import(given, { as: "people" }).catch((error) => error);
  assert.match(String(refused.message ?? refused), /crew\.csv/);
  await production.import(given, { as: "people", encoding: "cp1251" });
  await production.import({ name: "more.csv", text: list("Zoë Özil,Grip\n") }, { as: "people", encoding: "cp1251" });
  assert.equal(
    production.rows("SELECT name FROM people ORDER BY id").map(({ name }: { name: string }) => name),
    ["Їжак Ґудзик", "Zoë Özil"],
  );
  const wrong = await production
    .import({ name: "bad.csv", text: Buffer.from([0x41, 0x81, 0xff]) }, { as: "people", encoding: "shift_jis" })
    .catch((error) => error);
  assert.match(`${wrong.message} ${wrong.lines}`, /is not shift_jis, as --encoding says/);
});

test("is over the API 422 with the choices, read with `encoding`, and 422 for a label that is none or of UTF", async () => {
  const server = await openTestServer();
  const { feature } = seedDataOf(server.store);
  const key = mint(server.store, { production_id: feature, scopes: ["read", "edit", "admin"] });
  const send = async (query: string) => {
    const form = new FormData();
    form.append("files", new Blob([new Uint8Array(encoded(list(unclear), "windows-1251"))]), "crew.csv");
    const answer = await server.ask(key, `/api/v1/admin/import?dry_run=1&as=people${query}`, {
      method: "POST",
      body: form,
    });
    return {
      status: answer.status,
      body: (await answer.json()) as { detail: string; problems?: { choices?: string[] }[] },
    };
  };
  const asked = await send("");
  assert.is(asked.status, 422);
  assert.match(asked.body.detail, /encoding is not clear.*windows-1251/);
  assert.ok(asked.body.problems?.[0]?.choices?.includes("windows-1251"));
  assert.is((await send("&encoding=windows-1251")).status, 200);
  for (const label of ["klingon", "utf-8", "utf-16le"]) {
    const refused = await send(`&encoding=${label}`);
    assert.is(refused.status, 422, label);
    assert.match(refused.body.detail, /encoding must be a label of the WHATWG encoding standard that is not UTF/);
  }
  await server.stop();
});

test("is on the page a choice with the first rows, and the chosen one is read", async () => {
  const server = await openTestServer();
  const admin = await openAsAdmin(server, seedDataOf(server.store).feature);
  const path = "/settings/import";
  const send = async (more: Record<string, string>) => {
    const form = new FormData();
    form.append("proof", /name="proof" value="([^"]+)"/.exec(await admin.text(path))?.[1] as string);
    for (const [name, value] of Object.entries({ action: "preview", as: "people", ...more })) form.append(name, value);
    form.append("files", new Blob([new Uint8Array(encoded(list(unclear), "windows-1251"))]), "crew.csv");
    const headers = { cookie: admin.cookies(), accept: "text/html", origin: server.url };
    return (await fetch(server.url + path, { method: "POST", body: form, headers })).text();
  };
  const asked = await send({});
  assert.match(asked, /crew\.csv is not UTF-8: choose how its letters are right/);
  assert.match(asked, /name="charset" value="windows-1251"[\s\S]*?Їжак Ґудзик/);
  const read = await send({ charset: "windows-1251" });
  assert.match(read, /What would change[\s\S]*Їжак Ґудзик/);
  await server.stop();
});

test.run();

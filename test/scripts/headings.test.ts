// Scene headings in the languages of screenwriters, and what stands beside them.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseSlugline } from "../../src/features/names/sluglines.ts";
import { fdx, fountain, heading, paragraph, printed, sluglines } from "./scripts.ts";

/** The second scene of a script of which the first has an English heading, and the warnings. */
function second(line: string) {
  const { scenes, warnings } = fountain("INT. A - DAY #900#", "", "Text.", "", line, "", "Text.", "");
  const scene = scenes[1];
  const { int_ext, set, time_of_day } = parseSlugline(scene?.slugline ?? "");
  return { scene: scene && [scene.number, int_ext, set, time_of_day], warnings };
}
const sceneOf = (line: string) => second(line).scene;

const languages = suite("a scene heading");

languages("begins with the words of its language, and has int_ext in English and the time of day as written", () => {
  for (const [line, int_ext, set, time] of [
    ["INNEN. KÜCHE - TAG", "INT", "KÜCHE", "TAG"],
    ["AUSSEN STRASSE NACHT", "EXT", "STRASSE", "NACHT"],
    ["I./A. AUTO - NACHT", "INT/EXT", "AUTO", "NACHT"],
    ["INNEN/AUSSEN. BOOT - DÄMMERUNG", "INT/EXT", "BOOT", "DÄMMERUNG"],
    ["KÜCHE - INNEN/TAG", "INT", "KÜCHE", "TAG"],
    ["KÜCHE INNEN TAG", "INT", "KÜCHE", "TAG"],
    ["AUẞEN. STRAẞE - SPÄTER", "EXT", "STRAẞE", "SPÄTER"],
    ["INNEN. KÜCHE - MORGENDÄMMERUNG", "INT", "KÜCHE", "MORGENDÄMMERUNG"],
    ["INT. CUISINE/JOUR", "INT", "CUISINE", "JOUR"],
    ["INT. CUISINE - FIN DE JOURNÉE", "INT", "CUISINE", "FIN DE JOURNÉE"],
    ["INT. HALL DAY/NIGHT", "INT", "HALL", "DAY/NIGHT"],
    ["WN. KUCHNIA – WIECZOREM", "INT", "KUCHNIA", "WIECZOREM"],
    ["НАТ. УЛИЦА - НОЧЬЮ", "EXT", "УЛИЦА", "НОЧЬЮ"],
    ["ΕΣΩΤ. ΣΠΙΤΙ – ΠΡΩΪ", "INT", "ΣΠΙΤΙ", "ΠΡΩΪ"],
    ["داخلي – منزل – نهاراً", "INT", "منزل", "نهاراً"],
    ["خارجي. شارع - الفجر", "EXT", "شارع", "الفجر"],
    ["内景 咖啡馆 晚上", "INT", "咖啡馆", "晚上"],
    ["○ 公園（午後）", null, "公園", "午後"],
    ["INTÉRIEUR. CAVE – NUIT", "INT", "CAVE", "NUIT"],
    ["INT. JOUR - CUISINE", "INT", "CUISINE", "JOUR"],
    ["EXTÉRIEUR/JOUR. RUE", "EXT", "RUE", "JOUR"],
    ["EXTÉRIEUR JOUR - RUE", "EXT", "RUE", "JOUR"],
    ["EST. STRADA - NOTTE", "EXT", "STRADA", "NOTTE"],
    ["ليل / داخلي - المطبخ", "INT", "المطبخ", "ليل"],
    ["INNEN KÜCHE TAG", "INT", "KÜCHE", "TAG"],
    ["INT: KITCHEN - DAY", "INT", "KITCHEN", "DAY"],
    ["INTERIOR. CASA - DÍA", "INT", "CASA", "DÍA"],
    ["EXTERIOR. RUA - NOITE", "EXT", "RUA", "NOITE"],
    ["ESTERNO STRADA NOTTE", "EXT", "STRADA", "NOTTE"],
    ["CASA DI ANNA - INTERNO GIORNO", "INT", "CASA DI ANNA", "GIORNO"],
    ["WN. MIESZKANIE – NOC", "INT", "MIESZKANIE", "NOC"],
    ["PL. ULICA – DZIEŃ", "EXT", "ULICA", "DZIEŃ"],
    ["PLENER. LAS – ŚWIT", "EXT", "LAS", "ŚWIT"],
    ["EXTERIÉR. LES - NOC", "EXT", "LES", "NOC"],
    ["ИНТ. КУХНЯ - НОЧЬ", "INT", "КУХНЯ", "НОЧЬ"],
    ["НАТ. УЛИЦА. ДЕНЬ", "EXT", "УЛИЦА", "ДЕНЬ"],
    ["ІНТ. КУХНЯ - НІЧ", "INT", "КУХНЯ", "НІЧ"],
    ["İÇ/DIŞ ARABA - GECE", "INT/EXT", "ARABA", "GECE"],
    ["ΕΣΩΤ. ΚΟΥΖΙΝΑ - ΝΥΧΤΑ", "INT", "ΚΟΥΖΙΝΑ", "ΝΥΧΤΑ"],
    ["داخلي. المطبخ - ليل", "INT", "المطبخ", "ليل"],
    ["חוץ. רחוב - יום", "EXT", "רחוב", "יום"],
    ["内景 咖啡馆 - 日", "INT", "咖啡馆", "日"],
    ["외부 - 낮", undefined, undefined, undefined],
    ["실외. 거리 - 밤", "EXT", "거리", "밤"],
    ["○ 喫茶店・内（昼）", "INT", "喫茶店", "昼"],
    ["○川沿いの道（夕方）", null, "川沿いの道", "夕方"],
    ["ＩＮＴ．　喫茶店　－　夜", "INT", "喫茶店", "夜"],
    ["ＩＮＴ／ＥＸＴ．　ＣＡＲ - ＤＡＹ", "INT/EXT", "CAR", "DAY"],
    ["○ＮＨＫ　前", null, "ＮＨＫ 前", null],
    ["ＡＢＣ　会社の前に立つ。", undefined, undefined, undefined],
    ["INT.-EXT. CAR - DAY", "INT/EXT", "CAR", "DAY"],
    ["INT. & EXT. CAR - DAY", "INT/EXT", "CAR", "DAY"],
    ["INT. AND EXT. CAR - DAY", "INT/EXT", "CAR", "DAY"],
    ["INT. KITCHEN / EXT. STREET - NIGHT", "INT/EXT", "KITCHEN / STREET", "NIGHT"],
    ["IC. EV - GECE", "INT", "EV", "GECE"],
    ["DIS. SOKAK - GECE", "EXT", "SOKAK", "GECE"],
    ["IC. EV - GUN", "INT", "EV", "GUN"],
    ["IC/DIS. ARABA/GUNDUZ", "INT/EXT", "ARABA", "GUNDUZ"],
    ["İç. Ev - ikindi", "INT", "EV", "IKINDI"],
    ["INT. BAR - GUN", "INT", "BAR - GUN", null],
    ["Innen/Tag - Küche", "INT", "KÜCHE", "TAG"],
    ["DIS. TU VIENS ?", undefined, undefined, undefined],
    ["Dis. Tu viens", undefined, undefined, undefined],
    ["ΕΞΩ. ΔΡΟΜΟΣ - ΝΥΧΤΑ", "EXT", "ΔΡΟΜΟΣ", "ΝΥΧΤΑ"],
    ["日 内 咖啡馆", "INT", "咖啡馆", "日"],
    ["■公園（夜）", null, "公園", "夜"],
    ["■ りんご", undefined, undefined, undefined],
  ] as const)
    assert.equal(sceneOf(line), int_ext === undefined ? undefined : [null, int_ext, set, time], line);
});

languages(
  "has times of day of several words, with elided articles, without accents, counted and as clock times",
  () => {
    for (const [line, set, time] of [
      ["INT. CUISINE - L'AUBE", "CUISINE", "L'AUBE"],
      ["INT. CUISINE - FIN D'APRÈS-MIDI", "CUISINE", "FIN D'APRÈS-MIDI"],
      ["INT. CUISINE - APRES-MIDI", "CUISINE", "APRES-MIDI"],
      ["INT. CUISINE - PLUS TARD", "CUISINE", "PLUS TARD"],
      ["INT. NUIT CUISINE", "CUISINE", "NUIT"],
      ["INT. NUIT DES ROIS - JOUR", "NUIT DES ROIS", "JOUR"],
      ["INNEN. KÜCHE - NÄCHSTER TAG", "KÜCHE", "NÄCHSTER TAG"],
      ["INNEN. KÜCHE - KURZ DARAUF", "KÜCHE", "KURZ DARAUF"],
      ["INNEN. KÜCHE - ABENDS", "KÜCHE", "ABENDS"],
      ["INNEN. KÜCHE - TAG 3", "KÜCHE", "TAG 3"],
      ["INT. COCINA - AL DÍA SIGUIENTE", "COCINA", "AL DÍA SIGUIENTE"],
      ["INT. COZINHA - PÔR DO SOL", "COZINHA", "PÔR DO SOL"],
      ["INT. CUCINA - PIÙ TARDI", "CUCINA", "PIÙ TARDI"],
      ["WN. KUCHNIA - ZACHÓD SŁOŃCA", "KUCHNIA", "ZACHÓD SŁOŃCA"],
      ["INT. KUCHYNĚ - PODVEČER", "KUCHYNĚ", "PODVEČER"],
      ["ИНТ. КУХНЯ - РЕЖИМ", "КУХНЯ", "РЕЖИМ"],
      ["ІНТ. КУХНЯ - ЗАХІД СОНЦЯ", "КУХНЯ", "ЗАХІД СОНЦЯ"],
      ["İÇ. MUTFAK - GÜN BATIMI", "MUTFAK", "GÜN BATIMI"],
      ["ΕΣΩΤ. ΣΠΙΤΙ - ΛΙΓΟ ΑΡΓΟΤΕΡΑ", "ΣΠΙΤΙ", "ΛΙΓΟ ΑΡΓΟΤΕΡΑ"],
      ["داخلي - المطبخ - منتصف الليل", "المطبخ", "منتصف الليل"],
      ["פנים. מטבח - לפנות בוקר", "מטבח", "לפנות בוקר"],
      ["内景 厨房 - 稍后", "厨房", "稍后"],
      ["○ 家（翌朝）", "家", "翌朝"],
      ["실내. 부엌 - 늦은 밤", "부엌", "늦은 밤"],
      ["실내. 부엌 - 낮/밤", "부엌", "낮/밤"],
      ["INNEN. KÜCHE - T/N", "KÜCHE", "T/N"],
      ["INNEN. KÜCHE - FRÜH", "KÜCHE", "FRÜH"],
      ["INNEN. KÜCHE - WEITER", "KÜCHE", "WEITER"],
      ["INNEN. KÜCHE - TAG - FORTS.", "KÜCHE", "TAG - FORTS."],
      ["INT. CUISINE - J/N", "CUISINE", "J/N"],
      ["INT. CUISINE - JOUR - SUITE", "CUISINE", "JOUR - SUITE"],
      ["INT. HOTEL - SUITE - NUIT", "HOTEL - SUITE", "NUIT"],
      ["INT. CUISINE - DEUX HEURES PLUS TARD", "CUISINE", "DEUX HEURES PLUS TARD"],
      ["INT. CUCINA - SEGUE", "CUCINA", "SEGUE"],
      ["INT. CUCINA - G/N", "CUCINA", "G/N"],
      ["INT. CUCINA - MATTINA PRESTO", "CUCINA", "MATTINA PRESTO"],
      ["INT. COCINA - CONTINUACIÓN", "COCINA", "CONTINUACIÓN"],
      ["INT. COZINHA - MANHÃ CEDO", "COZINHA", "MANHÃ CEDO"],
      ["WN. KUCHNIA - DZIEŃ C.D.", "KUCHNIA", "DZIEŃ C.D."],
      ["WN. KUCHNIA - NAD RANEM", "KUCHNIA", "NAD RANEM"],
      ["INT. KUCHYNĚ - K RÁNU", "KUCHYNĚ", "K RÁNU"],
      ["ИНТ. КУХНЯ - Д/Н", "КУХНЯ", "Д/Н"],
      ["ІНТ. КУХНЯ - РАНІШЕ", "КУХНЯ", "РАНІШЕ"],
      ["İÇ. MUTFAK - DEVAMI", "MUTFAK", "DEVAMI"],
      ["ΕΣΩΤ. ΚΟΥΖΙΝΑ - Μ/Ν", "ΚΟΥΖΙΝΑ", "Μ/Ν"],
      ["داخلي. المطبخ - الصباح الباكر", "المطبخ", "الصباح الباكر"],
      ["פנים. מטבח - בוקר מוקדם", "מטבח", "בוקר מוקדם"],
      ["内景 厨房 日 (续)", "厨房", "日"],
      ["실내. 부엌 - 계속", "부엌", "계속"],
      ["INT. BAR - CONTINUED", "BAR", "CONTINUED"],
      ["INT. BAR - 2 AM", "BAR", "2 AM"],
      ["INT. BAR - DAY 3", "BAR", "DAY 3"],
      ["INT. SMITH HOUSE - DEN - NIGHT", "SMITH HOUSE - DEN", "NIGHT"],
      ["INT. KUCHYNĚ - DEN", "KUCHYNĚ", "DEN"],
    ] as const)
      assert.equal(sceneOf(line)?.slice(2), [set, time], line);
    assert.equal(parseSlugline("INT. HOUSE - DAY - D1"), {
      int_ext: "INT",
      set: "HOUSE",
      time_of_day: "DAY",
      script_day: "D1",
    });
    assert.is(parseSlugline("INT. WARD - D1").set, "WARD - D1");
  },
);

languages("may be inside and ESTERNO", () => {
  for (const line of ["INT/EST. MACCHINA - SERA", "INT./EST. MACCHINA - SERA", "EST./INT. MACCHINA - SERA"])
    assert.equal(sceneOf(line), [null, "INT/EXT", "MACCHINA", "SERA"], line);
});

languages("takes its number from the mark or the number in front", () => {
  for (const [line, number] of [
    ["1. INNEN. KÜCHE - TAG", "1"],
    ["1-1. ИНТ. КВАРТИРА. ДЕНЬ", "1-1"],
    ["12A INT. KITCHEN - DAY 12A", "12A"],
    ["12A. INT. KITCHEN - DAY 12A.", "12A"],
    ["12A\tINT. KITCHEN - DAY\t12A", "12A"],
    ["12A INT. KITCHEN - DAY 12A *", "12A"],
    ["A12 INT. KITCHEN - DAY", "A12"],
    ["INT. KITCHEN - DAY #12A# *", "12A"],
    ["12 ○ 路上（夜）", "12"],
    ["SZENE 3 - INNEN. KELLER - NACHT", "3"],
    ["SC. 3 - INT. CELLAR - NIGHT", "3"],
    ["[3] INT. CELLAR - NIGHT", "3"],
    ["3. BILD: INNEN. KELLER - NACHT", "3"],
    ["3. BILD  INNEN. KELLER - NACHT", "3"],
    ["SÉQ. 3 - INT. JOUR - CAVE", "3"],
    ["ESC. 3 INT. CASA - DÍA", "3"],
    ["١٢. داخلي - المطبخ - نهار", "12"],
    ["S3 公園（夜）", "3"],
    ["مشهد ٣ ليل / خارجي", "3"],
    ["第十二場　夜　外　街道", "12"],
    ["第一场 内景 咖啡馆 日", "1"],
    ["S#12. 실내. 카페 - 낮", "12"],
    ["3、日 内 咖啡馆", "3"],
    ["１２　喫茶店・内（昼）", "12"],
    ["Ｓ＃３　喫茶店・内（昼）", "3"],
    ["１２　ＩＮＴ．　喫茶店", "12"],
    ["7. ○ 公園", "7"],
    ["场景一 内景 家 夜", "1"],
    ["第一百零三场 内景 家 夜", "103"],
    ["مشهد (٣) ليل / خارجي / شارع", "3"],
    ["4 **INT. KITCHEN - DAY** 4", "4"],
  ] as const)
    assert.is(sceneOf(line)?.[0], number, line);
});

languages("that begins with a word of a language needs capitals or a full stop; a sentence is action", () => {
  for (const line of [
    "Innen brennt Licht.",
    "İç çeker.",
    "Dis. Tu viens? dit-elle.",
    "INTERIOR",
    "外景很美。",
    "夜",
    "12 日",
    "PL KITCHEN",
  ]) {
    const { scene, warnings } = second(line);
    assert.is(scene, undefined, line);
    assert.equal(warnings, [], line);
  }
});

languages("in a script without capitals needs a number, a mark or a time of day; without, it is named", () => {
  assert.is(sceneOf("内景 咖啡馆"), undefined);
  assert.is(second("内景 咖啡馆").warnings[0]?.line, 5);
  assert.equal(sceneOf("内景 咖啡馆 #7#"), ["7", "INT", "咖啡馆", null]);
});

languages("may have the Spanish word for a sequence, or a full stop and a dash, around its number", () => {
  for (const [line, number, set] of [
    ["Secuencia 7 - Ext. Playa - Amanecer", "7", "PLAYA"],
    ["7A.- INT. BAR - NOCHE", "7A", "BAR"],
    ["SEQUÊNCIA 12. INT. SALA - NOITE", "12", "SALA"],
  ] as const)
    assert.equal(sceneOf(line)?.slice(0, 3), [number, line.includes("Ext") ? "EXT" : "INT", set], line);
});

languages("that is not read is named, with its line", () => {
  const unread = [
    "UDVENDIG. GADE - NAT",
    "Int. of the house is dark,\nas ever.",
    "#12# INT. KITCHEN",
    "#1 喫茶店・中（夜）",
    "#1. 카페 안 / 낮",
    "Ext, the yard.",
    "7. Küche, innen, Tag",
    "10. I/T Küche",
    "SZENE 12",
    "Interno casa, giorno.",
    "Secuencia 7 - Interior casa - Noche",
    "Séquence 12 - Intérieur jour - Chambre",
    "~~INT. KITCHEN - DAY~~",
  ];
  for (const line of unread) {
    const { scene, warnings } = second(line);
    assert.is(scene, undefined, line);
    assert.is(warnings[0]?.line, 5, line);
    assert.match(warnings[0]?.sentence ?? "", "looks like a scene heading and is not read as one");
  }
});

languages("in Final Draft may have its number behind a sign", () => {
  const { scenes } = fdx(heading("#3. 카페 / 낮 / 실내") + heading("１２　喫茶店・内（昼）"));
  assert.equal(
    scenes.map(({ number, slugline }) => [number, slugline]),
    [
      ["3", "카페 / 낮 / 실내"],
      ["12", "喫茶店・内（昼）"],
    ],
  );
});

languages("marks its line as action with !, and is then not named", () => {
  assert.equal(second("!INT. BARN - DAY"), { scene: undefined, warnings: [] });
});

languages("may stand in emphasis, or behind spaces and tabs", () => {
  for (const line of [
    "**INT. KITCHEN - DAY**",
    "**_INT. KITCHEN - DAY_**",
    "\t INT. KITCHEN - DAY",
    "\u200fINT. KITCHEN - DAY",
  ])
    assert.equal(sceneOf(line), [null, "INT", "KITCHEN", "DAY"], line);
  assert.equal(sceneOf("**INT. KITCHEN - DAY #4#**"), ["4", "INT", "KITCHEN", "DAY"]);
  assert.equal(sceneOf("**INT. KITCHEN - DAY** #4#"), ["4", "INT", "KITCHEN", "DAY"]);
});

languages.run();

const beside = suite("beside a scene heading");

beside("a synopsis, a section, a note and a boneyard count as blank, below and above it", () => {
  for (const aside of ["= A synopsis.", "# A section", "[[a note]]", "/* cut */"]) {
    assert.equal(sluglines(fountain("Int. A - day", aside, "", "Text.")), ["INT. A - DAY"], aside);
    assert.equal(sluglines(fountain("Int. A - day", "", "Text.", aside, "Int. B - day", "", "Text.")).length, 2, aside);
    assert.equal(sluglines(fountain("Int. A - day", aside, "Text.")).length, 1, aside);
  }
});

beside("text may follow at once if it has a number", () => {
  const { scenes } = fountain("Int. Yard - day #5#", "Ada walks.", "", "INNEN. HOF - TAG #6#", "Ada geht.");
  assert.equal(
    scenes.map(({ number }) => number),
    ["5", "6"],
  );
});

beside("a number of spaces says that it is no scene: its text belongs to the scene before it, and it is named", () => {
  const { scenes, warnings } = fountain("INT. A - DAY #1#", "", "One.", "", "INT. B - DAY # #", "", "Two.", "");
  assert.is(scenes.length, 1);
  assert.equal(printed(scenes[0]), ["action: One.", "action: INT. B - DAY", "action: Two."]);
  assert.equal(
    warnings.map(({ line }) => line),
    [5],
  );
});

beside("a page break ends a speech", () => {
  const { scenes } = fountain("INT. A - DAY", "", "ANNA", "One.", "===", "INT. B - DAY", "", "Two.");
  assert.is(scenes.length, 2);
});

beside("ß and small letters without a capital form do not end capitals", () => {
  const { scenes } = fountain(
    "INT. STRAßE - TAG",
    "Text.",
    "",
    "GROßMUTTER",
    "Guten Tag.",
    "",
    "HERR WEIß (O.S.)",
    "Ja?",
  );
  assert.equal(scenes[0]?.characters, ["GROßMUTTER", "HERR WEIß"]);
});

beside.run();

const many = suite("warnings of a script");

many("beyond a hundred are counted", () => {
  const lines = Array.from({ length: 150 }, (_, at) => ["", `Int. of house ${at} is dark,`, "as ever."]).flat();
  const { warnings } = fountain("INT. A - DAY", ...lines);
  assert.is(warnings.length, 101);
  assert.is(warnings.at(-1)?.sentence, "there are 50 more warnings, which are not listed");
});

many.run();

const titlePage = suite("a title page");

titlePage("names what it says and nothing keeps", () => {
  const said = (...lines: string[]) => fountain(...lines, "", "INT. A - DAY").warnings.map(({ sentence }) => sentence);
  assert.equal(said("Title: A", "Credit: written by", "Author: Ada", "    Ben", "Draft date: Blue, 2 May"), [
    'what the title page says in these lines was not read: "credit: written by", "author: Ada Ben"',
  ]);
  assert.equal(said("Title: A", "Episode: 101", "Draft date: 2 May"), [
    'what the title page says in these lines was not read: "draft date: 2 May"',
  ]);
  const lines = ["A", "by Ada", "Blue Draft, 2 May", "Tel. 12"].map((line) => paragraph("General", line));
  const { warnings } = fdx(heading("INT. A - DAY"), `<TitlePage><Content>${lines.join("")}</Content></TitlePage>`);
  assert.equal(
    warnings.map(({ sentence }) => sentence),
    ['what the title page says in these lines was not read: "by Ada", "Tel. 12"'],
  );
});

titlePage.run();

// The words with which scene headings begin and end, in the languages in which scripts are written.

/** Whether a text has no small letter. ß has no capital form that people type, so it is none. */
export const hasNoSmallLetter = (text: string): boolean => {
  if (/[a-z]/.test(text)) return false;
  if (!/[^ -~]/.test(text)) return true;
  const bare = text.replaceAll("ß", "");
  return bare === bare.toUpperCase();
};

/** Whether a text is in capitals. One in a script without capitals, such as Arabic, is not. */
export const inCapitals = (text: string): boolean =>
  hasNoSmallLetter(text) && (/[A-Z]/.test(text) || (/[^ -~]/.test(text) && /\p{Lu}/u.test(text)));

const wordsOf = (text: string): string[] => text.split(/\s+/);

/** German, French, Spanish and Portuguese, Italian, Polish, Czech, Russian, Ukrainian, Turkish, Greek. */
const casedWords = {
  INT: wordsOf(`INNEN INTÉRIEUR INTERIEUR INTERIOR INTERNO INTERNI WNĘTRZE WN INTERIÉR ИНТЕРЬЕР ИНТ ІНТЕР'ЄР ІНТ İÇ IÇ
    IC ΕΣΩΤΕΡΙΚΌ ΕΣΩΤΕΡΙΚΟ ΕΣΩΤ ΕΣΩ`),
  EXT: wordsOf(`AUSSEN AUßEN AUẞEN EXTÉRIEUR EXTERIEUR EXTERIOR ESTERNO ESTERNI PLENER PL EXTERIÉR НАТУРА НАТ ЭКСТЕРЬЕР ЭКСТ
    ЕКСТЕР'ЄР ЕКСТ DIŞ DıŞ DIS ΕΞΩΤΕΡΙΚΌ ΕΞΩΤΕΡΙΚΟ ΕΞΩΤ ΕΞΩ`),
};
/** Arabic, Hebrew, Chinese, Japanese, Korean. */
const caselessWords = {
  INT: wordsOf("داخلي داخلى פנים 内景 內景 室内 屋内 실내"),
  EXT: wordsOf("خارجي خارجى חוץ 外景 室外 屋外 실외 야외"),
  "INT/EXT": wordsOf("内外景 內外景"),
};
/** Signs that stand for a word only beside a mark, a number or a time of day. */
const signs = { INT: wordsOf("内 內 中"), EXT: ["外"] };

const kinds: ReadonlyMap<string, string> = new Map(
  [casedWords, caselessWords, signs, { INT: ["INT"], EXT: ["EXT"] }].flatMap((words) =>
    Object.entries(words).flatMap(([kind, list]) => list.map((word) => [word, kind] as const)),
  ),
);

/** INT, EXT or INT/EXT, from the words that a heading or a program uses; of other words their letters from A to Z. */
export function interiorExterior(text: string): string {
  const upper = text.normalize("NFC").toUpperCase();
  const letters = upper.replace(/[^A-Z/]/g, "");
  if (letters === "INT" || letters === "EXT") return letters;
  if (letters.length === 1 && letters === upper.trim())
    return letters === "I" ? "INT" : /[EA]/.test(letters) ? "EXT" : letters;
  // An establishing shot shows a place from outside, and EST. is ESTERNO in Italian.
  if (letters === "EST") return "EXT";
  const isBoth = letters.includes("INT") && /EXT|(?:^|\/)EST(?:\/|$)/.test(letters);
  if (isBoth || /^[IEA]\/[IEA]$/.test(letters)) return "INT/EXT";
  const found = new Set(upper.split(/[^\p{L}\p{M}']+/u).flatMap((word) => kinds.get(word) ?? []));
  return found.size > 1 ? "INT/EXT" : ([...found][0] ?? letters);
}

/** Longer words come first, because an alternative takes the first that fits. */
const anyOf = (words: Readonly<Record<string, readonly string[]>>): string =>
  Object.values(words)
    .flat()
    .sort((one, other) => other.length - one.length)
    .join("|");
const end = "(?=[\\s./:,()–—-]|[：，、。・·／（]|$)";
/** Short forms, which are words only before a full stop or a slash. */
const short = "(?:WN|PL|IC|DIS|ΕΣΩ|ΕΞΩ)";
/** Of these, the ones that are words only in capitals: "Dis. Tu viens?" is French. */
const inCapitalsOnly = /^(?:IC|DIS|ΕΣΩ|ΕΞΩ)(?!\p{L})/iu;
/** One word, or two with a slash or a dash between them. */
const oneOrTwo = (words: string): RegExp => {
  const word = `(?:${short}(?=\\.|\\s?/)|(?!${short}${end})(?:${words}|INT|EXT))${end}`;
  return new RegExp(`^${word}\\.?(?:\\s?[/／–—-]\\s?${word}\\.?)?[.\\s]*`, "iu");
};
const own =
  /^(?:INT\.?\s*(?:[/&+–-]|AND\s)\s*E[XS]T|E[XS]T\.?\s*(?:[/&+–-]|AND\s)\s*INT|I\.?\s*\/\s*E|E\.?\s*\/\s*I|INT|EXT|EST)(?:[.\s]+|$)/i;
const germanPair = /^(?:I\.?\s?\/\s?A|A\.?\s?\/\s?I)[.\s]+/i;
const cased = oneOrTwo(anyOf(casedWords));
const caseless = oneOrTwo(anyOf(caselessWords));

export interface HeadingBeginning {
  /** What it takes of the text, with the full stops and spaces behind it. */
  text: string;
  /** Whose words they are: those that Fountain knows, or those of a language with or without capital letters. */
  words: "own" | "cased" | "caseless";
}

const beginnings = [
  { words: "own", expression: own },
  { words: "cased", expression: germanPair },
  { words: "cased", expression: cased },
  { words: "caseless", expression: caseless },
] as const;

/**
 * What a list says in one cell as INT/JOUR or A/N: inside or outside, and the time of day. Undefined if it does not say
 * both and nothing else.
 */
export function effectIn(text: string): { int_ext: string; time_of_day: string } | undefined {
  // The full stops of A.M. part no words.
  const words = text.split(/[\s/–—-]+/).flatMap((word) => word.replace(/\.$/, "") || []);
  const isKind = (word: string): boolean => kindOfWord(word) !== undefined || /^[IEA]$/i.test(word);
  const isTime = (word: string): boolean => isTimeWord(word.toUpperCase()) || /^[TJM]$/i.test(word);
  const [own, others] = [words.filter(isKind), words.filter((word) => !isKind(word))];
  if (own.length === 0 || others.length === 0 || !others.every(isTime)) return undefined;
  return { int_ext: interiorExterior(own.join("/")), time_of_day: others.join("/") };
}

/** What a scene is called in front of its number. */
export const sceneWords: ReadonlySet<string> = new Set(
  wordsOf(`SCENE SCENES SC SZENE SZENEN BILD BILDER SCÈNE SCÈNES SÉQUENCE SÉQUENCES SEQUENCE SEQUENCES SÉQ SEQ SECUENCIA SECUENCIAS SEQUÊNCIA
  SEQUÊNCIAS SEQUENZA SEQUENZE ESCENA ESCENAS ESC SEC
    CENA CENAS SCENA SCENE SCENY SCÉNA OBRAZ OBRAZY SAHNE SAHNELER СЦЕНА СЦЕНЫ СЦЕНИ ΣΚΗΝΗ ΣΚΗΝΕΣ م مشهد المشهد סצנה סצנות`),
);

/** What says on a card, or at the end of a heading, that a scene was omitted. */
const omittedWords =
  `OMIT(?:TED)?|DELETED|(?<=\\d[A-Z]{0,2} )CUT|ENTFÄLLT|ENTFALLEN|GESTRICHEN|SUPPRIM[ÉE]{1,2}S?|COUPÉES?|OMISES?|ANNULÉE|
  OMITID[AO]S?|SUPRIMID[AO]S?|ELIMINAD[AO]S?|CORTAD[AO]S?|BORRADA|EXCLUÍDA|REMOVIDA|OMESS[AEO]|ELIMINAT[AEO]|TAGLIAT[AEO]|SOPPRESSA|
  USUNIĘT[AE]|WYCIĘT[AE]|SKREŚLON[AE]|POMINIĘT[AE]|VYŠKRTNUT[OAÝY]|ŠKRTNUT[OAÝ]|VYPUŠTĚN[OAÝ]?|ZRUŠEN[OA]?|
  ВЫРЕЗАН[АОЫ]|УДАЛЕН[АОЫ]|ВЫЧЕРКНУТА|ИСКЛЮЧЕНА|ВИЛУЧЕНА|ВИРІЗАНА|ВИДАЛЕНА|ВИКРЕСЛЕНА|ÇIKARILDI|İPTAL|SİLİNDİ|
  ΔΙΑΓΡ[ΑΆ]ΦΗΚΕ|ΔΙΑΓΡΑΜΜ[ΕΈ]ΝΗ|ΠΑΡΑΛΕ[ΙΊ]ΠΕΤΑΙ|欠番|削除|删除|刪除|已删|取消|삭제|결번|محذوفة?|ملغاة|ملغى|הושמטה?|נמחקה|בוטלה`.replace(
    /\n\s*/g,
    "",
  );
export const omittedWord = new RegExp(`(?<![\\p{L}])(?:${omittedWords})(?!\\p{L})`, "iu");
/** What the words for an omitted scene have that are of ASCII alone: every short line of a script is asked. */
export const omittedStem =
  /[^ -~]|OMI|OMESS|DELETED|GESTR|ENTFALLEN|SUPRIMID|SUPPRIM|ELIMIN|CORTAD|BORRADA|REMOVIDA|TAGLIAT|SOPPRESSA|\bCUT$/i;
/**
 * A heading without the word at its end that says that its scene was omitted, behind a time of day or in brackets: a
 * set may have such a name (EXT. CAFE - CORTADO). Undefined if it has none.
 */
export function withoutOmitted(heading: string): string | undefined {
  if (!omittedStem.test(heading)) return undefined;
  const [before = "", behind, ...more] = heading.slice(0, 500).split(omittedWord);
  if (behind === undefined || more.length > 0 || /[^\s.)\]]/.test(behind)) return undefined;
  const bare = before.trimEnd();
  const kept = bare.slice(0, -1).trimEnd();
  const last = kept.match(/[\p{L}\p{M}'’]+/gu)?.at(-1) ?? "";
  const isSaid = /[([]$/.test(bare) || (/[-–—/]$/.test(bare) && isTimeWord(last.toUpperCase()));
  return isSaid && kept !== "" ? kept : undefined;
}

const bothCases = (letter: string): string[] => [letter, letter.toLowerCase(), letter.toUpperCase()];
/** Two characters as one number, which is found quickly: every line of a script is looked up. */
const pairOf = (one: number, other: number): number => (one << 16) | other;
/** The two letters with which the words begin, in both cases: most lines begin with none of them. */
const beginningPairs = new Set(
  [...Object.values(casedWords), ...Object.values(caselessWords), ["INT", "EXT", "EST"]]
    .flat()
    .flatMap((word) =>
      bothCases(word.charAt(0)).flatMap((one) =>
        bothCases(word.charAt(1)).map((other) => pairOf(one.charCodeAt(0), other.charCodeAt(0))),
      ),
    ),
);
/**
 * Whether a line may begin with a heading's words: with two letters of them, or with a slash near its start, as in
 * I./E.
 */
export const mayBegin = (text: string): boolean =>
  beginningPairs.has(pairOf(text.charCodeAt(0), text.charCodeAt(1))) ||
  ("IEAiea".includes(text.charAt(0)) && text.slice(1, 5).includes("/"));

/**
 * What a heading in the form NFC begins with: INT, EXT or EST, in any spelling, or what another language has for it.
 */
export function headingBeginning(text: string): HeadingBeginning | undefined {
  if (!mayBegin(text)) return undefined;
  const start = text.slice(0, 60);
  for (const { words, expression } of beginnings) {
    const [found] = expression.exec(start) ?? [];
    if (found === undefined) continue;
    const [word = ""] = inCapitalsOnly.exec(found) ?? [];
    if (word !== "" && /[?!]$/.test(text)) return undefined; // "DIS. TU VIENS ?"
    if (hasNoSmallLetter(word)) return { text: found, words };
  }
  return undefined;
}

/** Whether a text in capitals has a word for INT or EXT anywhere. */
export const hasKindWord = (text: string): boolean => text.split(/[^\p{L}\p{M}']+/u).some((word) => kinds.has(word));

/** INT, EXT or INT/EXT if a single word of a heading says one, in any language. */
export const kindOfWord = (word: string): string | undefined => kinds.get(word.toUpperCase());

/** A word without the accents that writers leave out of capitals: APRES-MIDI. Ü, Ñ and Й are letters of their own. */
const plainWord = (word: string): string =>
  /[^ -~]/.test(word)
    ? word
        .normalize("NFD")
        .replace(/[\u0300-\u0302]/g, "")
        .normalize("NFC")
    : word;

const times = new Set(
  wordsOf(`DAY NIGHT MORNING AFTERNOON EVENING DAWN DUSK SUNRISE SUNSET SUNUP SUNDOWN NOON MIDDAY MIDNIGHT TWILIGHT DAYBREAK
   PREDAWN PRE-DAWN DAYTIME DAYLIGHT NIGHTTIME NIGHTFALL CONTINUOUS CONT CONT'D LATER EARLIER MEANWHILE SAME INTERCUT FLASHBACK D N
   DIA NOITE MANHÃ MANHA TARDE MADRUGADA ANOITECER ENTARDECER AMANHECER NOCHE MAÑANA ATARDECER ANOCHECER AMANECER CREPUSCULO OCASO
   JOUR NUIT MATIN MATINÉE SOIR SOIRÉE MIDI APRÈS-MIDI AUBE CRÉPUSCULE
   TAG NACHT MORGEN MORGENGRAUEN VORMITTAG MITTAG NACHMITTAG ABEND DÄMMERUNG ABENDDÄMMERUNG MITTERNACHT SPÄTNACHMITTAG FRÜHABEND
   MORGENS VORMITTAGS MITTAGS NACHMITTAGS ABENDS NACHTS TAGSÜBER FRÜHMORGENS SPÄTABENDS MORGENROT ABENDROT TAGESANBRUCH
   CONTINUO CONTINUA CONTINU MEDIODÍA MEDIANOCHE MEIO-DIA MEIA-NOITE DESPUÉS DEPOIS JOURNÉE TOMBANTE LENDEMAIN MINUIT
   MORGENDÄMMERUNG SONNENAUFGANG SONNENUNTERGANG SPÄTER FORTLAUFEND DURCHGEHEND FORTSETZUNG GLEICHZEITIG RÜCKBLENDE
   GIORNO NOTTE MATTINA MATTINO POMERIGGIO SERA ALBA TRAMONTO CREPUSCOLO IMBRUNIRE MEZZOGIORNO MEZZANOTTE
   DAG NATT NAT KVELL KVÄLL AFTEN AVOND OCHTEND
   NOC NOCĄ DZIEŃ DNIEM RANO RANEK PORANEK POŁUDNIE POPOŁUDNIE PRZEDPOŁUDNIE WIECZÓR WIECZOREM ŚWIT BRZASK ZMIERZCH ZMROK PÓŹNIEJ PÓŁNOC
   DEN DOPOLEDNE POLEDNE ODPOLEDNE VEČER PODVEČER ÚSVIT ÚSVITU SVÍTÁNÍ SOUMRAK STMÍVÁNÍ PŮLNOC POZDĚJI
   НОЧЬ НОЧЬЮ ДЕНЬ ДНЕМ ДНЁМ УТРО УТРОМ ВЕЧЕР ВЕЧЕРОМ РАССВЕТ РАССВЕТЕ ЗАКАТ ЗАКАТЕ СУМЕРКИ ПОЛДЕНЬ ПОЛНОЧЬ ПОЗЖЕ РЕЖИМ ПРОДОЛЖЕНИЕ
   НІЧ ВНОЧІ РАНОК ВРАНЦІ ВЕЧІР ВВЕЧЕРІ ВДЕНЬ СВІТАНОК СУТІНКИ ПОЛУДЕНЬ ПІСЛЯОБІД ОПІВДНІ ОПІВНОЧІ ПІЗНІШЕ ПРОДОВЖЕННЯ
   GECE GÜN GÜNDÜZ SABAH ÖĞLE ÖĞLEN İKİNDİ AKŞAM AKŞAMÜSTÜ ŞAFAK GÜNBATIMI GÜNDOĞUMU ALACAKARANLIK SONRA DEVAM
   GUNDUZ OGLE OGLEN IKINDI AKSAM AKSAMUSTU SAFAK GUNBATIMI GUNDOGUMU
   ΝΥΧΤΑ ΜΕΡΑ ΗΜΕΡΑ ΠΡΩΙ ΠΡΩΪ ΜΕΣΗΜΕΡΙ ΑΠΟΓΕΥΜΑ ΒΡΑΔΥ ΣΟΥΡΟΥΠΟ ΞΗΜΕΡΩΜΑ ΧΑΡΑΜΑ ΑΥΓΗ ΔΕΙΛΙΝΟ ΗΛΙΟΒΑΣΙΛΕΜΑ ΔΥΣΗ ΑΝΑΤΟΛΗ ΜΕΣΑΝΥΧΤΑ
   ΑΡΓΟΤΕΡΑ ΣΥΝΕΧΕΙΑ ΣΥΝΕΧΙΖΕΤΑΙ ΝΩΡΙΤΕΡΑ ΝΩΡΙΣ ΑΡΓΑ
   CONTINUED EARLY FRÜH SPÄT FRÜHER DANACH VORHER ZUVOR WEITER FORTS FORTGESETZT TÔT TARD AURORE LUEGO SIGUE TEMPRANO ANTES
   CONTINUACIÓN CONTINUAÇÃO ALVORECER ALVORADA SEGUE CONTINUATO CONTINUAZIONE DOPO TARDI BUON'ORA RANEM DNIA WCZEŚNIE
   WCZEŚNIEJ PÓŹNO KONTYNUACJA POKRAČOVÁNÍ RÁNU DNE POZDĚ DŘÍVE РАНО ПОЗДНО РАНЬШЕ РАНІШЕ ПІЗНО СПУСТЯ ПОТОМ ДНЯ ERKEN GEÇ
   DEVAMI ÖNCE`).map(plainWord),
);
/** Times of day of several words of which the last is no time of day. */
const timePhrases = new Set(
  `MAGIC HOUR|GOLDEN HOUR|BLUE HOUR|SAME TIME|FIRST LIGHT|LAST LIGHT|KURZ DARAUF|KURZ DANACH|GLEICH DARAUF|PLUS TARD|UN PEU PLUS TARD
MÊME TEMPS|COUCHER DE SOLEIL|COUCHER DU SOLEIL|LEVER DE SOLEIL|LEVER DU SOLEIL|NUIT AMÉRICAINE|NOCHE AMERICANA|NOITE AMERICANA
AL DÍA SIGUIENTE|DÍA SIGUIENTE|DIA SEGUINTE|NO DIA SEGUINTE|MISMO MOMENTO|PUESTA DE SOL|PUESTA DEL SOL|SALIDA DEL SOL|TARDE-NOCHE
PÔR DO SOL|NASCER DO SOL|MESMO MOMENTO|PIÙ TARDI|POCO DOPO|STESSO MOMENTO|SERA TARDI|GIORNO DOPO|IL GIORNO DOPO|WSCHÓD SŁOŃCA
ZACHÓD SŁOŃCA|CIĄG DALSZY|VÝCHOD SLUNCE|ZÁPAD SLUNCE|POZDĚ V NOCI|ТОГДА ЖЕ|СПУСТЯ ЧАС|ЧЕРЕЗ ЧАС|ЗАХІД СОНЦЯ|СХІД СОНЦЯ|GÜN BATIMI
GÜN DOĞUMU|GECE YARISI|SABAHA KARŞI|AYNI ZAMAN|AYNI AN|TAN VAKTİ|ERKEN SAATLERİ|GEÇ SAATLERİ|DEVAM EDİYOR|CONTINUOUS ACTION
GUN BATIMI|GUN DOGUMU|SABAHA KARSI|TAN VAKTI|ERKEN SAATLERI|GEÇ SAATLERI|GEC SAATLERI|DEVAM EDIYOR
MÊME MOMENT|BONNE HEURE|MATTINA PRESTO|MATTINO PRESTO|POCO PRIMA|MANHÃ CEDO|MAIS CEDO|TEN SAM CZAS|STEJNÝ ČAS
ТЕМ ВРЕМЕНЕМ|ТО ЖЕ ВРЕМЯ|ЭТО ЖЕ ВРЕМЯ|ТОЙ ЖЕ ЧАС|ΙΔΙΑ ΩΡΑ|ΙΔΙΑ ΣΤΙΓΜΗ
منتصف الليل|قبل الفجر|بعد الظهر|מאוחר יותר|אחר הצהריים|לפנות בוקר|לפנות ערב|עלות השחר|בין ערביים
잠시 후|다음 날|해 질 녘|해질 녘|동틀 녘|늦은 밤|늦은 오후|늦은 저녁|이른 아침|이른 새벽|이른 저녁`
    .split(/[|\n]/)
    .map(plainWord),
);
/** The times of day that are known after only a space, as in INT HOUSE DAY. */
const plainTimes = new Set(
  wordsOf(`DAY NIGHT MORNING AFTERNOON EVENING DAWN DUSK SUNRISE SUNSET NOON MIDNIGHT
   NACHT ABEND NUIT NOCHE NOITE NOTTE NOC DZIEŃ НОЧЬ ДЕНЬ УТРО ВЕЧЕР НІЧ GECE GÜN GÜNDÜZ ΝΥΧΤΑ ΜΕΡΑ`).map(plainWord),
);
const caselessTimes = new Set(
  wordsOf(`ليل نهار صباح مساء فجر شروق غروب ظهر عصر ضحى غسق شفق لاحق استمرار متابعة باكر متأخر
   לילה יום בוקר ערב צהריים הצהריים זריחה שקיעה דמדומים שחר חצות המשך מוקדם
   日 夜 晨 昏 早 晚 白天 日间 夜间 夜晚 雨夜 晚上 晚间 早上 早晨 清晨 凌晨 黎明 破晓 拂晓 上午 中午 正午 下午 午后 午後 黄昏 黃昏 傍晚 夕阳 深夜 午夜
   日出 日落 次日 稍后 稍後 同时 同時 连续 連續 续 續 接上
   昼 朝 夕 晝 宵 夕方 夕刻 夕暮れ 夜明け 夜更け 早朝 翌朝 翌日 夜中 真夜中 未明 日中 日没 午前 明け方 その夜 同時刻 数日後 続き 続
   낮 밤 아침 점심 정오 저녁 초저녁 새벽 오전 오후 한낮 해질녘 황혼 노을 석양 일출 일몰 심야 한밤 연속 계속`),
);
/**
 * Whether a word is a time of day in a script without capitals. An Arabic one may have an article in front, and the
 * sign of "by day" and "at night" at its end.
 */
export const isCaselessTime = (word: string): boolean =>
  caselessTimes.has(word) || caselessTimes.has(word.replace(/^ال/, "").replace(/\u0627\u064b$|\u064b\u0627?$/, ""));

/** Whether words, in capitals where there are such, are together a time of day. */
export const isTimePhrase = (words: string): boolean => timePhrases.has(plainWord(words));

/** By day and at night, as their first letters: D/N, T/N (Tag, Nacht), J/N, G/N, Д/Н, Μ/Ν; G/G is gündüz and gece. */
const dayAndNight = /^(?:[DTJG]\/N|N\/[DTJG]|G\/G|Д\/Н|Н\/Д|[ΜΗ]\/Ν|Ν\/[ΜΗ])$/;
export const isDayAndNight = (text: string): boolean => dayAndNight.test(text);

/** What says behind a time of day that a scene goes on, and is a set elsewhere: JOUR - SUITE, DZIEŃ C.D. */
const continuation = /(?:^|\s)(?:SUITE|C\. ?D\.?|CD\.?|CONT\.)$/;
export const withoutContinuation = (text: string): string => text.replace(continuation, "");

/** Whether a word in capitals is a time of day; behind only a space, fewer are. */
export const isTimeWord = (word: string): boolean =>
  times.has(plainWord(word.replace(/^[LD]['’]/, ""))) || isCaselessTime(word);
export const isPlainTime = (word: string): boolean => plainTimes.has(plainWord(word)) || isCaselessTime(word);

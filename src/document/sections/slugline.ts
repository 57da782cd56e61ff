// Splits a scene heading into its parts: interior or exterior, the set, the time of day, the script day.

export interface Slugline {
  /** INT, EXT, INT/EXT or EST; null if the heading says none, as "REVERSE ON" does. */
  int_ext: string | null;
  set: string | null;
  time_of_day: string | null;
  /** From a closing parenthesis such as (D1) or (NIGHT 2). */
  script_day: string | null;
}

const interiorExterior =
  /^(?:INT\.?\s*\/\s*EXT|EXT\.?\s*\/\s*INT|I\.?\s*\/\s*E|E\.?\s*\/\s*I|INT|EXT|EST)(?=[.\s]|$)[.\s]*/i;

/** Whether a line of text begins like a scene heading: INT, EXT, EST, INT/EXT or I/E, then a full stop or a space. */
export const beginsAsHeading = (text: string): boolean => interiorExterior.test(text.slice(0, 20));

const canonical = (prefix: string): string => {
  const letters = prefix.toUpperCase().replace(/[^A-Z/]/g, "");
  return letters.includes("/") ? "INT/EXT" : letters;
};

// What headings end with, in the languages in which scripts commonly reach an English-speaking production office.
const times = new Set(
  `DAY NIGHT MORNING AFTERNOON EVENING DAWN DUSK SUNRISE SUNSET SUNUP SUNDOWN NOON MIDDAY MIDNIGHT TWILIGHT DAYBREAK
   PREDAWN PRE-DAWN DAYTIME NIGHTTIME CONTINUOUS CONT CONT'D LATER EARLIER SAME INTERCUT FLASHBACK D N
   DIA DÍA NOITE MANHÃ MANHA TARDE MADRUGADA ANOITECER ENTARDECER AMANHECER NOCHE MAÑANA ATARDECER AMANECER
   JOUR NUIT MATIN SOIR AUBE CRÉPUSCULE TAG NACHT MORGEN MITTAG ABEND DÄMMERUNG GIORNO NOTTE MATTINA SERA ALBA
   TRAMONTO DAG NATT NAT KVELL KVÄLL AFTEN`.split(/\s+/),
);
/** The times of day that are recognised after only a space: INT HOUSE DAY. */
const plainTimes = new Set("DAY NIGHT MORNING AFTERNOON EVENING DAWN DUSK SUNRISE SUNSET NOON MIDNIGHT".split(" "));

const closing = /\s*(?:\([^()]*\)|\[[^[\]]*\])\s*$/;

function withoutClosing(text: string): string {
  let rest = text;
  for (let found = closing.exec(rest); found !== null; found = closing.exec(rest)) rest = rest.slice(0, found.index);
  return rest;
}

/** Words that end a name as often as a time: Ward D, name tag. As times of day they stand alone. */
const shortTimes = new Set("D N CONT DIA DÍA TAG DAG NAT NATT ALBA SERA".split(" "));
const otherTimes = /\b(?:(?:MAGIC|GOLDEN|BLUE) HOUR|SAME TIME)$/;

/** NIGHT; NIGHT, FOG; DAY/CONTINUOUS; EARLY MORNING; MOMENTS LATER; MAGIC HOUR; but not DAY CARE CENTRE. */
function isTime(text: string): boolean {
  const bare = withoutClosing(text);
  const words = bare.match(/[\p{L}\p{N}'’-]+/gu) ?? [];
  const last = words.at(-1) ?? "";
  const first = /^([\p{L}'’-]+)\s*(?:$|[,/([&.;:])/u.exec(text)?.[1];
  if (first !== undefined && times.has(first)) return true;
  return words.length <= 4 && ((times.has(last) && !shortTimes.has(last)) || otherTimes.test(bare));
}

const dash = /\s+[-–—]+\s*|\s*[-–—]+\s+|\s*(?:[–—]+|-{2,})\s*/;

/** The set and the time of day of what follows INT or EXT, in capitals. */
function splitTime(text: string): [set: string, time: string | null] {
  const parts = text.split(dash).filter((part) => part !== "");
  const times = parts.filter((part, at) => at > 0 && isTime(part));
  const set = parts.filter((part) => !times.includes(part)).join(" - ");
  if (times.length > 0) return [set, withoutClosing(times.join(" - "))];
  const bare = withoutClosing(text).replace(/[\s,.;:]+$/, "");
  const listed = /^(.*[^\s,.;:])\s*[,.;:]\s*([^,.;:]+)$/.exec(bare);
  if (listed !== null && isTime(listed[2] as string)) return [listed[1] as string, listed[2] as string];
  const last = /^(.*[^\s,.;:])\s+(\S+)$/.exec(bare);
  if (last !== null && plainTimes.has(last[2] as string)) return [last[1] as string, last[2] as string];
  return [set, null];
}

const scriptDay = /\(\s*((?:(?:SCRIPT|STORY)\s+)?(?:DAY|NIGHT)\s*\d{1,3}[A-Z]?|[DN]\d{1,3}[A-Z]?)\s*\)\s*$/;

/** Takes `heading` apart; it may be in any case. The longest heading that is looked at has 500 characters. */
export function parseSlugline(heading: string): Slugline {
  const text = heading.slice(0, 500).trim().toUpperCase();
  const prefix = interiorExterior.exec(text)?.[0] ?? "";
  const day = scriptDay.exec(text);
  const body = (day === null ? text : text.slice(0, day.index))
    .slice(prefix.length)
    .replace(/^[-–—\s]+/, "")
    .trim();
  const [set, time] = splitTime(body);
  return {
    int_ext: prefix === "" ? null : canonical(prefix),
    set: set === "" ? null : set,
    time_of_day: time === "" ? null : time,
    script_day: day?.[1] ?? null,
  };
}

// Tells who speaks in the scenes of a script: of a cue of several names each of them, if all are known, and of a group
// nobody.
import { listed, sameName } from "../../../core/wording.ts";
import { quoted } from "../../names/names.ts";
import { nameBefore, type Script, type ScriptScene, speakerOf } from "../script.ts";

/** What stands between the names of a joint cue: &, +, /, a comma, or the word for "and" in several languages. */
const between = /[&+/,;＆＋／，；、]|\s(?:AND|UND|ET|Y)\s/i;
/** Further words and signs, which are also letters or parts of names: they join only names that are all known. */
const alsoBetween =
  /([&+/,;|\\•·＆＋／，；、・和与與及と]|[와과]\s|\sو|\s(?:AND|UND|ET|Y|E|I|A|И|І|ТА|VE|ORAZ|ΚΑΙ|OG|OCH|EN|WITH|MIT|AVEC|CON|COM|W\/|С)\s)/i;

/**
 * How many parts of a cue one name has at most: eight names, and what stands between them. Otherwise a cue of many
 * names would be read in the square of their number.
 */
const mostOfName = 15;

/** Cues that say that several people speak, and not who. */
const groups = new Set(
  `ALL|BOTH|EVERYONE|EVERYBODY|EVERYONE ELSE|ALL THREE|ALL FOUR|ALL TOGETHER|BOTH OF THEM|ALL OF THEM|TOGETHER|CROWD|THE CROWD|MOB|GROUP|THE GROUP
VOICES|SEVERAL VOICES|OTHER VOICES|VARIOUS VOICES|VARIOUS|CHORUS|AUDIENCE|THE AUDIENCE|OTHERS|THE OTHERS|THE REST
ALLE|BEIDE|ALLE DREI|ALLE ZUSAMMEN|DIE ANDEREN|MENGE|DIE MENGE|STIMMEN|CHOR|TOUS|TOUTES|TOUT LE MONDE|LES DEUX|TOUS LES DEUX|FOULE|LA FOULE|VOIX DIVERSES|DES VOIX
TODOS|TODAS|AMBOS|AMBAS|LOS DOS|LAS DOS|LOS DEMÁS|MULTITUD|VOCES|CORO|OS DOIS|AS DUAS|MULTIDÃO|VOZES|TUTTI|TUTTE|ENTRAMBI|ENTRAMBE|FOLLA|LA FOLLA|VOCI
WSZYSCY|OBOJE|OBAJ|OBIE|TŁUM|GŁOSY|CHÓR|VŠICHNI|OBA|DAV|HLASY|SBOR|ВСЕ|ОБА|ОБЕ|ТОЛПА|ГОЛОСА|ХОР|УСІ|ВСІ|ОБИДВА|НАТОВП|ГОЛОСИ
HEPSİ|HERKES|İKİSİ|KALABALIK|SESLER|KORO|ΟΛΟΙ|ΌΛΟΙ|ΚΑΙ ΟΙ ΔΥΟ|ΠΛΗΘΟΣ|ΠΛΉΘΟΣ|ΦΩΝΕΣ|ΦΩΝΈΣ|ΧΟΡΟΣ|ΧΟΡΌΣ
الجميع|الكل|كلاهما|الحشد|أصوات|כולם|כולן|שניהם|שתיהן|יחד|קהל|קולות|众人|眾人|大家|所有人|两人|兩人|全员|全員|一同|二人|みんな|観客|모두|일동|다같이|둘 다|군중|사람들`
    .split(/[|\n]+/)
    .map(sameName),
);

/** Of the forms of one name the first. */
const firstOfEach = (names: readonly string[]): string[] => {
  const first = new Map<string, string>();
  for (const name of names) if (!first.has(sameName(name))) first.set(sameName(name), name);
  return [...first.values()];
};

/** Whether a cue has several names. */
const isJoint = (name: string): boolean =>
  between.test(name) && name.split(between).flatMap((part) => speakerOf(part) ?? []).length > 1;

export class Speakers {
  /** How names are spelled, by the form of the name. */
  readonly #spellings = new Map<string, string>();
  readonly #castList: ReadonlySet<string>;
  /** Joint cues of which not every name is known, and groups, in the order of the script. */
  readonly #joint = new Set<string>();
  readonly #groups = new Set<string>();

  /** `cast` are the names of the cast list and of the draft before, which are known too. */
  constructor({ scenes }: Pick<Script, "scenes">, cast: readonly string[]) {
    this.#castList = new Set(cast.map(sameName));
    for (const name of [...scenes.flatMap(({ characters }) => characters), ...cast])
      if (!this.#spellings.has(sameName(name))) this.#spellings.set(sameName(name), name);
  }

  /** Who speaks in a scene, in the order of their first cues. */
  of({ characters }: Pick<ScriptScene, "characters">): string[] {
    return firstOfEach(characters.flatMap((name) => this.#namesOf(name)));
  }

  /** What is said about cues that name several people. */
  warnings(): string[] {
    const named = (names: ReadonlySet<string>) => listed([...names].slice(0, 10).map(quoted));
    const more = (names: ReadonlySet<string>) => (names.size > 10 ? ` and ${names.size - 10} more` : "");
    return [
      ...(this.#joint.size > 0
        ? [
            `${named(this.#joint)}${more(this.#joint)}: not every name has a cue of its own, so each such cue is one member of the cast`,
          ]
        : []),
      ...(this.#groups.size > 0
        ? [
            `${named(this.#groups)}${more(this.#groups)}: a group is no member of the cast, because the cast list has none of that name`,
          ]
        : []),
    ];
  }

  #namesOf(name: string): string[] {
    const persons = alsoBetween.test(name) ? this.#personsIn(name.split(alsoBetween)) : undefined;
    if (persons !== undefined && persons.length > 1) return persons;
    const isListed = this.#castList.has(sameName(name));
    const before = isListed ? undefined : nameBefore(name);
    const extended = before === undefined ? undefined : this.#spellings.get(sameName(before));
    if (extended !== undefined) return [extended];
    if (!isListed && groups.has(sameName(name))) {
      this.#groups.add(name);
      return [];
    }
    if (!isListed && isJoint(name)) this.#joint.add(name);
    return [name];
  }

  /**
   * The persons of a cue, of which every other part stands between names; undefined if a name is unknown. A name may
   * itself have what stands between names: TOM AND SONS & INES.
   */
  #personsIn(parts: readonly string[]): string[] | undefined {
    /** The persons from each place to the end. */
    const from: (string[] | undefined)[] = [];
    from[parts.length + 1] = [];
    for (let at = parts.length - 1; at >= 0; at -= 2) {
      if (speakerOf(parts[at] ?? "") === undefined) from[at] = from[at + 2];
      const last = Math.min(parts.length, at + mostOfName);
      for (let end = at + 1; from[at] === undefined && end <= last; end += 2) {
        const rest = from[end + 1];
        if (rest === undefined || end - at === parts.length) continue;
        const name = speakerOf(parts.slice(at, end).join(""));
        const person = name && this.#spellings.get(sameName(name));
        if (person !== undefined) from[at] = [person, ...rest];
      }
    }
    return from[0];
  }
}

// Gives every scene of a script a number: that of the file, or one that follows from its place.

/** A to Z without I and O, which read as 1 and 0 on a slate; then AA, AB, … */
const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ";

function nextLetters(before: string): string {
  const last = before.at(-1);
  if (last === undefined) return "A";
  const next = letters[letters.indexOf(last) + 1];
  return next === undefined ? `${nextLetters(before.slice(0, -1))}A` : before.slice(0, -1) + next;
}

/** The first number after `stem` and its letters that is not taken: 12B after 12A, A1 before 1. */
function nextFree(taken: ReadonlySet<string>, after: string, join: (letters: string) => string): string {
  let suffix = nextLetters(after);
  while (taken.has(join(suffix).toUpperCase())) suffix = nextLetters(suffix);
  return join(suffix);
}

/**
 * The numbers of scenes in the order of the script. Scenes none of which is numbered get 1, 2, 3. A scene without a number
 * among numbered ones takes the number before it with the next free letter (12, then 12A and 12B); before the first
 * numbered scene the letter stands in front (A1, B1), as is the custom. `others` are numbers that are taken too.
 */
export function numberScenes(numbers: readonly (string | null)[], others: readonly string[] = []): string[] {
  const first = numbers.find((number) => number !== null);
  if (first === undefined || first === null) return numbers.map((_, at) => String(at + 1));
  const taken = new Set([...numbers, ...others].flatMap((number) => (number === null ? [] : number.toUpperCase())));
  let stem: string | undefined;
  let after = "";
  return numbers.map((number) => {
    if (number !== null) {
      [, stem, after] = /^(.*?\d)([A-Z]*)$/.exec(number.toUpperCase()) ?? ["", number, ""];
      return number;
    }
    const before = stem;
    const given =
      before === undefined
        ? nextFree(taken, after, (suffix) => `${suffix}${first}`)
        : nextFree(taken, after, (suffix) => `${before}${suffix}`);
    taken.add(given.toUpperCase());
    after = before === undefined ? given.slice(0, -first.length) : given.slice(before.length);
    return given;
  });
}

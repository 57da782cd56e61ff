// Computes the dates of shoot days from the first day of the shoot and the days off.

export interface ShootCalendar {
  /** YYYY-MM-DD: the date of day 1, whatever weekday it is. */
  start: string;
  /** 0 is Sunday. */
  weekdaysOff: ReadonlySet<number>;
  datesOff: ReadonlySet<string>;
  /** Dates that are worked although their weekday is off. */
  datesOn?: ReadonlySet<string>;
}

const day = 86_400_000;
/** A gap that no shoot has: a calendar without a working day must not be walked for ever. */
const longestGap = 1000;

/** The dates of the first `count` shoot days; fewer if the calendar has a gap of more than 1,000 days. */
export function shootDates({ start, weekdaysOff, datesOff, datesOn }: ShootCalendar, count: number): string[] {
  const dates: string[] = [];
  let gap = 0;
  for (let time = Date.parse(`${start}T00:00:00Z`); dates.length < count && gap < longestGap; time += day) {
    const date = new Date(time).toISOString().slice(0, 10);
    const off = datesOff.has(date) || (weekdaysOff.has(new Date(time).getUTCDay()) && !datesOn?.has(date));
    if (off && date !== start) gap++;
    else {
      dates.push(date);
      gap = 0;
    }
  }
  return dates;
}

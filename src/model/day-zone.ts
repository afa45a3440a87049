const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));
/** No day of any zone is longer: clocks go back by an hour, and some islands have moved by a day. */
const LONGEST_DAY_MS = 2 * DAY_MS;

/** Whether the name is a time zone of the IANA database, such as `America/New_York`. */
export function isZone(name: string): boolean {
  try {
    return name !== '' && new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/**
 * The days of a time zone. A day is (midnight, midnight]: a bar that closes at midnight belongs to the day that it covers. A day with a
 * change of the clock has 23 or 25 hours.
 */
export class DayZone {
  readonly #date: Intl.DateTimeFormat | undefined;
  readonly #hour: Intl.DateTimeFormat | undefined;
  /** The newest answer of `endOf`: the day is (from, to]. */
  #from = Number.NaN;
  #to = Number.NaN;

  constructor(readonly name = 'UTC') {
    if (name === 'UTC') return;
    this.#date = new Intl.DateTimeFormat('en-CA', { timeZone: name, year: 'numeric', month: '2-digit', day: '2-digit' });
    this.#hour = new Intl.DateTimeFormat('en-GB', { timeZone: name, hour: '2-digit', hourCycle: 'h23' });
  }

  /** The midnight that ends the day of a moment, epoch ms. */
  endOf(time: number): number {
    if (this.#date === undefined) return Math.ceil(time / DAY_MS) * DAY_MS;
    if (time > this.#from && time <= this.#to) return this.#to;
    const inside = Math.ceil(time) - 1;
    const date = this.dateOf(inside);
    // The first ms of another date: a midnight that the clock leaves out is not needed for it.
    let [last, next] = [inside, inside + LONGEST_DAY_MS];
    while (next - last > 1) {
      const middle = Math.floor((last + next) / 2);
      if (this.dateOf(middle) === date) last = middle;
      else next = middle;
    }
    this.#from = inside;
    this.#to = next;
    return next;
  }

  /** The date of a moment: `2025-01-31`. */
  dateOf(time: number): string {
    return this.#date === undefined ? new Date(time).toISOString().slice(0, 10) : this.#date.format(time);
  }

  /** The hour of a moment, `00` to `23`. */
  hourOf(time: number): string {
    return this.#hour === undefined ? HOURS[Math.floor((time - Math.floor(time / DAY_MS) * DAY_MS) / HOUR_MS)]! : this.#hour.format(time);
  }
}

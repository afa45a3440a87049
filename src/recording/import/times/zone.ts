import { TidegateError } from '../../../model/errors.ts';

const DAY_MS = 86_400_000;
const FIXED = /^(?:(?:UTC|GMT)?([+-])(\d\d?)(?::?(\d\d))?|Z|UTC|GMT)$/i;

/** A time zone: that of a place with its daylight saving, or a distance from UTC. */
export class Zone {
  readonly #clock: Intl.DateTimeFormat | undefined;
  readonly #fixedMs: number;
  #day = Number.NaN;
  /** The distance from UTC on the whole of `#day` and around it; undefined where it changes. */
  #dayOffset: number | undefined;

  /**
   * @param name of the time zone database (`Europe/London`), or `+02:00`.
   * @throws TidegateError USAGE for any other.
   */
  constructor(readonly name: string) {
    const fixed = FIXED.exec(name);
    const [, sign, hours = '0', minutes = '0'] = fixed ?? [];
    this.#fixedMs = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
    try {
      if (fixed === null) this.#clock = new Intl.DateTimeFormat('en-US', { timeZone: name, ...FIELDS });
    } catch (cause) {
      throw new TidegateError('USAGE', `--zone "${name}"; expected a time zone such as Europe/London, America/New_York, UTC or +02:00`, {
        cause,
      });
    }
  }

  /**
   * The epoch ms of what a clock there shows: one, none in the hour that daylight saving skips, two in the hour that occurs twice.
   * @param shownMs what the clock shows, as if it were UTC.
   */
  timesOf(shownMs: number): readonly number[] {
    const day = Math.floor(shownMs / DAY_MS);
    if (day !== this.#day) {
      const [before, after] = [this.#offsetAt((day - 1) * DAY_MS), this.#offsetAt((day + 2) * DAY_MS)];
      this.#day = day;
      this.#dayOffset = before === after ? before : undefined;
    }
    if (this.#dayOffset !== undefined) return [shownMs - this.#dayOffset];
    const offsets = new Set([this.#offsetAt(shownMs - DAY_MS), this.#offsetAt(shownMs + DAY_MS)]);
    const times = [...offsets].map((offset) => shownMs - offset).filter((ms) => this.#offsetAt(ms) === shownMs - ms);
    return times.sort((a, b) => a - b);
  }

  /** Ms that a clock there is ahead of UTC. */
  #offsetAt(ms: number): number {
    if (this.#clock === undefined) return this.#fixedMs;
    const parts = Object.fromEntries(this.#clock.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const { year, month, day, hour, minute, second } = parts as Record<string, number>;
    return Date.UTC(year!, month! - 1, day, hour, minute, second) - Math.floor(ms / 1_000) * 1_000;
  }
}

const FIELDS = {
  ...({ hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' } as const),
  ...({ hour: 'numeric', minute: 'numeric', second: 'numeric' } as const),
};

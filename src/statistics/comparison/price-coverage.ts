/** When a run saw prices of one symbol: the first, the last, how many, and the longest times between two. Epoch ms. */
export interface PriceCoverage {
  readonly first: number;
  readonly last: number;
  readonly count: number;
  /** Each from one price to the next, in order of time: only the longest are kept. */
  readonly pauses: readonly Pause[];
}
export type Pause = readonly [from: number, to: number];

/** More than any run has relevant gaps, and few enough to search for every order. */
const KEPT = 100;
/** A pause is a gap where it is longer than the usual distance of prices by this factor. */
const LONGER = 1.5;

/** Gathers a coverage, price by price, in bounded memory. */
export class CoverageBuilder {
  #first = Number.NaN;
  #last = Number.NaN;
  #count = 0;
  readonly #pauses: Pause[] = [];
  /** The shortest pause that is kept, once `KEPT` pauses are kept. */
  #shortest = 0;

  get empty(): boolean {
    return this.#count === 0;
  }

  /** @param time epoch ms, not before the previous one. */
  add(time: number): void {
    if (this.#count++ === 0) this.#first = time;
    else if (time - this.#last > this.#shortest) this.#keep([this.#last, time]);
    this.#last = time;
  }

  /** Adds several times, [from, to). */
  addAll(times: Float64Array, from: number, to: number): void {
    if (from >= to) return;
    this.add(times[from]!);
    let last = this.#last;
    let shortest = this.#shortest;
    for (let at = from + 1; at < to; at++) {
      const time = times[at]!;
      if (time - last > shortest) {
        this.#keep([last, time]);
        shortest = this.#shortest;
      }
      last = time;
    }
    this.#last = last;
    this.#count += to - from - 1;
  }

  /** `undefined` where there was no price. */
  coverage(): PriceCoverage | undefined {
    if (this.#count === 0) return undefined;
    return { first: this.#first, last: this.#last, count: this.#count, pauses: [...this.#pauses].sort(([a], [b]) => a - b) };
  }

  #keep(pause: Pause): void {
    const length = ([from, to]: Pause) => to - from;
    if (this.#pauses.length === KEPT) {
      const at = this.#pauses.findIndex((one) => length(one) === this.#shortest);
      this.#pauses.splice(at, 1);
    }
    this.#pauses.push(pause);
    if (this.#pauses.length === KEPT) this.#shortest = Math.min(...this.#pauses.map(length));
  }
}

/**
 * The pause in which a run lacked data that the other run had. It contains `time`. It is 1.5 times as long as the usual distance of its
 * prices, and 1.5 times as long as any pause of the other run at that time. Before its first and after its last price a run has no data.
 */
export function missingAt(own: PriceCoverage | undefined, other: PriceCoverage | undefined, time: number): Pause | undefined {
  if (other === undefined || time < other.first || time > other.last) return undefined;
  if (own === undefined) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  if (time < own.first) return [Number.NEGATIVE_INFINITY, own.first];
  if (time > own.last) return [own.last, Number.POSITIVE_INFINITY];
  const pause = own.pauses.find(([from, to]) => from < time && time < to);
  if (pause === undefined) return undefined;
  const [from, to] = pause;
  const usual = own.count < 2 ? 0 : (own.last - own.first) / (own.count - 1);
  const theirs = Math.max(0, ...other.pauses.filter((one) => one[0] < to && one[1] > from).map((one) => one[1] - one[0]));
  return to - from > LONGER * Math.max(usual, theirs) ? pause : undefined;
}

import type { Instrument } from '../../../model/instrument.ts';
import type { AllocatedSymbol, Allocation } from '../../../report/run-report.ts';
import type { Portfolio } from '../../../state/portfolio.ts';

/** At so many points, each two become their mean. */
export const MOST_POINTS = 1_200;
/** More symbols than a chart has colours for are one curve together. */
export const MOST_CURVES = 6;

/** The shares of one symbol so far. */
class Holding {
  /** The mean share over each point. */
  shares: number[];
  /** The sum of the shares since the newest point. */
  open = 0;
  lowest = 0;
  highest = 0;
  last = 0;
  #sum = 0;
  #sizes = 0;
  #held = 0;

  /** @param before points before the first position. */
  constructor(before: number) {
    this.shares = new Array<number>(before).fill(0);
  }

  see(share: number): void {
    this.last = share;
    this.open += share;
    this.#sum += share;
    this.#sizes += Math.abs(share);
    if (share !== 0) this.#held++;
    if (share < this.lowest) this.lowest = share;
    if (share > this.highest) this.highest = share;
  }

  /** Ends a point that has so many shares. */
  close(count: number): void {
    this.shares.push(this.open / count);
    this.open = 0;
  }

  /** Symbols are compared by the sum of their shares, shorts counted like longs. */
  get size(): number {
    return this.#sizes;
  }

  /** @param points all points of the run, before its first position too. */
  row(symbol: string, points: number): AllocatedSymbol {
    const { lowest, highest, last } = this;
    const mean = this.#sum / points;
    return { symbol, mean: round(mean), lowest: round(lowest), highest: round(highest), last: round(last), held: this.#held / points };
  }
}

/**
 * The share of the equity in each symbol, at the points of the equity curve. Memory is bounded: when there are too many points, each two
 * become their mean. Means and extremes are of all points of the curve.
 */
export class AllocationRecorder {
  #times: number[] = [];
  /** By the index of the instrument; undefined before its first position. */
  readonly #holdings: (Holding | undefined)[] = [];
  /** Points of the curve in each of ours, and in the unfinished one. */
  #every = 1;
  #open = 0;
  #seen = 0;

  constructor(private readonly instruments: readonly Instrument[]) {}

  observe(portfolio: Pick<Portfolio, 'curve' | 'sampledWorths'>): void {
    portfolio.curve.whenWritten(() => this.#write(portfolio));
  }

  /** Call it once, after the last point. @returns undefined if nothing was held. */
  allocation({ curve }: Pick<Portfolio, 'curve'>): Allocation | undefined {
    if (this.#open > 0) this.#close(curve.samples.at(-1)!.time);
    const held = this.instruments.flatMap(({ index, symbol }) => {
      const holding = this.#holdings[index];
      return holding === undefined ? [] : [{ symbol, holding }];
    });
    if (held.length === 0) return undefined;
    held.sort((a, b) => b.holding.size - a.holding.size);
    const own = held.length > MOST_CURVES ? held.slice(0, MOST_CURVES - 1) : held;
    const others = held.slice(own.length).map(({ holding }) => holding.shares);
    const curves = own.map(({ symbol, holding }) => ({ label: symbol, shares: holding.shares.map(round) }));
    const rest = others[0]?.map((_, point) => round(others.reduce((sum, shares) => sum + shares[point]!, 0)));
    return {
      times: this.#times,
      each: this.#every,
      curves: rest === undefined ? curves : [...curves, { label: `${others.length} others`, shares: rest }],
      symbols: held.map(({ symbol, holding }) => holding.row(symbol, this.#seen)),
    };
  }

  /** Several samples may be written at once: in a gap of the data, all with the same values. */
  #write({ curve: { samples }, sampledWorths }: Pick<Portfolio, 'curve' | 'sampledWorths'>): void {
    for (; this.#seen < samples.length; this.#seen++) {
      const { time, equity } = samples[this.#seen]!;
      const worth = equity.toNumber();
      for (const { index } of this.instruments) {
        const share = worth > 0 ? sampledWorths[index]! / worth : 0;
        if (share !== 0) this.#holdings[index] ??= new Holding(this.#times.length);
        this.#holdings[index]?.see(share);
      }
      if (++this.#open === this.#every) this.#close(time);
    }
  }

  #close(time: number): void {
    for (const holding of this.#holdings) holding?.close(this.#open);
    this.#open = 0;
    this.#times.push(time);
    if (this.#times.length === MOST_POINTS) this.#merge();
  }

  #merge(): void {
    this.#every *= 2;
    this.#times = this.#times.filter((_, index) => index % 2 === 1);
    for (const holding of this.#holdings)
      if (holding !== undefined)
        holding.shares = this.#times.map((_, point) => (holding.shares[2 * point]! + holding.shares[2 * point + 1]!) / 2);
  }
}

/** To a hundredth of a percent. */
function round(share: number): number {
  return Math.round(share * 10_000) / 10_000 + 0;
}

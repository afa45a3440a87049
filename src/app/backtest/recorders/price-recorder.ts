import type { Instrument } from '../../../model/instrument.ts';
import type { ReadonlyState } from '../../../state/state.ts';
import type { PriceCoverage } from '../../../statistics/comparison/price-coverage.ts';
import type { PriceRange } from '../../../statistics/trades/fill-note.ts';
import { PriceTape } from './price-tape.ts';

/** What a run keeps of the prices of all its instruments. */
export class PriceRecorder {
  /** By the index of the instrument. */
  readonly #tapes: readonly PriceTape[];

  constructor(private readonly state: Pick<ReadonlyState, 'instruments' | 'markets' | 'books'>) {
    this.#tapes = state.markets.map((market) => new PriceTape(market));
  }

  /** Takes every market event of the instrument, once it is in the state. */
  tapeOf({ index }: Instrument): PriceTape {
    return this.#tapes[index]!;
  }

  /** Called at a fill, after the state has taken it. @returns the lowest and highest price since the last one, while some was held. */
  next(instrument: Instrument): PriceRange | undefined {
    const tape = this.#tapes[instrument.index]!;
    tape.held = false;
    for (const book of this.state.books.values()) for (const { steps } of book.sides(instrument)) if (steps !== 0) tape.held = true;
    return tape.takeRange();
  }

  /** What was seen since the last fill of each instrument. */
  lastRanges(): Map<Instrument, PriceRange> {
    return this.#of((tape) => tape.range());
  }

  /** What the market of each instrument traded, in quote, by the end of the UTC day. Called after `finish`. */
  volumes(): Map<Instrument, ReadonlyMap<number, number>> {
    return this.#of(({ volumes }) => (volumes.size > 0 ? volumes : undefined));
  }

  /** By symbol, of those that had prices. */
  coverage(): ReadonlyMap<string, PriceCoverage> {
    return new Map([...this.#of((tape) => tape.coverage.coverage())].map(([{ symbol }, coverage]) => [symbol, coverage]));
  }

  /** The run is over. */
  finish(): void {
    for (const tape of this.#tapes) tape.finish();
  }

  #of<T>(find: (tape: PriceTape) => T | undefined): Map<Instrument, T> {
    const found = new Map<Instrument, T>();
    for (const instrument of this.state.instruments) {
      const one = find(this.#tapes[instrument.index]!);
      if (one !== undefined) found.set(instrument, one);
    }
    return found;
  }
}

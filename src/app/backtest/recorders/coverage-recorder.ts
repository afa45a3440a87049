import type { MarketEvent } from '../../../model/market-events.ts';
import { CoverageBuilder, type PriceCoverage } from '../../../statistics/comparison/price-coverage.ts';

/** When a run saw prices of each symbol: a subtraction and a comparison an event. */
export class CoverageRecorder {
  readonly #builders = new Map<string, CoverageBuilder>();
  /** The same by the index of the instrument. */
  readonly #byIndex: CoverageBuilder[] = [];

  /** Marks and funding are no prices that anything fills at. */
  add({ kind, instrument, time }: MarketEvent): void {
    if (kind === 'mark' || kind === 'funding') return;
    (this.#byIndex[instrument.index] ?? this.#builderOf(instrument.index, instrument.symbol)).add(time);
  }

  /** By symbol, of those that had prices. */
  coverage(): ReadonlyMap<string, PriceCoverage> {
    return new Map([...this.#builders].map(([symbol, builder]) => [symbol, builder.coverage()!]));
  }

  #builderOf(index: number, symbol: string): CoverageBuilder {
    const builder = new CoverageBuilder();
    this.#builders.set(symbol, builder);
    this.#byIndex[index] = builder;
    return builder;
  }
}

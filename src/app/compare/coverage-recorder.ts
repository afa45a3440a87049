import type { MarketEvent } from '../../model/market-events.ts';
import { CoverageBuilder, type PriceCoverage } from '../../statistics/comparison/price-coverage.ts';

/** When a bot saw prices of each symbol. */
export class CoverageRecorder {
  readonly #builders = new Map<string, CoverageBuilder>();

  /** Marks and funding are no prices that anything fills at. */
  add({ kind, symbol, time }: MarketEvent): void {
    if (kind === 'mark' || kind === 'funding') return;
    const builder = this.#builders.get(symbol) ?? new CoverageBuilder();
    this.#builders.set(symbol, builder);
    builder.add(time);
  }

  /** By symbol, of those that had prices. */
  coverage(): ReadonlyMap<string, PriceCoverage> {
    return new Map([...this.#builders].map(([symbol, builder]) => [symbol, builder.coverage()!]));
  }
}

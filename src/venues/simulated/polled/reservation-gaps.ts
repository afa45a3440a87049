import type { Instrument } from '../../../model/instrument.ts';
import type { ExchangeRecords } from './exchange-records.ts';
import type { ObservedWallet } from './observed-wallet.ts';

/** What the exchange reserves beyond what its owner knows of: where that changes, something happened to an order. */
export class ReservationGaps {
  readonly #assets: readonly string[];
  readonly #gaps = new Map<string, string>();

  constructor(
    instruments: readonly Instrument[],
    private readonly records: ExchangeRecords,
    private readonly wallet: ObservedWallet,
  ) {
    const spot = instruments.filter(({ contract }) => contract === undefined);
    this.#assets = [...new Set(spot.flatMap(({ base, quote }) => [base, quote]))];
  }

  /** Assets whose gap is another than at the last look, and not closed. */
  news(): string[] {
    return this.#assets.filter((asset) => {
      const gap = this.records.frozen(asset).minus(this.wallet.frozen(asset)).toFixed();
      const before = this.#gaps.get(asset) ?? '0';
      this.#gaps.set(asset, gap);
      return gap !== '0' && gap !== before;
    });
  }
}

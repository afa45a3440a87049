import type { FundingCharged, PositionLiquidated } from '../../../model/account-events.ts';
import { type Decimal, ZERO } from '../../../model/decimal.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { CurrencyRates } from '../../../statistics/run-record.ts';

type Converted = Fill | FundingCharged | PositionLiquidated;

/** What converts one asset into the account's currency at the newest price; `undefined` before the first. */
interface RateSource {
  readonly currency: string;
  rateOf(asset: string): Decimal | undefined;
}

/** Writes down what quote was worth when money moved; of instruments quoted in the account's currency it keeps nothing. */
export class CurrencyRateRecorder {
  readonly #rates = new Map<Converted, Decimal>();
  /** By the index of the instrument. */
  readonly #foreign: readonly boolean[];
  readonly #unpriced: { readonly converted: Converted; readonly quote: string }[] = [];

  constructor(
    private readonly source: RateSource,
    instruments: readonly Instrument[],
  ) {
    this.#foreign = instruments.map(({ quote }) => quote !== source.currency);
  }

  get rates(): CurrencyRates {
    return this.#rates;
  }

  /** Whether anything of the run is quoted in another currency than the account's. */
  get converts(): boolean {
    return this.#foreign.includes(true);
  }

  /** Called when it happens, with its instrument. */
  note(converted: Converted, { index, quote }: Instrument): void {
    if (this.#foreign[index] !== true) return;
    const rate = this.source.rateOf(quote);
    if (rate === undefined) this.#unpriced.push({ converted, quote });
    else this.#rates.set(converted, rate);
  }

  /**
   * At the end of the run: what came before the first price of its quote gets the newest one, or counts nothing
   * where none ever came. @returns how many those were.
   */
  settle(): number {
    for (const { converted, quote } of this.#unpriced) this.#rates.set(converted, this.source.rateOf(quote) ?? ZERO);
    return this.#unpriced.length;
  }
}

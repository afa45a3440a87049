import type { FundingCharged, PositionLiquidated } from '../../../model/account-events.ts';
import { Decimal, ZERO } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { FillColumns } from '../../../statistics/fill-columns.ts';
import type { CurrencyRates } from '../../../statistics/run-record.ts';

type Charge = FundingCharged | PositionLiquidated;

/** The newest rate from one asset to the account's currency; `undefined` before the first price. */
interface RateSource {
  readonly currency: string;
  rateOf(asset: string): Decimal | undefined;
}

const UNKNOWN: Decimal = new Decimal(Number.NaN);

/** Finds the rate of the quote asset at each fill or charge, except for instruments quoted in the account's currency. */
export class CurrencyRateRecorder {
  readonly #rates = new Map<Charge, Decimal>();
  /** By the index of the instrument. */
  readonly #foreign: readonly boolean[];
  /** For fills and charges before the first price of their quote asset: set their rate. */
  readonly #unpriced: { readonly quote: string; readonly set: (rate: Decimal) => void }[] = [];

  /** @param fills the fills of the run, which have rates of their own. */
  constructor(
    private readonly source: RateSource,
    instruments: readonly Instrument[],
    private readonly fills: Pick<FillColumns, 'setRate'>,
  ) {
    this.#foreign = instruments.map(({ quote }) => quote !== source.currency);
  }

  /** The rates at charges. */
  get rates(): CurrencyRates {
    return this.#rates;
  }

  /** Whether an instrument of the run is quoted in another currency than the account's. */
  get converts(): boolean {
    return this.#foreign.includes(true);
  }

  /** The rate at a fill: undefined if nothing is converted, `NaN` before the first price. Called at the time of the fill. */
  rateAt({ index, quote }: Instrument): Decimal | undefined {
    return this.#foreign[index] === true ? (this.source.rateOf(quote) ?? UNKNOWN) : undefined;
  }

  /** Stores that the fill of this index has no rate yet, so that `settle` can set it. */
  settleFill(index: number, { quote }: Instrument): void {
    this.#unpriced.push({ quote, set: (rate) => this.fills.setRate(index, rate) });
  }

  /** Called at the time of a charge, with its instrument. */
  noteCharge(charge: Charge, instrument: Instrument): void {
    const rate = this.rateAt(instrument);
    if (rate === undefined) return;
    if (rate.isNaN()) this.#unpriced.push({ quote: instrument.quote, set: (settled) => this.#rates.set(charge, settled) });
    else this.#rates.set(charge, rate);
  }

  /**
   * At the end of the run: entries before the first price of their quote asset get the newest rate, or zero if there never was one.
   * @returns the number of these entries.
   */
  settle(): number {
    for (const { quote, set } of this.#unpriced) set(this.source.rateOf(quote) ?? ZERO);
    return this.#unpriced.length;
  }
}

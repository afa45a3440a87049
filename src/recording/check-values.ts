import { type Finding, Tally } from './check-tally.ts';
import { decimalText, POWERS_OF_TEN } from './decimal-units.ts';
import type { SeriesRows } from './parts-reader.ts';
import { SERIES_COLUMNS } from './series-columns.ts';
import type { SeriesMeta } from './series-meta.ts';

/** Rates are some hundredths of a percent: this much at once is hardly a share of the position any more. */
const RATE_LIMIT = 0.05;

/**
 * Judges the values of rows: bars whose high is below or whose low is above another of their prices, bids
 * above (error) or at (warning) the ask, prices of zero or less, negative quantities. Funding rates have either
 * sign; beyond 5 % a time (warning) they are most likely percentages.
 */
export class ValueCheck {
  readonly #meta: SeriesMeta;
  readonly #bars = new Tally('impossibleBars', 'error', 'impossible bars');
  readonly #prices = new Tally('nonPositivePrices', 'error', 'prices that are not positive');
  readonly #crossed = new Tally('crossedQuotes', 'error', 'quotes with the bid above the ask');
  readonly #locked = new Tally('lockedQuotes', 'warning', 'quotes with the bid at the ask');
  readonly #quantities = new Tally('negativeQuantities', 'error', 'negative quantities');
  readonly #rates = new Tally('extremeRates', 'warning', 'funding rates beyond 5 %');

  constructor(meta: SeriesMeta) {
    this.#meta = meta;
  }

  /** @param before rows of the series before the reader's chunk. */
  update(reader: SeriesRows, before: number): void {
    if (this.#meta.kind === 'bar') this.#checkBars(reader, before);
    if (this.#meta.kind === 'quote') this.#checkQuotes(reader, before);
    if (this.#meta.kind === 'funding') this.#checkRates(reader, before);
    else this.#checkSigns(reader, before);
  }

  findings(): Finding[] {
    return [this.#bars, this.#crossed, this.#prices, this.#quantities, this.#locked, this.#rates].flatMap((tally) => tally.findings());
  }

  #checkBars(reader: SeriesRows, before: number): void {
    const [open, high, low, close] = reader.columns as [Float64Array, Float64Array, Float64Array, Float64Array];
    for (let row = 0; row < reader.length; row++) {
      const top = high[row]!;
      const bottom = low[row]!;
      if (top >= open[row]! && top >= close[row]! && bottom <= open[row]! && bottom <= close[row]!) continue;
      const prices = [open[row]!, top, bottom, close[row]!].map((price) => decimalText(price, this.#meta.priceDecimals));
      this.#bars.add(before + row + 1, reader.time[row]!, () => `open ${prices[0]} high ${prices[1]} low ${prices[2]} close ${prices[3]}`);
    }
  }

  #checkQuotes(reader: SeriesRows, before: number): void {
    const [bid, ask] = reader.columns as [Float64Array, Float64Array];
    for (let row = 0; row < reader.length; row++) {
      if (bid[row]! < ask[row]!) continue;
      const tally = bid[row] === ask[row] ? this.#locked : this.#crossed;
      const [low, high] = [bid[row]!, ask[row]!].map((price) => decimalText(price, this.#meta.priceDecimals));
      tally.add(before + row + 1, reader.time[row]!, () => `bid ${low} ask ${high}`);
    }
  }

  #checkRates(reader: SeriesRows, before: number): void {
    const rates = reader.columns[0]!;
    const { priceDecimals } = this.#meta;
    const one = POWERS_OF_TEN[priceDecimals]!;
    for (let row = 0; row < reader.length; row++) {
      const rate = rates[row]!;
      if (Math.abs(rate) / one <= RATE_LIMIT) continue;
      this.#rates.add(before + row + 1, reader.time[row]!, () => decimalText(rate, priceDecimals));
    }
  }

  #checkSigns(reader: SeriesRows, before: number): void {
    SERIES_COLUMNS[this.#meta.kind].forEach(({ name, unit }, index) => {
      if (unit === 'side') return;
      const column = reader.columns[index]!;
      const least = unit === 'price' ? 1 : 0;
      const tally = unit === 'price' ? this.#prices : this.#quantities;
      for (let row = 0; row < reader.length; row++) {
        if (column[row]! < least) tally.add(before + row + 1, reader.time[row]!, () => name);
      }
    });
  }
}

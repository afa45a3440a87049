import { decimalText, gcd, POWERS_OF_TEN } from '../columns/decimals.ts';
import { isDecimal, SERIES_COLUMNS, type SeriesKind, type SeriesMeta } from '../columns/series-meta.ts';
import { type CheckedRows, type Finding, Tally } from './findings.ts';

/** Rates are some hundredths of a percent: a larger value than this is probably in percent. */
const RATE_LIMIT = 0.05;

/** The meaning of a quantity of zero. A bar's volume of zero is normal for a source without volumes. */
const ZERO_VOLUME: Partial<Record<SeriesKind, string>> = {
  bar: 'bars without volume',
  trade: 'trades of nothing',
  quote: 'sides of quotes without quantity',
};

/**
 * Checks the values of rows: bars whose high is below or whose low is above another of their prices, bids above (error) or equal to
 * (warning) the ask, prices of zero or less, negative quantities, quantities of zero (warning; in depth they remove levels). Funding rates
 * may be negative; above 5 % a time (warning) they are most likely percentages.
 */
export class ValueCheck {
  readonly #meta: SeriesMeta;
  readonly #bars = new Tally('impossibleBars', 'error', 'impossible bars');
  readonly #prices = new Tally('nonPositivePrices', 'error', 'prices that are not positive');
  readonly #crossed = new Tally('crossedQuotes', 'error', 'quotes with the bid above the ask');
  readonly #locked = new Tally('lockedQuotes', 'warning', 'quotes with the bid at the ask');
  readonly #quantities = new Tally('negativeQuantities', 'error', 'negative quantities');
  readonly #zeros: Tally;
  readonly #rates = new Tally('extremeRates', 'warning', 'funding rates beyond 5 %');

  constructor(meta: SeriesMeta) {
    this.#meta = meta;
    this.#zeros = new Tally('zeroVolume', 'warning', ZERO_VOLUME[meta.kind] ?? '');
  }

  /** @param before rows of the series before these. */
  update(rows: CheckedRows, before: number): void {
    if (this.#meta.kind === 'bar') this.#checkBars(rows, before);
    if (this.#meta.kind === 'quote') this.#checkQuotes(rows, before);
    if (this.#meta.kind === 'funding') this.#checkRates(rows, before);
    else this.#checkSigns(rows, before);
  }

  findings(): Finding[] {
    const tallies = [this.#bars, this.#crossed, this.#prices, this.#quantities, this.#locked, this.#zeros, this.#rates];
    return tallies.flatMap((tally) => tally.findings());
  }

  #checkBars(rows: CheckedRows, before: number): void {
    const [open, high, low, close] = rows.columns as [Float64Array, Float64Array, Float64Array, Float64Array];
    for (let row = 0; row < rows.length; row++) {
      const top = high[row]!;
      const bottom = low[row]!;
      if (top >= open[row]! && top >= close[row]! && bottom <= open[row]! && bottom <= close[row]!) continue;
      const prices = [open[row]!, top, bottom, close[row]!].map((price) => decimalText(price, this.#meta.priceDecimals));
      this.#bars.add(before + row + 1, rows.time[row]!, () => `open ${prices[0]} high ${prices[1]} low ${prices[2]} close ${prices[3]}`);
    }
  }

  #checkQuotes(rows: CheckedRows, before: number): void {
    const [bid, ask] = rows.columns as [Float64Array, Float64Array];
    for (let row = 0; row < rows.length; row++) {
      if (bid[row]! < ask[row]!) continue;
      const tally = bid[row] === ask[row] ? this.#locked : this.#crossed;
      const text = (price: number) => decimalText(price, this.#meta.priceDecimals);
      tally.add(before + row + 1, rows.time[row]!, () => `bid ${text(bid[row]!)} ask ${text(ask[row]!)}`);
    }
  }

  #checkRates(rows: CheckedRows, before: number): void {
    const rates = rows.columns[0]!;
    const { priceDecimals } = this.#meta;
    const one = POWERS_OF_TEN[priceDecimals]!;
    for (let row = 0; row < rows.length; row++) {
      const rate = rates[row]!;
      if (Math.abs(rate) / one <= RATE_LIMIT) continue;
      this.#rates.add(before + row + 1, rows.time[row]!, () => decimalText(rate, priceDecimals));
    }
  }

  /** Most columns have no finding: their smallest value shows that. */
  #checkSigns(rows: CheckedRows, before: number): void {
    SERIES_COLUMNS[this.#meta.kind].forEach(({ name, unit }, index) => {
      if (!isDecimal(unit)) return;
      const column = rows.columns[index]!;
      if (leastOf(column, rows.length) > 0) return;
      const least = unit === 'price' ? 1 : 0;
      const tally = unit === 'price' ? this.#prices : this.#quantities;
      for (let row = 0; row < rows.length; row++) {
        const value = column[row]!;
        if (value < least) tally.add(before + row + 1, rows.time[row]!, () => name);
        else if (value === 0 && this.#meta.kind !== 'depth') this.#zeros.add(before + row + 1, rows.time[row]!, () => name);
      }
    });
  }
}

function leastOf(column: Float64Array, length: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let row = 0; row < length; row++) if (column[row]! < least) least = column[row]!;
  return least;
}

/** The smallest share by which an outlier differs from both its neighbours, however calm the market. */
const LEAST_SHARE = 0.05;
/** A move of this many times the usual move between two rows is an outlier. */
const USUAL_MOVES = 10;
/** Weight of the newest move in the usual one, which starts at 2 %. */
const NEWEST_WEIGHS = 1 / 128;
const FIRST_USUAL_MOVE = 0.02;
/** A price that more than doubles or halves between two rows, and stays there, is most likely in another unit. */
const LEAP = 2;

/**
 * Compares prices with their neighbours (warnings). A row is an outlier where its highest price is above those of the rows before and
 * after, or its lowest below, by more than 5 % and by more than ten times the usual move. Prices leap where they more than double or halve
 * and stay there. Rows that repeat the previous prices count as one with them.
 */
export class OutlierCheck {
  readonly #decimals: number;
  readonly #topColumn: number;
  readonly #bottomColumn: number;
  readonly #outliers = new Tally('outliers', 'warning', 'prices far from those before and after');
  readonly #leaps = new Tally('outliers', 'warning', 'prices that more than double or halve at once');
  /** Highest and lowest price of the last row that was no outlier, and of the current row; 0 where there is none. */
  #beforeTop = 0;
  #beforeBottom = 0;
  #top = 0;
  #bottom = 0;
  #row = 0;
  #time = 0;
  #usualMove = FIRST_USUAL_MOVE;

  constructor({ kind, priceDecimals }: SeriesMeta) {
    this.#decimals = priceDecimals;
    this.#topColumn = kind === 'bar' || kind === 'quote' ? 1 : 0;
    this.#bottomColumn = kind === 'bar' ? 2 : 0;
  }

  update({ time, columns, length }: CheckedRows, rowsBefore: number): void {
    const tops = columns[this.#topColumn]!;
    const bottoms = columns[this.#bottomColumn]!;
    for (let row = 0; row < length; row++) {
      const top = tops[row]!;
      const bottom = bottoms[row]!;
      if ((top === this.#top && bottom === this.#bottom) || bottom <= 0) continue;
      this.#judge(top, bottom);
      this.#top = top;
      this.#bottom = bottom;
      this.#row = rowsBefore + row + 1;
      this.#time = time[row]!;
    }
  }

  findings(): Finding[] {
    this.#judge(this.#top, this.#bottom);
    return [this.#outliers, this.#leaps].flatMap((tally) => tally.findings());
  }

  /** Checks the current row, now that the next prices are known. */
  #judge(nextTop: number, nextBottom: number): void {
    const top = this.#top;
    const bottom = this.#bottom;
    const before = this.#beforeTop + this.#beforeBottom;
    if (before > 0) {
      const calm = top <= (1 + LEAST_SHARE) * this.#beforeTop && bottom >= (1 - LEAST_SHARE) * this.#beforeBottom;
      if (!calm && this.#standsOut(nextTop, nextBottom)) return;
      const move = Math.abs(top + bottom - before) / before;
      this.#usualMove += (Math.min(move, this.#limit) - this.#usualMove) * NEWEST_WEIGHS;
    }
    this.#beforeTop = top;
    this.#beforeBottom = bottom;
  }

  get #limit(): number {
    return Math.max(LEAST_SHARE, USUAL_MOVES * this.#usualMove);
  }

  /** Counts the current row as an outlier, or as a leap; later prices are compared with a leap. */
  #standsOut(nextTop: number, nextBottom: number): boolean {
    const top = this.#top;
    const bottom = this.#bottom;
    const [row, time, from] = [this.#row, this.#time, this.#beforeBottom];
    const above = top > (1 + this.#limit) * Math.max(this.#beforeTop, nextTop);
    if (above || bottom < (1 - this.#limit) * Math.min(from, nextBottom)) {
      this.#outliers.add(row, time, () => this.#price(above ? top : bottom));
      return true;
    }
    const ratio = (top + bottom) / (this.#beforeTop + from);
    if (ratio >= LEAP || ratio <= 1 / LEAP) this.#leaps.add(row, time, () => `${this.#price(from)} to ${this.#price(bottom)}`);
    return false;
  }

  #price(units: number): string {
    return decimalText(units, this.#decimals);
  }
}

const DAY_MS = 86_400_000;
/** Fewer different prices may share a divisor by chance. */
const ENOUGH_PRICES = 32;

/**
 * Checks the price step (warning). A part of the series is as many whole UTC days as contain enough different prices. Its step is the
 * greatest one of which all its prices are multiples. Where it changes from part to part, a file may have been rounded, or the exchange may
 * have changed its tick. Marks and funding have no step and are not checked.
 */
export class StepCheck {
  readonly #decimals: number;
  readonly #priceColumns: readonly number[];
  readonly #changes = new Tally('mixedSteps', 'warning', 'changes of the step that prices lie on');
  readonly #seen = new Set<number>();
  /** In price units; 0 before the first part is complete. */
  #lastStep = 0;
  #step = 0;
  #partRow = 0;
  #partTime = Number.NaN;
  #dayEnd = Number.NEGATIVE_INFINITY;

  constructor({ kind, priceDecimals }: SeriesMeta) {
    this.#decimals = priceDecimals;
    this.#priceColumns = SERIES_COLUMNS[kind].flatMap(({ unit }, index) => (unit === 'price' ? [index] : []));
  }

  update({ time, columns, length }: CheckedRows, rowsBefore: number): void {
    const prices = this.#priceColumns.map((index) => columns[index]!);
    for (let row = 0; row < length; row++) {
      if (time[row]! >= this.#dayEnd) this.#newDay(time[row]!, rowsBefore + row + 1);
      if (this.#seen.size < ENOUGH_PRICES) this.#seen.add(prices[0]![row]!);
      if (this.#step === 1) continue;
      for (const column of prices) {
        const price = Math.abs(column[row]!);
        if (this.#step === 0 || price - Math.floor(price / this.#step) * this.#step !== 0) this.#step = gcd(this.#step, price);
      }
    }
  }

  findings(): Finding[] {
    this.#endPart();
    return this.#changes.findings();
  }

  #newDay(time: number, row: number): void {
    this.#dayEnd = (Math.floor(time / DAY_MS) + 1) * DAY_MS;
    if (!Number.isNaN(this.#partTime) && !this.#endPart()) return;
    this.#partTime = time;
    this.#partRow = row;
  }

  /** @returns whether the part had enough prices. */
  #endPart(): boolean {
    if (this.#seen.size < ENOUGH_PRICES) return false;
    const [from, to] = [this.#lastStep, this.#step];
    if (from !== 0 && from !== to) {
      this.#changes.add(this.#partRow, this.#partTime, () => `${decimalText(from, this.#decimals)} to ${decimalText(to, this.#decimals)}`);
    }
    this.#lastStep = to;
    this.#step = 0;
    this.#seen.clear();
    return true;
  }
}

import { RowBuffer } from '../columns/chunks.ts';
import { POWERS_OF_TEN } from '../columns/decimals.ts';
import { SERIES_COLUMNS } from '../columns/series-meta.ts';
import { DecimalScales, RowError, type RowSource, type RowsTarget } from './rows.ts';

/** Decimals of a quantity that is divided by a price. */
const DECIMALS = 8;
const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** The rows of a file whose quantities are in the quote asset, with those in the base asset: divided by a price of the same row. */
export class RowsInBase implements RowSource {
  readonly #source: RowSource;
  readonly #own: RowBuffer;
  readonly #scales = new DecimalScales();
  readonly #target: RowsTarget;
  #at = 0;
  #more = true;

  /**
   * @param open opens the file and writes its rows to the given target.
   * @param divided columns of quantities, each with that of its price.
   */
  constructor(
    open: (target: RowsTarget) => RowSource,
    target: RowsTarget,
    private readonly path: string,
    private readonly divided: readonly (readonly [quantity: number, price: number])[],
  ) {
    this.#own = new RowBuffer(target.buffer.kind);
    this.#target = target;
    this.#scales.quantityCap = target.scales.quantityCap;
    this.#source = open({ ...target, buffer: this.#own, scales: this.#scales });
  }

  get seen(): number {
    return this.#source.seen;
  }

  get passedOver(): number {
    return this.#source.passedOver;
  }

  get waiting(): Promise<void> | undefined {
    return this.#at < this.#own.rows ? undefined : this.#source.waiting;
  }

  fill(): boolean {
    const { buffer } = this.#target;
    if (this.#at === this.#own.rows && this.#more) {
      this.#own.rows = 0;
      this.#at = 0;
      this.#more = this.#source.fill();
    }
    this.#grow();
    while (buffer.rows < buffer.capacity && this.#at < this.#own.rows) this.#take(this.#at++);
    return this.#more || this.#at < this.#own.rows;
  }

  close(): void {
    this.#source.close();
  }

  /** The series gets the decimals of the prices, and those of the quotients. A lower cap makes the import begin again. */
  #grow(): void {
    const { scales, buffer } = this.#target;
    if (this.#scales.quantityCap < scales.quantityCap) {
      scales.quantityCap = this.#scales.quantityCap;
      scales.quantity = Math.min(scales.quantity, scales.quantityCap);
    }
    this.#growTo('price', this.#scales.price);
    const places = Math.min(Math.max(DECIMALS, scales.quantity), scales.quantityCap);
    if (buffer.kind === 'bar' && scales.largestWith('quantity', Math.max(places, scales.quantity), buffer) > Number.MAX_SAFE_INTEGER)
      scales.capQuantity(
        Math.floor(scales.largestWith('quantity', scales.quantity, buffer) / POWERS_OF_TEN[scales.quantity]!).toFixed(0).length,
      );
    else this.#growTo('quantity', places);
  }

  #growTo(unit: 'price' | 'quantity', places: number): void {
    const { scales, buffer } = this.#target;
    if (places <= scales[unit]) return;
    if (scales.largestWith(unit, places, buffer) > Number.MAX_SAFE_INTEGER)
      throw new RowError(this.path, 1, undefined, `with ${places} decimals an earlier ${unit} does not fit a safe integer (2^53)`);
    scales.grow(unit, places, buffer);
  }

  #take(from: number): void {
    const own = this.#own;
    const { buffer, scales } = this.#target;
    const to = buffer.rows;
    buffer.time[to] = own.time[from]!;
    buffer.nanos[to] = own.nanos[from]!;
    buffer.lines[to] = own.lines[from]!;
    const factor = POWERS_OF_TEN[scales.price - this.#scales.price]!;
    for (const [index, column] of own.columns.entries()) buffer.columns[index]![to] = column[from]!;
    for (const [index, { unit }] of SERIES_COLUMNS[buffer.kind].entries()) if (unit === 'price') buffer.columns[index]![to]! *= factor;
    for (const [quantity, price] of this.divided) {
      const units = this.#quotient(own.columns[quantity]![from]!, own.columns[price]![from]!);
      if (units === undefined) {
        const problem = 'an amount in the quote asset cannot be divided by a price that is not above 0, or the quotient is too large';
        this.#target.refuse(new RowError(this.path, own.lines[from]!, undefined, problem), () => '');
        return;
      }
      buffer.columns[quantity]![to] = units;
    }
    buffer.rows++;
  }

  #quotient(amount: number, price: number): number | undefined {
    if (amount === 0) return 0;
    if (price <= 0) return undefined;
    const { scales, buffer } = this.#target;
    // amount / 10^own.quantity / (price / 10^own.price), in units of 10^-quantity.
    const power = this.#scales.price + scales.quantity - this.#scales.quantity;
    const [top, bottom] =
      power < 0 ? [BigInt(amount), BigInt(price) * 10n ** BigInt(-power)] : [BigInt(amount) * 10n ** BigInt(power), BigInt(price)];
    const floor = top / bottom;
    const twice = (top % bottom) * 2n;
    const units = twice > bottom || (twice === bottom && floor % 2n === 1n) ? floor + 1n : floor;
    if (units <= SAFE) return Number(units);
    if (buffer.kind === 'bar' && scales.quantity > 0) scales.capQuantity(String(units).length - scales.quantity);
    return buffer.kind === 'bar' ? 0 : undefined;
  }
}

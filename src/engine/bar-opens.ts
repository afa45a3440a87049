import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';

/**
 * Where bars opened last, which says from when a held order is judged. On bars the path of the running bar
 * is older than an order sent inside it, so that waits for the next open; what is sent at the very instant
 * of an open is judged at it, unless it is an exit that has to wait for the bar after a fill at that open.
 */
export class BarOpens {
  /** Epoch ms and price of the newest open of each instrument, by its index; `NaN` where none has been told. */
  readonly #times: Float64Array;
  readonly #ticks: Float64Array;
  /** Epoch ms of the newest fill of a strategy in an instrument. */
  readonly #filledAt = new Map<string, number>();

  constructor(
    instruments: number,
    /** Exits are judged from the bar after their entry's fill. */
    readonly exitsWait: boolean,
  ) {
    this.#times = new Float64Array(instruments).fill(Number.NaN);
    this.#ticks = new Float64Array(instruments).fill(Number.NaN);
  }

  /** Called at every bar. */
  note({ index }: Instrument, time: number, priceTicks: number): void {
    this.#times[index] = time;
    this.#ticks[index] = priceTicks;
  }

  filled({ instrument, strategyId, symbol, time }: Fill): void {
    if (this.#times[instrument.index] === time) this.#filledAt.set(`${strategyId}/${symbol}`, time);
  }

  /** The price of an open at this very time; `undefined` at any other. */
  ticksAt({ index }: Instrument, time: number): number | undefined {
    return this.#times[index] === time ? this.#ticks[index] : undefined;
  }

  /** Whether an order sent at `time` waits for the next open. */
  waits({ index, symbol }: Instrument, strategyId: string, reduces: boolean, time: number): boolean {
    const open = this.#times[index]!;
    if (Number.isNaN(open)) return false;
    if (time !== open) return true;
    return this.exitsWait && reduces && this.#filledAt.get(`${strategyId}/${symbol}`) === open;
  }

  /** Whether the exits of a fill told at `time` wait; where they need not, they work for the rest of the path. */
  exitsOf({ instrument, strategyId, time: filled }: Fill, time: number): boolean {
    return this.exitsWait || (filled !== time && this.waits(instrument, strategyId, true, time));
  }
}

import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderRequest } from '../../model/order.ts';
import type { ReadonlyMarket } from '../../state/state.ts';

/** What of an order says when it is judged. */
type Sent = Pick<OrderRequest, 'instrument' | 'strategyId' | 'positionSide' | 'reduceOnly'>;

/**
 * Where bars opened last, which says from when an order that waits is judged. On bars the path of the running bar
 * is older than an order sent inside it, so that waits for the next open; what is sent at the very instant
 * of an open is judged at it, unless it is an exit that has to wait for the bar after a fill at that open.
 *
 * It knows the newest price inside a bar too: its open, then where matching has paused on its path. Strategies see
 * neither, but the venue judges triggers by them.
 */
export class BarOpens {
  /** Epoch ms and price of the newest open of each instrument, by its index; `NaN` where none has been told. */
  readonly #times: Float64Array;
  readonly #ticks: Float64Array;
  /** Epoch ms of the newest fill of a strategy in an instrument. */
  readonly #filledAt = new Map<string, number>();

  /** Of each instrument: the newest price inside a bar, and the newest datum when it was told. */
  readonly #inside: Float64Array;
  readonly #insideAt: Float64Array;

  constructor(
    private readonly markets: readonly ReadonlyMarket[],
    /** Exits are judged from the bar after their entry's fill. */
    readonly exitsWait: boolean,
  ) {
    this.#times = new Float64Array(markets.length).fill(Number.NaN);
    this.#ticks = new Float64Array(markets.length).fill(Number.NaN);
    this.#inside = new Float64Array(markets.length);
    this.#insideAt = new Float64Array(markets.length).fill(Number.NaN);
  }

  /** Called at every bar. */
  note(instrument: Instrument, time: number, priceTicks: number): void {
    this.#times[instrument.index] = time;
    this.#ticks[instrument.index] = priceTicks;
    this.noteInside(instrument, priceTicks);
  }

  /** Matching stands at this price inside a bar. */
  noteInside({ index }: Instrument, priceTicks: number): void {
    this.#inside[index] = priceTicks;
    this.#insideAt[index] = this.markets[index]!.sequence;
  }

  /** The newest price inside the bar under way; `undefined` where the newest datum is newer. */
  insideTicks({ index }: Instrument): number | undefined {
    return this.#insideAt[index] === this.markets[index]!.sequence ? this.#inside[index] : undefined;
  }

  filled({ instrument, strategyId, symbol, time, positionSide }: Fill): void {
    if (this.#times[instrument.index] === time) this.#filledAt.set(`${strategyId}/${symbol}/${positionSide}`, time);
  }

  /** The price of an open at this very time; `undefined` at any other. */
  ticksAt({ index }: Instrument, time: number): number | undefined {
    return this.#times[index] === time ? this.#ticks[index] : undefined;
  }

  /** Whether an order sent at `time` waits for the next open. */
  waits({ instrument, strategyId, positionSide, reduceOnly }: Sent, time: number): boolean {
    const open = this.#times[instrument.index]!;
    if (Number.isNaN(open)) return false;
    if (time !== open) return true;
    return this.exitsWait && reduceOnly && this.#filledAt.get(`${strategyId}/${instrument.symbol}/${positionSide}`) === open;
  }

  /** Whether the exits of a fill told at `time` wait; where they need not, they work for the rest of the path. */
  exitsOf({ instrument, strategyId, positionSide, time: filled }: Fill, time: number): boolean {
    return this.exitsWait || (filled !== time && this.waits({ instrument, strategyId, positionSide, reduceOnly: true }, time));
  }
}

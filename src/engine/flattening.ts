import type { Instrument } from '../model/instrument.ts';
import type { PlaceOrder } from '../model/intents.ts';
import type { State } from '../state/state.ts';
import { closingIntent } from './closing.ts';
import type { Reviewer } from './reviewer.ts';

const TAG = 'kill';

/**
 * Closes every strategy's position after a kill, instrument by instrument: once none of its orders is left that could
 * move it, and again when what was open at the time of a close has filled after all. A close that moves nothing is not
 * repeated: it was refused, and a person has to look.
 */
export class Flattening {
  /** What is not flat yet, with the positions at the last try. */
  readonly #pending = new Map<Instrument, string>();
  /** Cancels asked for, by order and its id at the venue: one that the order overtook is asked for again. */
  readonly #asked = new Set<string>();

  constructor(
    private readonly state: State,
    private readonly reviewer: Reviewer,
    /** Takes an intent in the name of a strategy. */
    private readonly want: (strategyId: string, intent: PlaceOrder) => void,
    /** Steps of one order at most: a larger position is closed in slices. */
    private readonly most: (instrument: Instrument) => number,
  ) {}

  /** Symbols that are not flat yet. */
  get symbols(): string[] {
    return [...this.#pending.keys()].map(({ symbol }) => symbol);
  }

  /** @param symbols all, unless an earlier run left only these. */
  begin(symbols?: readonly string[]): void {
    for (const instrument of this.state.instruments) {
      if (symbols === undefined || symbols.includes(instrument.symbol)) this.#pending.set(instrument, '');
    }
  }

  stop(): void {
    this.#pending.clear();
  }

  concerns(symbol: string): boolean {
    return this.#pending.size > 0 && this.symbols.includes(symbol);
  }

  /** One step towards flat. @returns false when there is nothing to do now. */
  step(): boolean {
    if (this.#pending.size === 0) return false;
    let moved = false;
    for (const [instrument, tried] of this.#pending) {
      const open = this.#open(instrument);
      if (open > 0) moved = this.#cancel(instrument) || moved;
      else moved = this.#close(instrument, tried) || moved;
    }
    if (this.#pending.size === 0) this.#asked.clear();
    return moved;
  }

  #open(instrument: Instrument): number {
    return [...this.state.openOrders.values()].filter((order) => order.instrument === instrument).length;
  }

  #cancel(instrument: Instrument): boolean {
    let moved = false;
    for (const order of [...this.state.openOrders.values()]) {
      const asking = `${order.clientOrderId}/${order.orderId}`;
      if (order.instrument !== instrument || order.tag === TAG || order.cancelRequested || this.#asked.has(asking)) continue;
      this.#asked.add(asking);
      this.reviewer.cancel(order, 'killed');
      moved = true;
    }
    return moved;
  }

  #close(instrument: Instrument, tried: string): boolean {
    const held = [...this.state.books].flatMap(([id, book]) =>
      book.sides(instrument).flatMap(({ steps }) => (steps === 0 ? [] : [{ id, steps }])),
    );
    const now = held.map(({ id, steps }) => `${id} ${steps}`).join();
    if (held.length === 0 || now === tried) {
      this.#pending.delete(instrument);
      return false;
    }
    this.#pending.set(instrument, now);
    const most = this.most(instrument);
    for (const { id, steps } of held) this.want(id, closingIntent(instrument, Math.sign(steps) * Math.min(Math.abs(steps), most), TAG));
    return true;
  }
}

import type { Instrument } from '../../model/instrument.ts';
import type { PlaceOrder } from '../../model/intents.ts';
import type { LatchReset } from '../../model/latch-events.ts';
import type { State } from '../../state/state.ts';
import type { StrategyBook } from '../../state/strategy-book.ts';
import type { Reviewer } from '../orders/reviewer.ts';
import { closingIntent } from './closing.ts';
import { type FlattenCause, type FlattenTarget, targetOf, textOf } from './flatten-target.ts';

/** Why positions are to be closed, and whose: one strategy's, or everybody's. */
export type FlattenOrder = Pick<FlattenTarget, 'cause' | 'strategyId'>;

/**
 * Closes positions after a kill or a limit that says so, target by target: once none of its orders is left that could
 * move it, and again when what was open at the time of a close has filled after all. A close that moves nothing is not
 * repeated: it was refused, and a person has to look.
 */
export class Flattening {
  /** What is not flat yet, with the positions at the last try. */
  readonly #pending = new Map<string, { readonly target: FlattenTarget; tried: string }>();
  /** Cancels asked for, by order and its id at the venue: one that the order overtook is asked for again. */
  readonly #asked = new Set<string>();

  constructor(
    private readonly state: State,
    private readonly reviewer: Reviewer,
    /** Takes an intent in the name of a strategy. */
    private readonly want: (strategyId: string, intent: PlaceOrder) => void,
    /** Steps of one order at most: a larger position is closed in slices. */
    private readonly most: (instrument: Instrument, strategyId: string) => number,
  ) {}

  /** What is not flat yet, as text that `resume` understands. */
  get targets(): string[] {
    return [...this.#pending.keys()];
  }

  /** @param symbols all unless named. */
  begin({ cause, strategyId }: FlattenOrder, symbols?: readonly string[]): void {
    for (const { symbol } of this.state.instruments) {
      if (symbols === undefined || symbols.includes(symbol)) this.#add({ symbol, cause, strategyId });
    }
  }

  /** Goes on where an earlier run stopped. */
  resume(targets: readonly string[]): void {
    for (const text of targets) this.#add(targetOf(text));
  }

  /** What a latch had closed is closed no further once that is taken back. */
  stop({ rule, strategyId }: Pick<LatchReset, 'rule' | 'strategyId'>): void {
    for (const [key, { target }] of this.#pending) {
      if (target.cause === rule && target.strategyId === strategyId) this.#pending.delete(key);
    }
  }

  /** Why the strategy's position in the symbol is being closed, if it is. */
  concerns(symbol: string, strategyId: string): FlattenCause | undefined {
    for (const { target } of this.#pending.values()) {
      if (target.symbol === symbol && (target.strategyId === undefined || target.strategyId === strategyId)) return target.cause;
    }
    return undefined;
  }

  /** One step towards flat. @returns false when there is nothing to do now. */
  step(): boolean {
    if (this.#pending.size === 0) return false;
    let moved = false;
    for (const [key, { target }] of this.#pending) {
      const instrument = this.state.instruments.find(({ symbol }) => symbol === target.symbol);
      if (instrument === undefined) this.#pending.delete(key);
      else if (this.#open(instrument, target).length > 0) moved = this.#cancel(instrument, target) || moved;
      else moved = this.#close(key, instrument) || moved;
    }
    if (this.#pending.size === 0) this.#asked.clear();
    return moved;
  }

  #add(target: FlattenTarget): void {
    this.#pending.set(textOf(target), { target, tried: '' });
  }

  #open(instrument: Instrument, { strategyId }: FlattenTarget) {
    return [...this.state.openOrders.values()].filter(
      (order) => order.instrument === instrument && (strategyId === undefined || order.strategyId === strategyId),
    );
  }

  #cancel(instrument: Instrument, target: FlattenTarget): boolean {
    let moved = false;
    for (const order of this.#open(instrument, target)) {
      const asking = `${order.clientOrderId}/${order.orderId}`;
      if (order.tag === target.cause || order.cancelRequested || this.#asked.has(asking)) continue;
      this.#asked.add(asking);
      this.reviewer.cancel(order, target.cause === 'kill' ? 'killed' : 'riskLatch');
      moved = true;
    }
    return moved;
  }

  #close(key: string, instrument: Instrument): boolean {
    const pending = this.#pending.get(key)!;
    const { cause, strategyId } = pending.target;
    const books: Iterable<readonly [string, StrategyBook]> = this.state.books;
    const held = [...books]
      .filter(([id]) => strategyId === undefined || id === strategyId)
      .flatMap(([id, book]) => book.sides(instrument).flatMap(({ steps }) => (steps === 0 ? [] : [{ id, steps }])));
    const now = held.map(({ id, steps }) => `${id} ${steps}`).join();
    if (held.length === 0 || now === pending.tried) {
      this.#pending.delete(key);
      return false;
    }
    pending.tried = now;
    for (const { id, steps } of held) {
      const intent = closingIntent(instrument, Math.sign(steps) * Math.min(Math.abs(steps), this.most(instrument, id)), cause);
      // Where strategies share one net position, that of a single one may stand against the account's.
      this.want(id, { ...intent, reduceOnly: strategyId === undefined || this.#shrinks(instrument, steps) });
    }
    return true;
  }

  /** Whether closing so many steps brings the account's net position nearer to zero; on margin each side is for itself. */
  #shrinks(instrument: Instrument, steps: number): boolean {
    if (this.state.sides(instrument).length > 1) return true;
    const account = this.state.heldSteps(instrument);
    return Math.sign(account) === Math.sign(steps) && Math.abs(account) >= Math.abs(steps);
  }
}

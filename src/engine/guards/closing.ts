import type { Instrument } from '../../model/instrument.ts';
import type { PlaceOrder } from '../../model/intents.ts';
import type { LatchRule } from '../../model/latch-events.ts';
import type { Side } from '../../model/order.ts';
import type { Order } from '../../state/order.ts';
import type { State } from '../../state/state.ts';
import type { Reviewer } from '../orders/reviewer.ts';

/** Closes every strategy's position when the recording is over, once no order is left that could move it. */
export class Closing {
  #going = false;

  constructor(
    private readonly state: State,
    private readonly reviewer: Reviewer,
    /** Takes an intent in the name of a strategy. */
    private readonly want: (strategyId: string, intent: PlaceOrder) => void,
  ) {}

  begin(): void {
    this.#going = true;
    this.#cancel([...this.state.openOrders.values()]);
  }

  /** The venue has ended what still worked: nothing more would fill. */
  stop(): void {
    this.#going = false;
  }

  /** One step towards flat. @returns false when there is nothing to do now. */
  step(): boolean {
    if (!this.#going) return false;
    // What waiting orders would sell counts as sold: they go first, also those that `onStop` has just asked for.
    const waiting = [...this.state.openOrders.values()].filter((order) => order.held || (order.untriggered && !order.cancelRequested));
    this.#cancel(waiting);
    if (this.state.openOrders.size > 0) return waiting.length > 0;
    this.#going = false;
    for (const [strategyId, book] of this.state.books) {
      for (const instrument of this.state.instruments) {
        for (const { steps } of book.sides(instrument))
          if (steps !== 0) this.want(strategyId, closingIntent(instrument, steps, 'endOfRun'));
      }
    }
    return true;
  }

  #cancel(orders: readonly Order[]): void {
    for (const order of orders) this.reviewer.cancel(order, 'requested');
  }
}

/** A market order that closes so many steps of a strategy's own. Being reduce-only, it closes the side that it is against, where there are two. */
export function closingIntent({ symbol, step }: Instrument, steps: number, tag: string): PlaceOrder {
  const side = closingSide(steps);
  const quantity = step.toText(Math.abs(steps));
  return { kind: 'place', symbol, side, type: 'market', quantity, reduceOnly: true, tag };
}

/** The side that closes so many steps. */
export function closingSide(steps: number): Side {
  return steps > 0 ? 'sell' : 'buy';
}

/** Why positions are closed: also the tag of the orders that do it. */
export type FlattenCause = LatchRule | 'maxLossPerTrade';

/** One symbol that is to be flat: of one strategy, or of all of them. */
export interface FlattenTarget {
  readonly symbol: string;
  readonly cause: FlattenCause;
  readonly strategyId: string | undefined;
}

/** `BTC-USDT` of a kill of everything, else `BTC-USDT/dailyLoss/sma`, the strategy left out where it is all of them. */
export function textOf({ symbol, cause, strategyId }: FlattenTarget): string {
  if (cause === 'kill' && strategyId === undefined) return symbol;
  return strategyId === undefined ? `${symbol}/${cause}` : `${symbol}/${cause}/${strategyId}`;
}

export function targetOf(text: string): FlattenTarget {
  const [symbol = '', cause = 'kill', strategyId] = text.split('/');
  return { symbol, cause: cause as FlattenCause, strategyId };
}

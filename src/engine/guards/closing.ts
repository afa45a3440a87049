import type { PlaceOrder } from '../../model/intents.ts';
import type { Order } from '../../state/order.ts';
import type { State } from '../../state/state.ts';
import type { Reviewer } from '../orders/reviewer.ts';
import { closingIntent } from './flattening.ts';

/** Closes every strategy's position at the end of the recording, once no order is left that could change it. */
export class Closing {
  #going = false;

  constructor(
    private readonly state: State,
    private readonly reviewer: Reviewer,
    /** Submits an intent in the name of a strategy. */
    private readonly submit: (strategyId: string, intent: PlaceOrder) => void,
  ) {}

  begin(): void {
    this.#going = true;
    this.#cancel([...this.state.openOrders.values()]);
  }

  /** The venue has ended the open orders: nothing would fill any more. */
  stop(): void {
    this.#going = false;
  }

  /** One step towards flat. @returns false when there is nothing to do now. */
  step(): boolean {
    if (!this.#going) return false;
    // Waiting closes count as done: they fill first, also those that `onStop` has just submitted.
    const waiting = [...this.state.openOrders.values()].filter((order) => order.held || (order.untriggered && !order.cancelRequested));
    this.#cancel(waiting);
    if (this.state.openOrders.size > 0) return waiting.length > 0;
    this.#going = false;
    for (const [strategyId, book] of this.state.books) {
      for (const instrument of this.state.instruments) {
        for (const { steps } of book.sides(instrument))
          if (steps !== 0) this.submit(strategyId, closingIntent(instrument, steps, 'endOfRun'));
      }
    }
    return true;
  }

  #cancel(orders: readonly Order[]): void {
    for (const order of orders) this.reviewer.cancel(order, 'requested');
  }
}

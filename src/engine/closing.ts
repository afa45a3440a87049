import type { PlaceOrder } from '../model/intents.ts';
import type { Order } from '../state/order.ts';
import type { State } from '../state/state.ts';
import type { Reviewer } from './reviewer.ts';

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

  /** One step towards flat. @returns false when there is nothing to do now. */
  step(): boolean {
    if (!this.#going) return false;
    // What held orders would sell counts as sold: they go first, also those that `onStop` has just asked for.
    const held = [...this.state.openOrders.values()].filter((order) => order.held);
    this.#cancel(held);
    if (this.state.openOrders.size > 0) return held.length > 0;
    this.#going = false;
    for (const [strategyId, { positions }] of this.state.books) {
      positions.forEach(({ steps }, index) => {
        if (steps !== 0) this.want(strategyId, this.#close(index, steps));
      });
    }
    return true;
  }

  #cancel(orders: readonly Order[]): void {
    for (const order of orders) this.reviewer.cancel(order, 'requested');
  }

  #close(index: number, steps: number): PlaceOrder {
    const { symbol, step } = this.state.instruments[index]!;
    const side = steps > 0 ? 'sell' : 'buy';
    const quantity = step.toText(Math.abs(steps));
    return { kind: 'place', symbol, side, type: 'market', quantity, reduceOnly: true, tag: 'endOfRun' };
  }
}

import { place, Strategy, setTimer, type TimerFired, z } from 'tidegate';

const Order = z.object({
  id: z.string(),
  timeMs: z.number(),
  side: z.enum(['buy', 'sell']),
  quantity: z.string(),
  price: z.string().optional(),
});
const Params = z.object({ orders: z.array(Order) });

/** Sends each order at its time: at market, or at its limit. */
export class BookOrders extends Strategy<typeof Params> {
  static params = Params;
  static needs = { depth: true, trades: true };

  onStart() {
    return this.params.orders.map(({ id, timeMs }) => setTimer({ name: id, at: timeMs }));
  }

  onTimer({ name }: TimerFired) {
    const { side, quantity, price } = this.params.orders.find(({ id }) => id === name)!;
    const symbol = this.symbols[0]!;
    if (price === undefined) return place({ symbol, side, type: 'market', quantity, tag: name });
    return place({ symbol, side, type: 'limit', price, quantity, tag: name });
  }
}

import type { ApprovedOrder } from '../model/order.ts';
import { OrderFunds } from './order-funds.ts';
import type { SimulatedAccount } from './simulated-account.ts';

/** An order inside the simulator. */
export class WorkingOrder extends OrderFunds {
  constructor(
    readonly account: SimulatedAccount,
    request: ApprovedOrder,
    readonly orderId: string,
    /** Arrival number: time priority inside a price level. */
    readonly rank: number,
    /** Epoch ms: nothing happens to the order before it. */
    readonly arrivedTime: number,
  ) {
    super(request);
  }

  get immediate(): boolean {
    return this.request.type === 'market' || this.request.timeInForce !== 'GTC';
  }
}

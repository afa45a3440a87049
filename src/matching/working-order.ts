import { type Decimal, ZERO } from '../model/decimal.ts';
import type { ApprovedOrder } from '../model/order.ts';
import type { SimulatedAccount } from './simulated-account.ts';

/** An order inside the simulator. */
export class WorkingOrder {
  filledSteps = 0;
  /** Quote spent so far, for orders by quote amount. */
  spent: Decimal = ZERO;
  /** What the account has frozen for it, of the asset its side pays with. */
  frozen: Decimal = ZERO;

  constructor(
    readonly account: SimulatedAccount,
    readonly request: ApprovedOrder,
    readonly orderId: string,
    /** Arrival number: time priority inside a price level. */
    readonly rank: number,
  ) {}

  get remainingSteps(): number {
    return (this.request.steps ?? 0) - this.filledSteps;
  }
}

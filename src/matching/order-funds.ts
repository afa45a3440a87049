import { type Decimal, ZERO } from '../model/decimal.ts';
import type { ApprovedOrder } from '../model/order.ts';

/** The money side of an order inside the simulator: what its account looks at. */
export class OrderFunds {
  filledSteps = 0;
  /** Quote spent so far, for orders by quote amount. */
  spent: Decimal = ZERO;
  /** What the account has frozen for it, of the asset its side pays with. */
  frozen: Decimal = ZERO;

  constructor(readonly request: ApprovedOrder) {}

  get remainingSteps(): number {
    return (this.request.steps ?? 0) - this.filledSteps;
  }
}

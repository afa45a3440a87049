import { type Decimal, ZERO } from '../model/decimal.ts';
import type { OrderRequest } from '../model/order.ts';

/** The money side of an order inside the simulator: what its account looks at. */
export class OrderFunds {
  filledSteps = 0;
  /** Quote amount of its fills. */
  filledNotional: Decimal = ZERO;
  /** What the account has frozen for it: of the asset its side pays with, or of the collateral. */
  frozen: Decimal = ZERO;
  /** Futures, while it works to open: its value at the price it was accepted at, and that price. */
  boundValue: Decimal = ZERO;
  boundTicks = Number.NaN;
  /** Futures: profit that its fills have realised. */
  profit: Decimal = ZERO;

  constructor(
    readonly request: OrderRequest,
    readonly orderId: string,
  ) {}

  get remainingSteps(): number {
    return (this.request.steps ?? 0) - this.filledSteps;
  }
}

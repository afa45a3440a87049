import { Decimal, ZERO } from '../../model/decimal.ts';

/**
 * How far a trade went against its holder and for him. A trade begins at zero, so the worst is never above it and the
 * best never below.
 */
export class Excursion {
  worst: Decimal = ZERO;
  best: Decimal = ZERO;

  /** @param result what the trade stood at, fees and funding apart. */
  see(result: Decimal): void {
    this.worst = Decimal.min(this.worst, result);
    this.best = Decimal.max(this.best, result);
  }
}

import { type Decimal, ZERO } from './decimal.ts';
import { invariant } from './errors.ts';
import type { Fill } from './fill.ts';

/**
 * One net position and its arithmetic, at average cost and exact. `steps` is signed: positive is long.
 *
 * Where fees are taken in the base asset (spot buys), less than was bought arrives: whole steps count,
 * and the rest gathers in `dust` until it makes another step.
 */
export class Position {
  steps = 0;
  /** Base units below one step, held but not tradable. */
  dust: Decimal = ZERO;
  /** Quote paid for (long) or received for (short) what is open now. Fees in quote are apart; one in base makes the rest dearer. */
  cost: Decimal = ZERO;
  /** Quote gained by closing, fees in quote apart. */
  realizedProfit: Decimal = ZERO;

  apply(fill: Fill): void {
    const signed = fill.side === 'buy' ? fill.steps : -fill.steps;
    if (this.steps === 0 || Math.sign(this.steps) === Math.sign(signed)) {
      this.cost = this.steps === 0 ? fill.notional : this.cost.plus(fill.notional);
      this.steps += signed;
    } else {
      this.#reduce(fill, signed);
    }
    if (fill.fee.isZero() || fill.feeAsset !== fill.instrument.base) return;
    this.#payFeeInBase(fill);
  }

  #reduce(fill: Fill, signed: number): void {
    const held = Math.abs(this.steps);
    const closed = Math.min(held, fill.steps);
    const whole = closed === held;
    const cost = whole ? this.cost : this.cost.times(closed).div(held);
    const proceeds = closed === fill.steps ? fill.notional : fill.instrument.notional(fill.priceTicks, closed);
    const gain = this.steps > 0 ? proceeds.minus(cost) : cost.minus(proceeds);
    this.realizedProfit = this.realizedProfit.plus(gain);
    this.steps += signed;
    if (whole) this.cost = closed === fill.steps ? ZERO : fill.notional.minus(proceeds);
    else this.cost = this.cost.minus(cost);
  }

  #payFeeInBase(fill: Fill): void {
    invariant(fill.side === 'buy', 'fees in base are taken from what a buy receives');
    const step = fill.instrument.step;
    const left = this.dust.minus(fill.fee);
    const whole = step.floorUnits(left);
    this.steps += whole;
    this.dust = left.minus(step.toDecimal(whole));
  }
}

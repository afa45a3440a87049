import { type Decimal, ZERO } from './decimal.ts';
import { invariant } from './errors.ts';
import type { Fill } from './fill.ts';
import { shareOf } from './margin.ts';

/** What of a fill moves a position. */
export type Execution = Pick<
  Fill,
  'orderId' | 'strategyId' | 'instrument' | 'side' | 'priceTicks' | 'steps' | 'notional' | 'fee' | 'feeAsset'
>;

/** What stands for itself of a position: all of it, or in separated mode what one order opened. */
export interface PositionPart {
  /** The venue's id of the opening order; `undefined` for the whole. */
  readonly orderId: string | undefined;
  /** Never negative. */
  readonly steps: number;
  readonly cost: Decimal;
}

/**
 * One position and its arithmetic, at average cost; what a partial close takes of the cost is rounded to 18 places,
 * and nothing is lost by it. `steps` is signed: positive is long. Where an account holds long and short side by
 * side, each side has a position of its own, and the short one's steps are never positive.
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
  /** Quote gained by funding (negative: paid), of futures. */
  funding: Decimal = ZERO;

  /** The cost of each part that stands for itself: one, or of separated positions one an opening order. */
  get costs(): readonly Decimal[] {
    return [this.cost];
  }

  get parts(): readonly PositionPart[] {
    return [{ orderId: undefined, steps: Math.abs(this.steps), cost: this.cost }];
  }

  apply(fill: Execution): void {
    const signed = fill.side === 'buy' ? fill.steps : -fill.steps;
    if (this.steps === 0 || Math.sign(this.steps) === Math.sign(signed)) this.open(fill, signed);
    else this.close(fill, signed);
    if (fill.fee.isZero() || fill.feeAsset !== fill.instrument.base) return;
    this.#payFeeInBase(fill);
  }

  protected open(fill: Execution, signed: number): void {
    this.cost = this.steps === 0 ? fill.notional : this.cost.plus(fill.notional);
    this.steps += signed;
  }

  protected close(fill: Execution, signed: number): void {
    const held = Math.abs(this.steps);
    const closed = Math.min(held, fill.steps);
    const whole = closed === held;
    const cost = shareOf(this.cost, closed, held);
    const proceeds = closed === fill.steps ? fill.notional : fill.instrument.notional(fill.priceTicks, closed);
    const gain = this.steps > 0 ? proceeds.minus(cost) : cost.minus(proceeds);
    this.realizedProfit = this.realizedProfit.plus(gain);
    this.steps += signed;
    if (whole) this.cost = closed === fill.steps ? ZERO : fill.notional.minus(proceeds);
    else this.cost = this.cost.minus(cost);
  }

  #payFeeInBase(fill: Execution): void {
    invariant(fill.side === 'buy', 'fees in base are taken from what a buy receives');
    const step = fill.instrument.step;
    const left = this.dust.minus(fill.fee);
    const whole = step.floorUnits(left);
    this.steps += whole;
    this.dust = left.minus(step.toDecimal(whole));
  }
}

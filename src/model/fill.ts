import type { Decimal } from './decimal.ts';
import type { Instrument } from './instrument.ts';
import type { PositionSide, Side } from './order.ts';

export type Liquidity = 'maker' | 'taker';

/** Where on its bar's path a fill happened: at the open, on the way to an extreme or to the close, or at the close. */
export type PathLeg = 'open' | 'toHigh' | 'toLow' | 'toClose' | 'close';

/** One execution of an own order (a public one is a `Trade`). */
export class Fill {
  /** The strategy's own name of the order; empty without one. Records of the journal have it in the order alone. */
  ref = '';
  /** The group of the order; empty without one. Like `ref`, in the journal only with the order. */
  group = '';
  /** Only in simulations on bars, for fills inside a bar: the earliest time at which it can have happened, epoch ms. */
  since: number | undefined;
  /** Only in simulations on bars. */
  leg: PathLeg | undefined;

  constructor(
    readonly fillId: string,
    readonly orderId: string,
    readonly clientOrderId: string,
    readonly strategyId: string,
    readonly instrument: Instrument,
    readonly side: Side,
    readonly positionSide: PositionSide,
    readonly priceTicks: number,
    readonly steps: number,
    /** Exact quote amount: price times quantity. */
    readonly notional: Decimal,
    readonly fee: Decimal,
    readonly feeAsset: string,
    readonly liquidity: Liquidity,
    readonly tag: string,
    /** Epoch ms: the bar's open for fills at the open, its close for fills inside it. */
    readonly time: number,
    readonly decidedSequence: number,
    readonly pricedSequence: number,
    readonly pricedTime: number,
  ) {}

  get symbol(): string {
    return this.instrument.symbol;
  }
  get price(): number {
    return this.instrument.tick.toNumber(this.priceTicks);
  }
  get quantity(): number {
    return this.instrument.step.toNumber(this.steps);
  }
  /** The quantity that can be sold: without a fee that was taken in the coin, in whole steps. */
  get received(): number {
    const { step, base } = this.instrument;
    if (this.side === 'sell' || this.feeAsset !== base || this.fee.isZero()) return this.quantity;
    return step.toNumber(step.floorUnits(step.toDecimal(this.steps).minus(this.fee)));
  }
}

import { type Decimal, ZERO } from './decimal.ts';
import { invariant } from './errors.ts';
import type { Fill } from './fill.ts';
import { shareOf } from './margin.ts';

/** The fields of a fill that change a position. */
export type Execution = Pick<
  Fill,
  'orderId' | 'strategyId' | 'instrument' | 'side' | 'priceTicks' | 'steps' | 'notional' | 'fee' | 'feeAsset'
>;

/** An independent part of a position: all of it, or in separated mode the part that one order opened. */
interface PositionPart {
  /** The venue's id of the opening order; `undefined` for the whole. */
  readonly orderId: string | undefined;
  /** Never negative. */
  readonly steps: number;
  readonly cost: Decimal;
}

/**
 * One position and its arithmetic, at average cost. The cost of a partial close is rounded to 18 places,
 * and the total stays exact. `steps` is signed: positive is long. If an account has a long and a short side,
 * each side has a position of its own, and the short one's steps are never positive.
 *
 * If fees are taken in the base asset (spot buys), less arrives than was bought: whole steps count,
 * and the rest accumulates in `dust` until it makes another step.
 */
export class Position {
  steps = 0;
  /** Base units below one step: held, but not tradable. */
  dust: Decimal = ZERO;
  /** Quote paid (long) or received (short) for the open steps. Without fees in quote; a fee in base raises the cost of the rest. */
  cost: Decimal = ZERO;
  /** Price of the fill that opened it from flat, in ticks; 0 before the first. */
  firstTicks = 0;
  /** Profit of closes in quote, without fees in quote. */
  realizedProfit: Decimal = ZERO;
  /** Funding received in quote (negative: paid), of futures. */
  funding: Decimal = ZERO;

  /** The cost of each independent part: one, or for separated positions one for each opening order. */
  get costs(): readonly Decimal[] {
    return [this.cost];
  }

  get parts(): readonly PositionPart[] {
    return [{ orderId: undefined, steps: Math.abs(this.steps), cost: this.cost }];
  }

  apply(fill: Execution): void {
    const signed = fill.side === 'buy' ? fill.steps : -fill.steps;
    if (this.steps === 0 || Math.sign(this.steps + signed) === -Math.sign(this.steps)) this.firstTicks = fill.priceTicks;
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
    const { whole, dust } = paidInBase(this.dust, fill);
    this.steps -= whole;
    this.dust = dust;
  }
}

/** Whole steps that a fee in base takes from the position, and the remaining base units below one step. */
export function paidInBase(dust: Decimal, { fee, instrument }: Pick<Execution, 'fee' | 'instrument'>): { whole: number; dust: Decimal } {
  const { step } = instrument;
  const left = dust.minus(fee);
  const whole = step.floorUnits(left);
  return { whole: -whole, dust: left.minus(step.toDecimal(whole)) };
}

/**
 * One side of a contract in separated mode: each opening order has a part of its own, with its own cost, and a
 * close takes the oldest part first. The figures of the side are the sums over its parts.
 */
export class SeparatedPosition extends Position {
  /** By the id of the opening order, oldest first. */
  readonly #parts = new Map<string, Position>();
  /** The part that the next close takes first. */
  #next: string | undefined;
  /** The strategy whose order opened each part; for the last part of `closeNext` also after it has been closed. */
  readonly #openers = new Map<string, string>();
  #named: string | undefined;

  override get costs(): readonly Decimal[] {
    return [...this.#parts.values()].map(({ cost }) => cost);
  }

  override get parts(): readonly PositionPart[] {
    return [...this.#parts].map(([orderId, { steps, cost }]) => ({ orderId, steps: Math.abs(steps), cost }));
  }

  /** The strategy whose order opened a part that is open, or that was liquidated last. */
  openerOf(orderId: string): string | undefined {
    return this.#openers.get(orderId);
  }

  /** Steps of the part that an order opened, never negative. */
  stepsOf(orderId: string): number {
    return Math.abs(this.#parts.get(orderId)?.steps ?? 0);
  }

  /** A liquidation closes this part, whatever its age; the rest of it keeps its place. */
  closeNext(orderId: string): void {
    this.#next = orderId;
    if (this.#named !== undefined && this.#named !== orderId && !this.#parts.has(this.#named)) this.#openers.delete(this.#named);
    this.#named = orderId;
  }

  protected override open(fill: Execution, signed: number): void {
    const part = this.#parts.get(fill.orderId) ?? new Position();
    this.#parts.set(fill.orderId, part);
    this.#openers.set(fill.orderId, fill.strategyId);
    part.apply({ ...fill, fee: ZERO });
    super.open(fill, signed);
  }

  protected override close(fill: Execution, signed: number): void {
    let left = fill.steps;
    for (const [orderId, part] of this.#inTurn()) {
      if (left === 0) break;
      const steps = Math.min(left, Math.abs(part.steps));
      const { cost, realizedProfit } = part;
      part.apply({ ...fill, steps, notional: fill.instrument.notional(fill.priceTicks, steps), fee: ZERO });
      this.cost = this.cost.minus(cost.minus(part.cost));
      this.realizedProfit = this.realizedProfit.plus(part.realizedProfit.minus(realizedProfit));
      if (part.steps === 0) this.#drop(orderId);
      left -= steps;
    }
    this.steps += signed;
    // A strategy may have closed more than its own if others hold the side: the rest counts against it.
    if (left > 0) this.#turn(fill, left);
  }

  #drop(orderId: string): void {
    this.#parts.delete(orderId);
    if (orderId !== this.#named) this.#openers.delete(orderId);
  }

  #inTurn(): [string, Position][] {
    const next = this.#next;
    this.#next = undefined;
    const parts = [...this.#parts];
    return next === undefined ? parts : parts.sort(([a], [b]) => Number(b === next) - Number(a === next));
  }

  #turn(fill: Execution, steps: number): void {
    const part = new Position();
    part.apply({ ...fill, steps, notional: fill.instrument.notional(fill.priceTicks, steps), fee: ZERO });
    this.#parts.set(fill.orderId, part);
    this.cost = part.cost;
  }
}

/** Steps of one side that one strategy holds, or its share of a liquidation; never negative. */
export interface Holding {
  readonly strategyId: string;
  readonly steps: number;
}

/**
 * Divides a liquidation of these steps of a side: to its opener as far as that still holds the side, and to the others in whole
 * steps, in proportion to what each of them holds.
 *
 * @param opener the strategy whose order opened the liquidated position; known if positions are separated.
 */
export function shareLiquidation(holders: readonly Holding[], steps: number, opener: string | undefined): Holding[] {
  const own = Math.min(steps, holders.find(({ strategyId }) => strategyId === opener)?.steps ?? 0);
  const others = inProportion(
    holders.filter(({ strategyId }) => strategyId !== opener),
    steps - own,
  );
  return holders.flatMap(({ strategyId }) => {
    const share = strategyId === opener ? own : (others.get(strategyId) ?? 0);
    return share === 0 ? [] : [{ strategyId, steps: share }];
  });
}

/** Whole steps by running sums, which never give a strategy more than it holds. */
function inProportion(holders: readonly Holding[], steps: number): Map<string, number> {
  const held = holders.reduce((sum, holder) => sum + BigInt(holder.steps), 0n);
  const closed = BigInt(steps) < held ? BigInt(steps) : held;
  let before = 0n;
  return new Map(
    holders.map((holder) => {
      const from = (closed * before) / held;
      before += BigInt(holder.steps);
      return [holder.strategyId, Number((closed * before) / held - from)];
    }),
  );
}

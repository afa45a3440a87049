import { type Decimal, ZERO } from './decimal.ts';
import { type Execution, Position, type PositionPart } from './position.ts';

/**
 * One side of a contract in separated mode: each opening order has a part of its own, with its own cost, and what
 * closes takes the oldest part first. The figures of the side are the sums over its parts.
 */
export class SeparatedPosition extends Position {
  /** By the id of the opening order, oldest first. */
  readonly #parts = new Map<string, Position>();
  /** The part that the next close takes first. */
  #next: string | undefined;
  /** The strategy whose order opened each part; of the part that `closeNext` named last also when it is gone. */
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

  /** A liquidation closes this part, whatever its age; what is left of it keeps its place. */
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
    // A strategy may have closed more than its own where others hold the side: the rest stands against it.
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

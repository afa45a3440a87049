import { type Decimal, ZERO } from './decimal.ts';
import { type Execution, Position } from './position.ts';

/**
 * One side of a contract in separated mode: each opening order has a part of its own, with its own cost, and what
 * closes takes the oldest part first. The figures of the side are the sums over its parts.
 */
export class SeparatedPosition extends Position {
  /** By the id of the opening order, oldest first. */
  #parts = new Map<string, Position>();

  override get costs(): readonly Decimal[] {
    return [...this.#parts.values()].map(({ cost }) => cost);
  }

  /** Steps of the part that an order opened, never negative. */
  stepsOf(orderId: string): number {
    return Math.abs(this.#parts.get(orderId)?.steps ?? 0);
  }

  /** A liquidation closes this part, whatever its age: it comes first from here. */
  closeNext(orderId: string): void {
    const part = this.#parts.get(orderId);
    if (part === undefined) return;
    this.#parts.delete(orderId);
    this.#parts = new Map([[orderId, part], ...this.#parts]);
  }

  protected override open(fill: Execution, signed: number): void {
    const part = this.#parts.get(fill.orderId) ?? new Position();
    this.#parts.set(fill.orderId, part);
    part.apply({ ...fill, fee: ZERO });
    super.open(fill, signed);
  }

  protected override close(fill: Execution, signed: number): void {
    let left = fill.steps;
    for (const [orderId, part] of this.#parts) {
      if (left === 0) break;
      const steps = Math.min(left, Math.abs(part.steps));
      const { cost, realizedProfit } = part;
      part.apply({ ...fill, steps, notional: fill.instrument.notional(fill.priceTicks, steps), fee: ZERO });
      this.cost = this.cost.minus(cost.minus(part.cost));
      this.realizedProfit = this.realizedProfit.plus(part.realizedProfit.minus(realizedProfit));
      if (part.steps === 0) this.#parts.delete(orderId);
      left -= steps;
    }
    this.steps += signed;
    // A strategy may have closed more than its own where others hold the side: the rest stands against it.
    if (left > 0) this.#turn(fill, left);
  }

  #turn(fill: Execution, steps: number): void {
    const part = new Position();
    part.apply({ ...fill, steps, notional: fill.instrument.notional(fill.priceTicks, steps), fee: ZERO });
    this.#parts.set(fill.orderId, part);
    this.cost = part.cost;
  }
}

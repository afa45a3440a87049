import type { Fill } from '../../model/fill.ts';
import { type OrderRequest, opposite } from '../../model/order.ts';
import type { Position } from '../../model/position.ts';
import type { State } from '../../state/state.ts';
import { type ExitTicks, firstStop } from './exit-ticks.ts';
import type { PlanSnapshot } from './held-snapshot.ts';

/** How many plans are kept before those of ended orders are dropped. */
const PLANS_KEPT = 1000;
/** How many plans of ended orders a restart remembers: late fills come soon, or never. */
const ENDED_REMEMBERED = 50;

/**
 * Exits to be armed as the fills of their entry orders come in. A plan outlives its order for a while: a
 * fill that arrives after the cancel is real, and needs its stop as much as any other.
 */
export class PlannedExits {
  readonly #plans = new Map<string, ExitTicks>();
  /** Whole steps of each strategy's positions after its newest fill. */
  readonly #held = new Map<Position, number>();

  constructor(private readonly state: State) {
    for (const book of state.books.values()) {
      for (const position of state.instruments.flatMap((instrument) => book.sides(instrument))) this.#held.set(position, position.steps);
    }
  }

  /** Those of open orders, and the newest of the others. */
  snapshot(): PlanSnapshot[] {
    const open = ([id]: readonly [string, ExitTicks]) => this.state.openOrders.has(id);
    const plans = [...this.#plans];
    const ended = new Set(plans.filter((plan) => !open(plan)).slice(-ENDED_REMEMBERED));
    return plans.filter((plan) => open(plan) || ended.has(plan)).map(([clientOrderId, exits]) => ({ clientOrderId, ...exits }));
  }

  restore(plans: readonly PlanSnapshot[]): void {
    for (const { clientOrderId, stopTicks, profitTicks, trailTicks } of plans) {
      this.#plans.set(clientOrderId, { stopTicks, profitTicks, trailTicks });
    }
  }

  add({ clientOrderId }: OrderRequest, exits: ExitTicks): void {
    if (this.#plans.size >= PLANS_KEPT) this.#dropEnded();
    this.#plans.set(clientOrderId, exits);
  }

  /** Trigger of the stop that this order arms as it fills at such a price, in ticks. */
  stopOf({ clientOrderId, side, priceTicks }: OrderRequest, marketTicks: number): number | undefined {
    const exits = this.#plans.get(clientOrderId);
    return exits === undefined ? undefined : firstStop(exits, opposite(side), priceTicks ?? marketTicks);
  }

  /** An order goes out again under another id; fills of the first may still come. */
  copy(from: string, to: string): void {
    const exits = this.#plans.get(from);
    if (exits !== undefined) this.#plans.set(to, exits);
  }

  /**
   * Takes in any fill, after the state has. @returns for one of an entry its exits, and the steps to arm:
   * those by which it moved the strategy's position, which is less than it bought where the fee took some.
   */
  onFill({ clientOrderId, strategyId, instrument, positionSide }: Fill): { exits: ExitTicks; steps: number } | undefined {
    const position = this.state.books.get(strategyId)?.position(instrument, positionSide);
    if (position === undefined) return undefined;
    const steps = Math.abs(position.steps - (this.#held.get(position) ?? 0));
    this.#held.set(position, position.steps);
    const exits = this.#plans.get(clientOrderId);
    return exits === undefined || steps === 0 ? undefined : { exits, steps };
  }

  /** Drops the oldest half of what has ended. */
  #dropEnded(): void {
    let left = PLANS_KEPT / 2;
    for (const clientOrderId of this.#plans.keys()) {
      if (left === 0) return;
      if (this.state.openOrders.has(clientOrderId)) continue;
      this.#plans.delete(clientOrderId);
      left--;
    }
  }
}

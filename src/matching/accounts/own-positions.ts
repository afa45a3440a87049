import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import { closes, type OrderRequest, type PositionSide } from '../../model/order.ts';
import { paidInBase, shareLiquidation } from '../../model/position.ts';

/** Signed steps, and base units below one step. */
interface Held {
  steps: number;
  dust: Decimal;
}

/**
 * The position of each strategy of an account, from its fills. A real exchange has only the account's positions. The simulator of a
 * backtest also has those of the strategies: a close that arrives late is limited at its fill to the position of its own strategy, and
 * never closes that of another.
 */
export class OwnPositions {
  /** By the index of the instrument. */
  readonly #held: Partial<Record<PositionSide, Map<string, Held>>>[] = [];
  /** The strategy whose order opened each position of a contract, by the id of the order. */
  readonly #openers = new Map<string, string>();

  /** @param strategies ids, in the order of the config: liquidations are divided in this order. */
  constructor(private readonly strategies: readonly string[]) {}

  /** Steps of its strategy's own position that a closing order may still close; never negative. */
  closable({ strategyId, instrument, side, positionSide }: OrderRequest): number {
    const steps = this.#of(instrument, positionSide).get(strategyId)?.steps ?? 0;
    return Math.max(0, side === 'sell' ? steps : -steps);
  }

  onFill(fill: Fill): void {
    const { strategyId, instrument, side, positionSide, orderId, steps, fee, feeAsset } = fill;
    const all = this.#of(instrument, positionSide);
    const held = all.get(strategyId) ?? { steps: 0, dust: ZERO };
    all.set(strategyId, held);
    held.steps += side === 'buy' ? steps : -steps;
    if (feeAsset === instrument.base && !fee.isZero()) {
      const { whole, dust } = paidInBase(held.dust, fill);
      held.steps -= whole;
      held.dust = dust;
    }
    if (positionSide !== 'net' && !closes(fill)) this.#openers.set(orderId, strategyId);
  }

  /** @param openOrderId for a separated position, the order that opened it. */
  onLiquidation({ instrument, side, positionSide, steps: liquidated }: Fill, openOrderId: string | undefined): void {
    const all = this.#of(instrument, positionSide);
    const holders = this.strategies.flatMap((strategyId) => {
      const steps = Math.abs(all.get(strategyId)?.steps ?? 0);
      return steps === 0 ? [] : [{ strategyId, steps }];
    });
    const opener = openOrderId === undefined ? undefined : this.#openers.get(openOrderId);
    for (const { strategyId, steps } of shareLiquidation(holders, liquidated, opener)) {
      all.get(strategyId)!.steps += side === 'buy' ? steps : -steps;
    }
  }

  #of({ index }: Instrument, side: PositionSide): Map<string, Held> {
    this.#held[index] ??= {};
    this.#held[index][side] ??= new Map();
    return this.#held[index][side];
  }
}

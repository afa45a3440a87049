import { type Decimal, ZERO } from '../model/decimal.ts';
import type { Execution, Position } from '../model/position.ts';

/** Where a trade began. */
interface OpenTrade {
  readonly realizedProfit: Decimal;
  readonly funding: Decimal;
  fees: Decimal;
}

/** The account's own, among the strategies' ids. */
const ACCOUNT = '';

/**
 * Counts losing trades in a row, of each strategy and of the account. A trade is a strategy's position from flat to flat
 * (or to the other side); it loses when its profit, funding and fees in quote together are below zero.
 */
export class TradeResults {
  readonly #open = new Map<Position, OpenTrade>();
  readonly #losses = new Map<string, number>();

  /** @param of a strategy's id; without it, over all of them. */
  lossesInARow(of: string = ACCOUNT): number {
    return this.#losses.get(of) ?? 0;
  }

  /** Counts from zero again. */
  restart(of: string = ACCOUNT): void {
    this.#losses.delete(of);
  }

  /** Called around a fill of a strategy: `apply` moves its position. */
  onFill({ fee, feeAsset, instrument, strategyId }: Execution, position: Position, apply: () => void): void {
    const before = Math.sign(position.steps);
    const open = this.#open.get(position) ?? { realizedProfit: position.realizedProfit, funding: position.funding, fees: ZERO };
    apply();
    const after = Math.sign(position.steps);
    if (feeAsset === instrument.quote) open.fees = open.fees.plus(fee);
    if (after === before || before === 0) {
      if (after !== 0) this.#open.set(position, open);
      return;
    }
    const { realizedProfit, funding } = position;
    const profit = realizedProfit.minus(open.realizedProfit).plus(funding.minus(open.funding)).minus(open.fees);
    for (const scope of [strategyId, ACCOUNT]) this.#losses.set(scope, profit.isNegative() ? this.lossesInARow(scope) + 1 : 0);
    if (after === 0) this.#open.delete(position);
    else this.#open.set(position, { realizedProfit, funding, fees: ZERO });
  }
}

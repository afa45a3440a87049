import type { Decimal } from '../model/decimal.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import type { VenueEvent } from '../model/order-events.ts';
import { AccountLedger } from './account-ledger.ts';
import type { OrderFunds } from './order-funds.ts';
import type { SimulatedAccount } from './simulated-account.ts';

/**
 * One net position a symbol, for research: the quote balance pays and receives every fill and its fee,
 * shorts need no margin, nothing is frozen, and the balance may go below zero.
 */
export class NettingAccount implements SimulatedAccount {
  readonly ledger: AccountLedger;
  readonly #positions = new Map<number, number>();

  constructor(readonly emit: (event: VenueEvent) => void) {
    this.ledger = new AccountLedger(emit);
  }

  reserve(): undefined {
    return undefined;
  }

  affordable(order: OrderFunds, ticks: number, wanted: number): number {
    const { instrument, quoteQuantity } = order.request;
    if (quoteQuantity === undefined) return wanted;
    const left = quoteQuantity.minus(order.spent);
    return Math.min(wanted, instrument.step.floorUnits(left.div(instrument.tick.toDecimal(ticks))));
  }

  fee(instrument: Instrument, _buy: boolean, maker: boolean, _steps: number, notional: Decimal): { fee: Decimal; feeAsset: string } {
    return { fee: notional.times(maker ? instrument.makerFee : instrument.takerFee), feeAsset: instrument.quote };
  }

  settle(_order: OrderFunds, fill: Fill): void {
    const { instrument, fillId, time } = fill;
    const buy = fill.side === 'buy';
    this.#positions.set(instrument.index, this.positionSteps(instrument) + (buy ? fill.steps : -fill.steps));
    this.ledger.post(time, { asset: instrument.quote, amount: buy ? fill.notional.negated() : fill.notional, reason: 'trade', fillId });
    if (!fill.fee.isZero()) this.ledger.post(time, { asset: fill.feeAsset, amount: fill.fee.negated(), reason: 'fee', fillId });
  }

  release(): void {}

  positionSteps(instrument: Instrument): number {
    return this.#positions.get(instrument.index) ?? 0;
  }
}

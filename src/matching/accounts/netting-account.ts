import type { VenueEvent } from '../../model/account-events.ts';
import type { Decimal } from '../../model/decimal.ts';
import { invariant } from '../../model/errors.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Balance, Wallet } from '../../model/ledger.ts';
import type { FeeBase } from '../models/fees.ts';
import { AccountLedger, type Exchange, type OrderFunds } from './ledger.ts';
import type { OwnPositions } from './own-positions.ts';
import type { SimulatedAccount } from './simulated-account.ts';

/**
 * One net position per symbol, for research: the quote balance pays and receives every fill and its fee, shorts need no margin, nothing is
 * frozen, and the balance may be negative.
 */
export class NettingAccount implements SimulatedAccount {
  readonly ledger: AccountLedger;
  readonly futures = undefined;
  readonly #positions = new Map<number, number>();

  owners: OwnPositions | undefined;
  constructor(readonly emit: (event: VenueEvent) => void) {
    this.ledger = new AccountLedger(emit);
  }

  join(exchange: Exchange): void {
    this.ledger.join(exchange.book);
  }

  deposit(time: number, wallet: Wallet, asset: string, amount: Decimal): void {
    invariant(wallet === 'spot', 'a netting account has one wallet');
    this.ledger.post(time, { asset, amount, reason: 'deposit', fillId: '' });
  }

  get balances(): Balance[] {
    return [...this.ledger.balances];
  }

  reserve(): undefined {
    return undefined;
  }

  affordable(order: OrderFunds, ticks: number, wanted: number): number {
    const { instrument, quoteQuantity } = order.request;
    if (quoteQuantity === undefined) return wanted;
    const left = quoteQuantity.minus(order.filledNotional);
    return Math.min(wanted, instrument.step.floorUnits(left.div(instrument.tick.toDecimal(ticks))));
  }

  feeBase(instrument: Instrument, _buy: boolean, _steps: number, notional: Decimal): FeeBase {
    return { amount: notional, feeAsset: instrument.quote };
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

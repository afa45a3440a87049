import type { VenueEvent } from '../../model/account-events.ts';
import { Decimal, ZERO } from '../../model/decimal.ts';
import { invariant } from '../../model/errors.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Balance, Wallet } from '../../model/ledger.ts';
import type { Rejection } from '../../model/reasons.ts';
import type { FeeBase } from '../models/fees.ts';
import { AccountLedger, type Exchange, type OrderFunds } from './ledger.ts';
import type { OwnPositions } from './own-positions.ts';
import type { SimulatedAccount } from './simulated-account.ts';

/**
 * A spot account. Fees are taken from the asset received: base on a buy, quote on a sell.
 *
 * - A limit buy freezes limit x remaining; a buy by quote amount freezes the rest of the amount.
 * - A sell freezes its remaining base.
 * - A market buy by quantity freezes nothing (its price is not known) and buys as much as the balance pays for.
 */
export class SpotAccount implements SimulatedAccount {
  readonly ledger: AccountLedger;
  readonly futures = undefined;

  owners: OwnPositions | undefined;

  /** @param feePlaces decimal places to which fees are rounded, up; -1 rounds none. */
  constructor(
    readonly emit: (event: VenueEvent) => void,
    private readonly feePlaces = -1,
  ) {
    this.ledger = new AccountLedger(emit);
  }

  join(exchange: Exchange): void {
    this.ledger.join(exchange.book);
  }

  deposit(time: number, wallet: Wallet, asset: string, amount: Decimal): void {
    invariant(wallet === 'spot', 'a spot account has one wallet');
    this.ledger.post(time, { asset, amount, reason: 'deposit', fillId: '' });
  }

  get balances(): Balance[] {
    return [...this.ledger.balances];
  }

  reserve(order: OrderFunds, time: number): Rejection | undefined {
    const asset = paidAsset(order);
    const needed = needs(order);
    const available = this.ledger.available(asset);
    if (needed.greaterThan(available)) {
      return { code: 'balanceTooLow', asset, needed: needed.toFixed(), available: available.toFixed() };
    }
    order.frozen = needed;
    this.ledger.freeze(time, asset, needed);
    return undefined;
  }

  affordable(order: OrderFunds, ticks: number, wanted: number): number {
    const { request } = order;
    if (request.side === 'sell' || request.priceTicks !== undefined) return wanted;
    const { instrument } = request;
    const funds =
      request.quoteQuantity === undefined ? this.ledger.available(instrument.quote) : request.quoteQuantity.minus(order.filledNotional);
    return Math.min(wanted, instrument.step.floorUnits(funds.div(instrument.tick.toDecimal(ticks))));
  }

  feeBase(instrument: Instrument, buy: boolean, steps: number, notional: Decimal): FeeBase {
    if (!buy) return { amount: notional, feeAsset: instrument.quote };
    return { amount: instrument.step.toDecimal(steps), feeAsset: instrument.base };
  }

  roundedFee(_instrument: Instrument, fee: Decimal): Decimal {
    return this.feePlaces < 0 ? fee : fee.toDecimalPlaces(this.feePlaces, Decimal.ROUND_UP);
  }

  settle(order: OrderFunds, fill: Fill): void {
    const { instrument, fillId, time } = fill;
    const quantity = instrument.step.toDecimal(fill.steps);
    const buy = fill.side === 'buy';
    const left = needs(order);
    this.ledger.freeze(time, paidAsset(order), left.minus(order.frozen));
    order.frozen = left;
    this.ledger.post(time, { asset: instrument.quote, amount: buy ? fill.notional.negated() : fill.notional, reason: 'trade', fillId });
    this.ledger.post(time, { asset: instrument.base, amount: buy ? quantity : quantity.negated(), reason: 'trade', fillId });
    if (!fill.fee.isZero()) this.ledger.post(time, { asset: fill.feeAsset, amount: fill.fee.negated(), reason: 'fee', fillId });
  }

  release(order: OrderFunds, time: number): void {
    this.ledger.freeze(time, paidAsset(order), order.frozen.negated());
    order.frozen = ZERO;
  }

  positionSteps(instrument: Instrument): number {
    return instrument.step.floorUnits(this.ledger.balance(instrument.base).total);
  }
}

function paidAsset({ request }: OrderFunds): string {
  return request.side === 'buy' ? request.instrument.quote : request.instrument.base;
}

/** The funds that the rest of the order may still need. */
function needs(order: OrderFunds): Decimal {
  const { request } = order;
  if (request.side === 'sell') return request.instrument.step.toDecimal(order.remainingSteps);
  if (request.quoteQuantity !== undefined) return request.quoteQuantity.minus(order.filledNotional);
  if (request.priceTicks === undefined) return ZERO;
  return request.instrument.notional(request.priceTicks, order.remainingSteps);
}

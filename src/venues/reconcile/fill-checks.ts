import { Decimal, ZERO } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderRequest } from '../../model/order.ts';
import type { SeenFill } from './records.ts';

/** A total is rounded by less than this part of it, whatever its decimals. */
const MOST_ROUNDING = new Decimal('0.01');
/** The largest fee and the largest rebate, as parts of what they are taken from: exchanges take and pay far less. */
const MOST_FEE = new Decimal('0.05');
const MOST_REBATE = new Decimal('0.01');

/** The part of an order that is not filled yet; `undefined` where it has no such bound. */
export interface Unfilled {
  readonly steps: number | undefined;
  /** In quote: of an order by amount. */
  readonly amount: Decimal | undefined;
}

/** The facts that a fill and a second record of it have in common, whatever their ids. */
export function contentKey({ time, steps }: { readonly time: number; readonly steps: number }): string {
  return `${time} ${steps}`;
}

/** Whether a record is like a fill that has counted but for its id. A simulator's own fills are what they are. */
export function isTwin({ known, time, quantity }: SeenFill, { step }: Instrument, counted: readonly string[]): boolean {
  return known === undefined && counted.includes(contentKey({ time, steps: step.floorUnits(quantity) }));
}

/** Why a record cannot be a fill of this order, for people; `undefined` if it may be one. */
export function unlikeOrder(seen: SeenFill, request: OrderRequest, left: Unfilled): string | undefined {
  const { side, positionSide, quantity, price, notional, known } = seen;
  if (known !== undefined) return undefined;
  const { instrument, priceTicks } = request;
  const { step, tick, base, quote } = instrument;
  if (side === undefined) return NO_FILL;
  if (side !== request.side) return `it is a ${side}, and the order a ${request.side}`;
  if (positionSide !== undefined && request.positionSide !== 'net' && positionSide !== request.positionSide)
    return `it is of the ${positionSide} side, and the order of the ${request.positionSide} side`;
  if (left.steps !== undefined && step.floorUnits(quantity) > left.steps)
    return `it is of ${quantity.toFixed()} ${base}, and ${step.toText(left.steps)} of the order are left`;
  const wrong = wrongFigures(seen, instrument);
  if (wrong !== undefined) return wrong;
  const slack = rounding(seen, instrument);
  if (left.amount !== undefined && notional.minus(left.amount).greaterThan(slack))
    return `it is of ${notional.toFixed()} ${quote}, and ${left.amount.toFixed()} of the order are left`;
  if (priceTicks === undefined) return undefined;
  const limit = tick.toDecimal(priceTicks);
  const beyond = side === 'buy' ? price.minus(limit) : limit.minus(price);
  if (beyond.times(quantity).greaterThan(slack)) return `its price is ${price.toFixed()}, and the limit of the order ${limit.toFixed()}`;
  return undefined;
}

/** Why no fill of any order has the figures of this record, for people; `undefined` if one may. @param checksFee false where a close by the exchange may cost anything. */
export function wrongFigures(seen: SeenFill, instrument: Instrument, checksFee = true): string | undefined {
  const { side, price, quantity, notional, fee } = seen;
  const { contract, base, quote, makerFee, takerFee } = instrument;
  if (side === undefined || !quantity.greaterThan(0)) return NO_FILL;
  if (!price.greaterThan(0) || !notional.greaterThan(0)) return `its price is ${price.toFixed()}, and its total ${notional.toFixed()}`;
  if (price.times(quantity).minus(notional).abs().greaterThan(rounding(seen, instrument)))
    return `its total is ${notional.toFixed()}, and ${quantity.toFixed()} at ${price.toFixed()} are ${price.times(quantity).toFixed()}`;
  if (!checksFee) return undefined;
  const isBase = contract === undefined && side === 'buy';
  const received = isBase ? quantity : notional;
  const sign = fee.isNegative() ? -1 : 1;
  const bound = Decimal.max(sign < 0 ? MOST_REBATE : MOST_FEE, makerFee.times(2 * sign), takerFee.times(2 * sign)).times(received);
  // A small fee is rounded up to one unit, which may be all that was received.
  if (fee.abs().minus(unitOf(fee)).lessThanOrEqualTo(bound) && fee.abs().lessThanOrEqualTo(received)) return undefined;
  return `its fee is ${fee.toFixed()} ${isBase ? base : quote}, of ${received.toFixed()}`;
}

const NO_FILL = 'it has no side or no quantity';

/** How far a total may be from price times quantity: by one tick of the price, or by one unit of its own last decimal. */
function rounding({ quantity, notional }: SeenFill, { tick }: Instrument): Decimal {
  return Decimal.max(tick.toDecimal(1).times(quantity), Decimal.min(unitOf(notional), notional.times(MOST_ROUNDING)));
}

/** One unit of its last decimal. */
function unitOf(value: Decimal): Decimal {
  return new Decimal(10).pow(-value.decimalPlaces());
}

/** The part that is left once this has filled, too. */
export function lessBy({ steps, amount }: Unfilled, seen: SeenFill, { step }: Instrument): Unfilled {
  return {
    steps: steps === undefined ? undefined : steps - step.floorUnits(seen.quantity),
    amount: amount === undefined ? undefined : Decimal.max(ZERO, amount.minus(seen.notional)),
  };
}

import { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Side } from '../../model/order.ts';
import type { Rejection } from '../../model/reasons.ts';
import { Refusal } from '../refusal.ts';
import type { ListedGrid, ListingRules } from './listings.ts';

/** An order's numbers, in exact units. Exactly one of `steps` and `quote` is given. */
export interface OrderNumbers {
  readonly side: Side;
  readonly steps: number | undefined;
  /** Amount of quote to spend (market buys). */
  readonly quote: Decimal | undefined;
  /** Absent on market orders. */
  readonly priceTicks: number | undefined;
}

/** The requirements of an exchange for an order. */
interface Listed {
  readonly rules: ListingRules;
  readonly grid: ListedGrid;
}

/**
 * The whole units of decimal text, on the instrument's own grid.
 * @throws Refusal 40015 INVALID_ARGUMENT for a value between two points of the listed grid.
 */
export function unitsOf(instrument: Instrument, listed: Pick<ListedGrid, 'tick' | 'step'>, what: 'price' | 'size', text: string): number {
  const [own, grid] = what === 'price' ? [instrument.tick, listed.tick] : [instrument.step, listed.step];
  const listedUnits = grid.floorUnits(new Decimal(text));
  const units = own.floorUnits(new Decimal(text));
  if (!Number.isSafeInteger(units) || !grid.toDecimal(listedUnits).equals(text)) {
    throw new Refusal('40015', `INVALID_ARGUMENT: ${what} ${text} is not a multiple of ${grid.text}`);
  }
  return units;
}

/**
 * Checks the limits that symbol information gives: quantity and amount limits of all orders, price ratios of limit orders, sizes of
 * market orders. @throws Refusal 43005 to 43009.
 */
export function checkLimits(instrument: Instrument, { rules, grid }: Listed, order: OrderNumbers, lastTicks: number): void {
  const { side, steps, quote, priceTicks } = order;
  if (steps !== undefined) {
    const quantity = instrument.step.toDecimal(steps);
    checkQuantity(grid, quantity);
    if (priceTicks === undefined) checkSize(quantity, side === 'buy' ? rules.marketBuyLimitSize : rules.marketSellLimitSize);
  } else if (quote !== undefined) {
    checkSize(quote, rules.marketBuyLimitSize);
    if (!Number.isNaN(lastTicks)) checkQuantity(grid, quote.div(instrument.tick.toDecimal(lastTicks)));
  }
  checkAmount(instrument, quote ?? notional(instrument, steps ?? 0, priceTicks ?? lastTicks));
  if (priceTicks !== undefined) checkRatio(instrument, rules, side, priceTicks, lastTicks);
}

/** Checks the limits of orders that open a contract's position. @param held steps of its side. @throws Refusal 43005. */
export function checkOpening(instrument: Instrument, rules: ListingRules, { steps = 0, priceTicks }: OrderNumbers, held: number): void {
  const { marketOpenLimitSize, maxPositionSize } = rules;
  const { step } = instrument;
  if (priceTicks === undefined) checkSize(step.toDecimal(steps), marketOpenLimitSize);
  if (maxPositionSize !== undefined && step.toDecimal(held + steps).greaterThan(maxPositionSize))
    throw new Refusal('43005', `position over ${maxPositionSize}`);
}

/** For a buy by quote, the quantity that the amount buys at the last price: the same limits apply, and at least one step. */
function checkQuantity({ minQuantity, maxQuantity }: ListedGrid, quantity: Decimal): void {
  if (quantity.lessThan(minQuantity)) throw new Refusal('43006', `quantity under ${minQuantity}`);
  if (maxQuantity !== undefined && quantity.greaterThan(maxQuantity)) throw new Refusal('43005', `quantity over ${maxQuantity}`);
}

function notional(instrument: Instrument, steps: number, ticks: number): Decimal | undefined {
  return Number.isNaN(ticks) ? undefined : instrument.notional(ticks, steps);
}

function checkAmount({ spec: { minNotional, maxNotional } }: Instrument, amount: Decimal | undefined): void {
  if (minNotional !== undefined && amount?.lessThan(minNotional)) throw new Refusal('43006', `amount under ${minNotional}`);
  if (maxNotional !== undefined && amount?.greaterThan(maxNotional)) throw new Refusal('43007', `amount over ${maxNotional}`);
}

function checkSize(size: Decimal, limit: string | undefined): void {
  if (limit !== undefined && size.greaterThan(limit)) throw new Refusal('43005', `market order over ${limit}`);
}

function checkRatio(instrument: Instrument, rules: ListingRules, side: Side, ticks: number, lastTicks: number): void {
  const ratio = side === 'buy' ? rules.buyLimitPriceRatio : rules.sellLimitPriceRatio;
  if (ratio === undefined || Number.isNaN(lastTicks)) return;
  const bound = boundPrice(instrument, side, lastTicks, ratio);
  const price = instrument.tick.toDecimal(ticks);
  if (side === 'buy' ? price.greaterThan(bound) : price.lessThan(bound)) throw new Refusal('43009', `price beyond ${bound.toFixed()}`);
}

/** The last tick at which a market order may fill: at most `ratio` away from the last price. */
export function worstTicks(instrument: Instrument, side: Side, lastTicks: number, ratio: string): number {
  const units = boundPrice(instrument, side, lastTicks, ratio).div(instrument.tick.text);
  return (side === 'buy' ? units.floor() : units.ceil()).toNumber();
}

/** The price that is `ratio` of the last price away, in the unfavourable direction. */
function boundPrice(instrument: Instrument, side: Side, lastTicks: number, ratio: string): Decimal {
  const share = side === 'buy' ? new Decimal(1).plus(ratio) : new Decimal(1).minus(ratio);
  return instrument.tick.toDecimal(lastTicks).times(share);
}

/** The documented refusal for a rejection of the simulator. */
export function refusalOf(reason: Rejection): Refusal {
  switch (reason.code) {
    case 'balanceTooLow':
    case 'marginTooLow':
      return new Refusal(
        '40015',
        `FAILED_PRECONDITION: ${reason.asset} not enough: ${reason.needed} needed, ${reason.available} available`,
      );
    case 'nothingToClose':
      return new Refusal('40015', `FAILED_PRECONDITION: nothing to close: the ${reason.positionSide} position is ${reason.position}`);
    case 'quantityTooSmall':
      return new Refusal('40015', `INVALID_ARGUMENT: size ${reason.quantity} is under the step ${reason.stepSize}`);
    case 'leverageAboveTier':
      return new Refusal('50007', `leverage ${reason.leverage} is over ${reason.maximum}, the limit for a value of ${reason.notional}`);
    case 'noMarketPrice':
      return new Refusal('43002', `placing failed: no price of ${reason.symbol} yet`);
    case 'postOnlyWouldTake':
      return new Refusal('43002', `placing failed: post-only at ${reason.price} would take at ${reason.market}`);
    case 'duplicateClientOrderId':
      return new Refusal('43002', 'placing failed: duplicate client order id');
    case 'venueRefused':
    case 'venueLimited':
    case 'gridChanged':
    case 'tradingSuspended':
    case 'coinsReserved':
    case 'coinsLacked':
    case 'requestInvalid':
    case 'neverSent':
    case 'waitedTooLong':
    case 'neverArrived':
    case 'overloaded':
    case 'stopOnWrongSide':
      // Rejections for failed requests do not come from the simulator.
      return new Refusal('43002', `placing failed: ${reason.code}`);
  }
}

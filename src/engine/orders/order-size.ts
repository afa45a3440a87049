import { Decimal, isDecimalText } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import { type Amount, type OrderSize, type PlaceOrder, quantityText } from '../../model/intents.ts';
import type { Side, Sizing, SizingStop } from '../../model/order.ts';
import { type Denial, withDetails } from '../../model/reasons.ts';
import { sizingStopTicks, stepsAt } from '../../model/sizing.ts';
import type { VenueCapabilities } from '../../ports/execution-venue.ts';
import type { State } from '../../state/state.ts';
import type { ExitTicks } from '../held/held-order.ts';

/** The size of an order: in steps, or as an amount of quote. */
export interface Sized {
  readonly steps?: number | undefined;
  readonly quoteQuantity?: Decimal | undefined;
  /** Absent if the size does not depend on the price that fills the order. */
  readonly sizing?: Sizing | undefined;
}

/** The facts from which the engine computes a size. */
interface Terms {
  readonly instrument: Instrument;
  /** The order's own price in ticks; `undefined` for market orders. */
  readonly ownTicks: number | undefined;
  readonly exits: ExitTicks | undefined;
  readonly onMargin: boolean;
  /** It only closes: it is sized when it is sent, and trimmed to the position. */
  readonly closing: boolean;
}

/** Decimal places of an amount that an exchange takes. */
const AMOUNT_PLACES = 8;
/** A stop near the open makes an order large: it gets at most this many times the size that risk approved. */
const MOST_TIMES = 2;

/**
 * The size of an order that its strategy gives as money: a share of equity, a value, or a loss at the stop.
 *
 * - The amount is computed when the order is reviewed. The account's equity counts, converted at the last price.
 * - The price is the order's own, or for a market order the last price. Where a market order waits for the open of a bar, that open
 *   sizes it again.
 * - A market buy for an amount is sent as an amount, where the venue takes one.
 * - A share of equity includes the taker's fee where the fee is paid in quote. On spot it is taken from the coins.
 */
export function orderSize(
  intent: PlaceOrder,
  size: OrderSize,
  terms: Terms,
  state: State,
  capabilities: VenueCapabilities,
): Sized | Denial {
  const { instrument, onMargin, closing, ownTicks } = terms;
  const { side, symbol, type } = intent;
  const wrong = wrongSize(size);
  if (wrong !== undefined) return { code: 'orderInvalid', rule: wrong };
  const stop = size.risk === undefined ? undefined : stopOf(terms.exits);
  if (size.risk !== undefined && stop === undefined) {
    return { code: 'orderInvalid', rule: 'a quantity by risk needs exits with a stopLoss, or a trail that begins at once' };
  }
  const ticks = ownTicks ?? state.market(instrument).lastTicks;
  const rate = state.portfolio.rateOf(instrument.quote);
  if (Number.isNaN(ticks) || rate === undefined || rate.isZero()) {
    return { code: 'noMarketPrice', symbol: rate === undefined ? instrument.quote : symbol };
  }
  const amount = amountOf(size, instrument, state, rate, onMargin);
  const sizing: Sizing = { amount, stop };
  const steps = stepsAt(sizing, instrument, side, ticks);
  if (steps < 1) return tooSmall(size, sizing, instrument, side, ticks, state);
  const byAmount = type === 'market' && side === 'buy' && stop === undefined && !onMargin && !closing;
  if (byAmount && capabilities.marketBuyByQuote !== false) return { quoteQuantity: amount };
  const waits = type === 'market' && !closing && capabilities.sizesAtFill === true;
  return waits ? { steps, sizing: stop?.priceTicks === undefined ? sizing : { ...sizing, most: steps * MOST_TIMES } } : { steps };
}

/** The amount of quote to trade, or to lose at the stop. */
export function amountOf(size: OrderSize, instrument: Instrument, state: State, rate: Decimal, onMargin: boolean): Decimal {
  if (size.notional !== undefined) return new Decimal(size.notional);
  const equity = state.portfolio.exactEquity().div(rate);
  if (size.risk !== undefined) return equity.times(size.risk);
  const share = equity.times(size.percentOfEquity).div(100);
  const paysQuote = onMargin || state.account.kind === 'netting';
  const value = paysQuote ? share.div(new Decimal(1).plus(Decimal.max(0, instrument.takerFee))) : share;
  return value.toDecimalPlaces(Math.min(AMOUNT_PLACES, instrument.tick.decimals + instrument.step.decimals), Decimal.ROUND_DOWN);
}

/** The stop that is armed at the fill, by its distance or its price. */
function stopOf(exits: ExitTicks | undefined): SizingStop | undefined {
  const { stopTicks, stopOffset, trailTicks, trailMillionths, activateTicks, activateOffset } = exits ?? {};
  if (stopTicks !== undefined) return { priceTicks: stopTicks };
  if (stopOffset !== undefined) return stopOffset;
  if (activateTicks !== undefined || activateOffset !== undefined) return undefined;
  if (trailTicks !== undefined) return { ticks: trailTicks };
  return trailMillionths === undefined ? undefined : { millionths: trailMillionths };
}

/** The rule that a size breaks, as text. */
function wrongSize(size: OrderSize): string | undefined {
  const [name, value] = Object.entries(size).find(([, one]) => one !== undefined) as [string, Amount];
  const valid = (typeof value === 'number' ? Number.isFinite(value) : isDecimalText(value)) && Number(value) > 0;
  if (valid && (name !== 'risk' || Number(value) < 1)) return undefined;
  return `quantity.${name} is a number above 0${name === 'risk' ? ' and below 1' : ''}, not ${String(value)}`;
}

/** Less than one step, or a stop that would not lose. */
function tooSmall(size: OrderSize, { amount, stop }: Sizing, instrument: Instrument, side: Side, ticks: number, state: State): Denial {
  const { tick, step, spec } = instrument;
  const price = tick.toText(ticks);
  const stopTicks = stop === undefined ? undefined : sizingStopTicks(stop, side, ticks);
  if (stopTicks !== undefined && (side === 'buy' ? stopTicks >= ticks : stopTicks <= ticks)) {
    return { code: 'stopOnWrongSide', side: side === 'buy' ? 'long' : 'short', stop: tick.toText(stopTicks), price };
  }
  const each = tick.toDecimal(stopTicks === undefined ? ticks : Math.abs(ticks - stopTicks));
  const quantity = amount.div(each).toSignificantDigits(8).toFixed();
  const equity = state.portfolio.exactEquity().toSignificantDigits(12).toFixed();
  const denial: Denial = { code: 'quantityBelowMinimum', quantity, minimum: spec.minQuantity ?? step.text };
  return withDetails(denial, { given: quantityText(size), equity, price });
}

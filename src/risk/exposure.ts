import { type Decimal, ZERO } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import type { OrderRequest } from '../model/order.ts';
import type { Denial } from '../model/reasons.ts';
import type { ReadonlyMarket } from '../state/state.ts';
import { grossWorstSteps, judgedSteps } from './measures.ts';
import type { RiskContext } from './rule.ts';

/**
 * Gross value of positions, open orders and the order under review, in the account's currency, over the instruments
 * that count: the largest that fills in any order could lead to, at the newest mark (at the order's limit or trigger
 * where that is higher). Long and short side by side add up. Of a strategy, its own positions and orders alone. A denial where something has no price in the currency.
 */
export function grossExposure(order: OrderRequest, context: RiskContext, counts: (instrument: Instrument) => boolean): Decimal | Denial {
  const { state, marketTicks, of } = context;
  let exposure = ZERO;
  for (const market of state.markets) {
    const { instrument } = market;
    if (!counts(instrument)) continue;
    const own = instrument === order.instrument;
    const steps = grossWorstSteps(state, instrument, own ? { order, steps: judgedSteps(order, marketTicks) } : undefined, of);
    if (steps === 0) continue;
    const value = worthOf(market, steps, own ? marketTicks : 0, own ? (order.priceTicks ?? 0) : 0);
    if (instrument.quote === state.portfolio.currency) {
      exposure = exposure === ZERO ? value : exposure.plus(value);
      continue;
    }
    const rate = state.portfolio.rateOf(instrument.quote);
    if (rate === undefined) return { code: 'noMarketPrice', symbol: instrument.quote };
    exposure = exposure.plus(value.times(rate));
  }
  return exposure;
}

/**
 * The same as a double, good to far less than a millionth; `NaN` where something has no price, or another currency than the account's:
 * then only the exact way can tell.
 */
export function roughExposure(order: OrderRequest, context: RiskContext): number {
  const { state, marketTicks, of } = context;
  let exposure = 0;
  for (const market of state.markets) {
    const { instrument } = market;
    const own = instrument === order.instrument;
    const steps = grossWorstSteps(state, instrument, own ? { order, steps: judgedSteps(order, marketTicks) } : undefined, of);
    if (steps === 0) continue;
    if (instrument.quote !== state.portfolio.currency) return Number.NaN;
    const ticks = own ? highestTicks(market, marketTicks, order.priceTicks ?? 0) : market.markTicks;
    exposure += instrument.tick.toNumber(ticks) * instrument.step.toNumber(steps);
  }
  return exposure;
}

/** At the highest of the mark and these, of which some may be unknown. */
function worthOf(market: ReadonlyMarket, steps: number, marketTicks: number, priceTicks: number): Decimal {
  const { instrument, markTicks } = market;
  const highest = highestTicks(market, marketTicks, priceTicks);
  if (highest !== markTicks || !market.marked) return instrument.notional(highest, steps);
  return instrument.step.toDecimal(steps).times(market.exactMark()!);
}

function highestTicks({ markTicks }: ReadonlyMarket, marketTicks: number, priceTicks: number): number {
  let highest = markTicks > 0 ? markTicks : 0;
  if (marketTicks > highest) highest = marketTicks;
  if (priceTicks > highest) highest = priceTicks;
  return highest;
}

import { Decimal } from '../model/decimal.ts';
import type { Instrument, ListedGrid } from '../model/instrument.ts';
import type { OrderRequest } from '../model/order.ts';
import { judgedSteps } from '../state/order-needs.ts';
import type { ReadonlyState } from '../state/state.ts';
import { reduces, worstSteps } from './measures.ts';
import type { RiskRule } from './rule.ts';
import { beyondCollar } from './rules/price-collar.ts';

/** The grid of the exchange, if it is not the config's. */
export function listedGrid(instrument: Instrument, { health }: Pick<ReadonlyState, 'health'>): ListedGrid | undefined {
  return health.size === 0 ? undefined : health.get(`instrument/${instrument.symbol}`)?.grid;
}

/** The largest quantity of at most this many steps that the exchange takes; 0 if it takes none. */
export function listedSteps(steps: number, grid: ListedGrid | undefined): number {
  if (grid === undefined) return steps;
  const floored = steps - (steps % grid.steps);
  return floored < grid.leastSteps ? 0 : floored;
}

/**
 * The order as the exchange takes it: its quantity rounded down, its limit price so that it never gets worse, and its trigger away from the
 * price that it waits for. A quantity of which nothing is left is kept: risk denies it.
 * @param rising whether the trigger waits for a rise; absent for a trigger at the present price.
 */
export function onListedGrid(request: OrderRequest, state: Pick<ReadonlyState, 'health'>, rising?: boolean): OrderRequest {
  const grid = listedGrid(request.instrument, state);
  if (grid === undefined) return request;
  const { steps, priceTicks, triggerTicks, side } = request;
  const rounded = (ticks: number, up: boolean) => Math.max(1, (up ? Math.ceil : Math.floor)(ticks / grid.ticks)) * grid.ticks;
  return {
    ...request,
    ...(steps !== undefined && { steps: listedSteps(steps, grid) || steps }),
    ...(priceTicks !== undefined && { priceTicks: rounded(priceTicks, side === 'sell') }),
    ...(triggerTicks !== undefined && { triggerTicks: rounded(triggerTicks, rising ?? triggerTicks % grid.ticks >= grid.ticks / 2) }),
  };
}

/** Denies a quantity of which the exchange's step or minimum leaves nothing. */
export const onListedStep: RiskRule = ({ instrument, steps }, { state }) => {
  const grid = listedGrid(instrument, state);
  if (grid === undefined || steps === undefined || listedSteps(steps, grid) > 0) return undefined;
  const { step } = instrument;
  return { code: 'quantityBelowMinimum', quantity: step.toText(steps), minimum: step.toText(grid.leastSteps) };
};

/**
 * The exchange's limits on one order and on a position, which it would refuse beyond them. As with the config's limits, a held close may be
 * larger, because it is sent in several orders.
 */
export const onListedLimits: RiskRule = (order, context) => {
  const { state, marketTicks, purpose, rules } = context;
  const { instrument, steps, type, reduceOnly, side } = order;
  const listed = state.listedLimits.size === 0 ? undefined : state.listedLimits.get(instrument.symbol);
  if (listed === undefined) return undefined;
  const { most: largest, mostAtMarket, mostHeld, buyCollar, sellCollar } = listed;
  const isReducing = reduces(order, context);
  const { step } = instrument;
  for (const most of [largest, type === 'market' && !isReducing ? mostAtMarket : undefined]) {
    if (most === undefined || steps === undefined || step.toDecimal(steps).lte(most) || (purpose === 'hold' && reduceOnly && rules !== 0))
      continue;
    return { code: 'quantityAboveMaximum', quantity: step.toText(steps), maximum: most };
  }
  if (mostHeld !== undefined && !isReducing) {
    const worst = step.toDecimal(worstSteps(state, instrument, { order, steps: judgedSteps(order, marketTicks) }, undefined));
    if (worst.gt(mostHeld)) return { code: 'positionAboveLimit', position: worst.toFixed(), limit: mostHeld };
  }
  const collar = side === 'buy' ? buyCollar : sellCollar;
  return collar === undefined ? undefined : beyondCollar(order, marketTicks, new Decimal(collar));
};

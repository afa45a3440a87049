import type { State } from '../../../state/state.ts';

/** An open order in the status. */
export interface OpenOrderShown {
  /** Epoch ms at which it was submitted. */
  readonly time: number;
  readonly clientOrderId: string;
  readonly strategy: string;
  readonly symbol: string;
  readonly side: string;
  readonly type: string;
  /** `held`: the engine has it, not the exchange. */
  readonly state: string;
  /** In base; absent for an order by amount. */
  readonly quantity?: string;
  readonly filled?: string;
  readonly price?: string;
  readonly stopPrice?: string;
  readonly tag?: string;
}

/** Every open order of a bot, the oldest first. */
export function openOrdersOf({ openOrders }: State): OpenOrderShown[] {
  return [...openOrders.values()].map(
    ({ clientOrderId, strategyId, instrument, side, type, status, held, request, filledSteps, stopTicks, submittedTime, tag }) => ({
      time: submittedTime,
      clientOrderId,
      strategy: strategyId,
      symbol: instrument.symbol,
      side,
      type,
      state: held ? 'held' : status,
      ...(request.steps !== undefined && { quantity: instrument.step.toText(request.steps) }),
      ...(filledSteps > 0 && { filled: instrument.step.toText(filledSteps) }),
      ...(request.priceTicks !== undefined && { price: instrument.tick.toText(request.priceTicks) }),
      ...(stopTicks !== undefined && { stopPrice: instrument.tick.toText(stopTicks) }),
      ...(tag !== '' && { tag }),
    }),
  );
}

/** The most open orders that the text lists; `--json` has all. */
const MOST_ORDERS = 20;

/** The first open orders as text, and the number of the others. */
export function openTexts(orders: readonly OpenOrderShown[]): string[] {
  const texts = orders
    .slice(0, MOST_ORDERS)
    .map(({ side, quantity = '', filled, symbol, type, price, stopPrice, state, strategy, clientOrderId }) => {
      const at = [...(price === undefined ? [] : [`at ${price}`]), ...(stopPrice === undefined ? [] : [`stop ${stopPrice}`])].join(', ');
      const done = filled === undefined ? '' : `, ${filled} filled`;
      return `${[side, quantity, symbol, type, at].filter((part) => part !== '').join(' ')}${done}, ${state} (${strategy}, ${clientOrderId})`;
    });
  return orders.length > MOST_ORDERS ? [...texts, `... and ${orders.length - MOST_ORDERS} more`] : texts;
}

import { Decimal, isDecimalText } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { ClosePosition, OrderSize, PlaceOrder, SellAll, TargetPosition } from '../../model/intents.ts';
import type { Denial } from '../../model/reasons.ts';
import { type Author, instrumentKnown } from '../../risk/rules/instrument-known.ts';
import { onTick } from '../../risk/rules/tick-and-step.ts';
import { isExitTrigger } from '../../state/order-needs.ts';
import type { State } from '../../state/state.ts';
import { amountOf } from './order-size.ts';

/** An intent about a position, which becomes orders when it is reviewed. */
export type PositionIntent = ClosePosition | SellAll | TargetPosition;

/**
 * The orders that an intent about a position means at this moment; none if there is nothing to do.
 *
 * - A close is reduce-only, so that it never sells more than is there: other orders may close meanwhile.
 * - A target counts the open orders of the strategy that may still change the position, but no stops and exits. On a contract, an order
 *   that crosses zero is two: the first closes one side, the second opens the other.
 */
export function positionOrders(intent: PositionIntent, author: Author, state: State): PlaceOrder[] | Denial {
  const instrument = state.instruments.find(({ symbol }) => symbol === intent.symbol);
  const unknown = instrumentKnown(intent.symbol, instrument, author);
  if (unknown !== undefined || instrument === undefined) return unknown!;
  switch (intent.kind) {
    case 'closePosition':
      return closes(intent, instrument, author, state);
    case 'sellAll':
      return closes({ ...intent, kind: 'closePosition', positionSide: 'long' }, instrument, author, state);
    case 'target':
      return differences(intent, instrument, author, state);
  }
}

/** The fields that an order has of its intent. */
function named({ symbol, tag, ref, group }: PositionIntent) {
  return { kind: 'place', symbol, ...(tag !== undefined && { tag }), ...(ref !== undefined && { ref }), ...(group && { group }) } as const;
}

function closes(intent: ClosePosition, instrument: Instrument, { id }: Author, state: State): PlaceOrder[] | Denial {
  const { positionSide, share = 1 } = intent;
  const { step } = instrument;
  const sides = state.books.get(id)!.sides(instrument);
  const orders: PlaceOrder[] = [];
  for (const [index, { steps }] of sides.entries()) {
    const side: PlaceOrder['positionSide'] = sides.length === 1 ? undefined : index === 0 ? 'long' : 'short';
    if (steps === 0 || (positionSide !== undefined && positionSide !== (steps > 0 ? 'long' : 'short'))) continue;
    const closed = new Decimal(Math.abs(steps)).times(share).floor().toNumber();
    if (closed === 0)
      return { code: 'quantityInvalid', quantity: step.toDecimal(Math.abs(steps)).times(share).toFixed(), stepSize: step.text };
    const quantity = step.toText(closed);
    const direction = { side: steps > 0 ? 'sell' : 'buy', ...(side !== undefined && { positionSide: side }) } as const;
    orders.push({ ...named(intent), ...direction, type: 'market', quantity, reduceOnly: true });
  }
  return orders;
}

function differences(intent: TargetPosition, instrument: Instrument, { id }: Author, state: State): PlaceOrder[] | Denial {
  const { type = 'market', price, timeInForce, postOnly } = intent;
  const wanted = wantedSteps(intent, instrument, state);
  if (typeof wanted === 'object') return wanted;
  const sides = state.books.get(id)!.sides(instrument);
  const isNet = sides.length === 1;
  if (wanted < 0 && isNet && state.account.kind !== 'netting')
    return { code: 'orderInvalid', rule: 'a target on a spot account is 0 or more: it holds no short' };
  const held = sides.reduce((sum, { steps }) => sum + steps, 0);
  const missing = wanted - held - openSteps(instrument, id, state);
  const side = missing > 0 ? 'buy' : 'sell';
  const terms = { side, type, price, timeInForce, postOnly } as const;
  const orderOf = (steps: number, rest: Pick<PlaceOrder, 'positionSide' | 'reduceOnly'>): PlaceOrder[] =>
    steps === 0 ? [] : [{ ...named(intent), ...given(terms), ...rest, quantity: instrument.step.toText(steps) }];
  const reducible = isNet ? 0 : Math.abs(sides[missing > 0 ? 1 : 0]!.steps);
  const closed = Math.min(reducible, Math.abs(missing));
  const opened = Math.abs(missing) - closed;
  if (isNet) {
    const onlyReduces = Math.sign(missing) === -Math.sign(held) && opened <= Math.abs(held);
    return orderOf(opened, onlyReduces ? { reduceOnly: true } : {});
  }
  const [closing, opening] = missing > 0 ? (['short', 'long'] as const) : (['long', 'short'] as const);
  return [...orderOf(closed, { positionSide: closing, reduceOnly: true }), ...orderOf(opened, { positionSide: opening })];
}

/** Without the fields that are not given: the lines of the event log have none of them. */
function given<T extends object>(terms: T): T {
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined)) as T;
}

/** Signed steps that are open in orders of the strategy, apart from stops, exits and orders that are being canceled. */
function openSteps(instrument: Instrument, strategyId: string, state: State): number {
  let sum = 0;
  for (const order of state.openOrders.values()) {
    if (order.strategyId !== strategyId || order.instrument !== instrument || order.held || order.cancelRequested) continue;
    if (isExitTrigger(order.request) || (order.request.reduceOnly && order.request.type === 'limit')) continue;
    sum += order.side === 'buy' ? order.remainingSteps : -order.remainingSteps;
  }
  return sum;
}

/** The position that is wanted, in signed steps. */
function wantedSteps({ quantity, price, symbol }: TargetPosition, instrument: Instrument, state: State): number | Denial {
  const { step, tick } = instrument;
  const amount = typeof quantity === 'object' ? (quantity.percentOfEquity ?? quantity.notional) : quantity;
  const isNumber = typeof amount === 'number' ? Number.isFinite(amount) : isDecimalText(amount);
  if (!isNumber) return { code: 'quantityInvalid', quantity: String(amount), stepSize: step.text };
  const sign = Number(amount) < 0 ? -1 : 1;
  if (Number(amount) === 0) return 0;
  const size = new Decimal(amount).abs();
  if (typeof quantity !== 'object') return sign * (step.floor(size.toFixed()) ?? 0);
  const ticks = price === undefined ? state.market(instrument).lastTicks : onTick(instrument, 'buy', price);
  if (typeof ticks === 'object') return ticks;
  const rate = state.portfolio.rateOf(instrument.quote);
  if (Number.isNaN(ticks) || rate === undefined || rate.isZero()) return { code: 'noMarketPrice', symbol };
  const named: OrderSize = quantity.notional === undefined ? { percentOfEquity: size.toFixed() } : { notional: size.toFixed() };
  const value = amountOf(named, instrument, state, rate, state.margin.settings(instrument) !== undefined);
  return sign * step.floorUnits(value.div(tick.toDecimal(ticks)));
}

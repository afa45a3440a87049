import { stateOf } from '../../src/app/wiring/container.ts';
import { type AccountEvent, type ExitRefused, isOrderEvent } from '../../src/model/account-events.ts';
import type { OrderRequest } from '../../src/model/order.ts';
import { REFUSAL_FATES, refusalOf } from '../../src/model/refusals.ts';
import { applyAccount } from '../../src/state/apply.ts';
import type { State } from '../../src/state/state.ts';
import type { Life, World } from './world.ts';

/** How the engine tags the exits that it arms, and nothing else here does. */
export const EXIT = /(stopLoss|takeProfit|trailingStop)$/;

/**
 * Exits that were refused for something that may pass, or canceled by somebody else, while their position stood and nobody had taken
 * them back, of which nothing was said, and after which none of their kind was submitted: in the same turn, or in the first one where the start heard of the refusal. What was
 * flat in between was closed, whatever was opened then: its exits were over; and so are those of a part of which as much was closed since.
 * @param canceled client ids of exits that somebody canceled at the exchange.
 */
export function lostExits({ plan }: World, { journal }: Life, canceled: ReadonlySet<string> = new Set()): string[] {
  const state = stateOf(plan);
  const over = new Set<string>();
  const exits = new Map<string, { readonly request: OrderRequest; readonly since: number }>();
  const closed = new Map<string, number>();
  const isClosed = (id: string, request: OrderRequest) =>
    (closed.get(sideOf(request)) ?? 0) - (exits.get(id)?.since ?? 0) >= (request.steps ?? 0);
  const lost: string[] = [];
  let owed: { readonly request: OrderRequest; turns: number }[] = [];
  for (const { kind, value } of journal.records()) {
    if (kind === 'turn') {
      for (const one of owed) one.turns++;
      lost.push(...owed.filter(({ turns }) => turns > 1).map(({ request }) => `exit ${request.clientOrderId} was lost`));
      owed = owed.filter(({ turns }) => turns <= 1);
    }
    if (kind !== 'event') continue;
    const { event } = value as { readonly event: AccountEvent };
    applyAccount(state, event);
    if (event.kind === 'cancelSubmitted') {
      over.add(event.clientOrderId);
      owed = owed.filter(({ request }) => request.clientOrderId !== event.clientOrderId);
    }
    if (event.kind === 'orderFilled') {
      const { reduceOnly = false } = state.order(event.clientOrderId)?.request ?? {};
      const side = sideOf(event.fill);
      if (reduceOnly) closed.set(side, (closed.get(side) ?? 0) + event.fill.steps);
      for (const [id, { request }] of exits) if (!stands(request, state) || isClosed(id, request)) over.add(id);
      owed = owed.filter(({ request }) => !over.has(request.clientOrderId));
    }
    if (event.kind === 'orderSubmitted' && !event.again) {
      if (EXIT.test(event.request.tag))
        exits.set(event.clientOrderId, { request: event.request, since: closed.get(sideOf(event.request)) ?? 0 });
      const at = owed.findIndex(({ request }) => alike(request, event.request));
      if (at >= 0) owed.splice(at, 1);
    }
    // Said out loud: a person has to act.
    if (event.kind === 'exitRefused') owed = owed.filter(({ request }) => !isSaid(request, event));
    const request = refusedExit(event, state) ?? canceledExit(event, state, canceled);
    if (request !== undefined && !over.has(request.clientOrderId) && !isReplaced(request, state)) owed.push({ request, turns: 0 });
    owed = owed.filter((one) => stands(one.request, state));
  }
  return lost;
}

function refusedExit(event: AccountEvent, state: State): OrderRequest | undefined {
  if (!isOrderEvent(event)) return undefined;
  const code = refusalOf(event)?.code;
  const order = state.order(event.clientOrderId);
  return code !== undefined && REFUSAL_FATES[code] === 'passing' && order !== undefined && EXIT.test(order.tag) ? order.request : undefined;
}

function canceledExit(event: AccountEvent, state: State, canceled: ReadonlySet<string>): OrderRequest | undefined {
  if (event.kind !== 'orderCanceled' || event.reason !== 'external' || !canceled.has(event.clientOrderId)) return undefined;
  const order = state.order(event.clientOrderId);
  // A take profit beside its stop may be lost: the position has its stop.
  return order?.request.reduceOnly === true && /(stopLoss|trailingStop)$/.test(order.tag) ? order.request : undefined;
}

function isSaid({ strategyId, instrument, positionSide }: OrderRequest, event: ExitRefused): boolean {
  return event.strategyId === strategyId && event.instrument.symbol === instrument.symbol && event.positionSide === positionSide;
}

/** A later one of its kind is open: it may be to take the place of this one. */
function isReplaced(request: OrderRequest, state: State): boolean {
  const { clientOrderId } = request;
  const since = state.order(clientOrderId)?.submittedTime ?? Number.POSITIVE_INFINITY;
  return [...state.openOrders.values()].some((one) => one.submittedTime > since && alike(one.request, request));
}

function alike(one: OrderRequest, other: OrderRequest): boolean {
  const { strategyId, instrument, side, positionSide, tag } = other;
  return (
    one.strategyId === strategyId &&
    one.instrument.symbol === instrument.symbol &&
    one.side === side &&
    one.positionSide === positionSide &&
    one.tag === tag
  );
}

/** The strategy still holds what the exit was to close, and the account has any of it. */
function stands({ strategyId, instrument, side, positionSide }: OrderRequest, state: State): boolean {
  const of = instrument.contract === undefined ? [state.books.get(strategyId)!] : [state.books.get(strategyId)!, state];
  return of.every((holder) => Math.sign(holder.position(instrument, positionSide).steps) === (side === 'sell' ? 1 : -1));
}

function sideOf({ strategyId, instrument, side, positionSide }: Pick<OrderRequest, 'strategyId' | 'instrument' | 'side' | 'positionSide'>) {
  return [strategyId, instrument.symbol, side, positionSide].join();
}

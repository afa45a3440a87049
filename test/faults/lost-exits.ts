import { stateOf } from '../../src/app/wiring/container.ts';
import { type AccountEvent, isOrderEvent } from '../../src/model/account-events.ts';
import type { OrderRequest } from '../../src/model/order.ts';
import { REFUSAL_FATES, refusalOf } from '../../src/model/refusals.ts';
import { applyAccount } from '../../src/state/apply.ts';
import type { State } from '../../src/state/state.ts';
import type { Life, World } from './world.ts';

/** How the engine tags the exits that it arms, and nothing else here does. */
const EXIT = /(stopLoss|takeProfit|trailingStop)$/;

/**
 * Exits that were refused for something that may pass while their position stood and nobody had taken them back, and after
 * which none of their kind was submitted: in the same turn, or in the first one where the start heard of the refusal. What was
 * flat in between was closed, whatever was opened then: its exits were over.
 */
export function lostExits({ plan }: World, { journal }: Life): string[] {
  const state = stateOf(plan);
  const over = new Set<string>();
  const exits = new Map<string, OrderRequest>();
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
    if (event.kind === 'cancelSubmitted') over.add(event.clientOrderId);
    if (event.kind === 'orderFilled') for (const [id, exit] of exits) if (!stands(exit, state)) over.add(id);
    if (event.kind === 'orderSubmitted' && !event.again) {
      if (EXIT.test(event.request.tag)) exits.set(event.clientOrderId, event.request);
      const at = owed.findIndex(({ request }) => alike(request, event.request));
      if (at >= 0) owed.splice(at, 1);
    }
    const request = refusedExit(event, state);
    if (request !== undefined && !over.has(request.clientOrderId)) owed.push({ request, turns: 0 });
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

/** The strategy still holds what the exit was to close. */
function stands({ strategyId, instrument, side, positionSide }: OrderRequest, state: State): boolean {
  const steps = state.books.get(strategyId)!.position(instrument, positionSide).steps;
  return side === 'sell' ? steps > 0 : steps < 0;
}

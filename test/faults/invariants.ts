import type { AccountEvent } from '../../src/model/order-events.ts';
import { isTerminal } from '../../src/model/order-state.ts';
import type { Life, World } from './world.ts';

export interface Findings {
  /** What is wrong; empty where every invariant holds. */
  readonly wrong: readonly string[];
}

interface Seen {
  readonly submitted: Set<string>;
  readonly fills: Map<string, number>;
  readonly held: Set<string>;
}

/** Lays what the bot knows beside what the exchange did: no order lost or doubled, every fill once, all money equal. */
export function check(world: World, life: Life): Findings {
  const wrong: string[] = [];
  const { state } = life.bot;
  const { account, core } = world;
  const seen = seenIn(life);
  if (life.failure !== undefined) wrong.push(`the bot ended with ${String(life.failure)}`);
  if (!life.over) wrong.push('the bot has not stopped within its grace');
  for (const health of state.health.values()) if (health.condition === 'halted') wrong.push(`${health.symbol} is halted: ${health.reason}`);

  const byClientId = new Map<string, number>();
  for (const entry of account.orders.all) {
    if (entry.orderId === '') continue;
    byClientId.set(entry.clientOrderId, (byClientId.get(entry.clientOrderId) ?? 0) + 1);
    if (!seen.submitted.has(entry.clientOrderId)) wrong.push(`the exchange has ${entry.clientOrderId}, which the journal does not know`);
    const order = state.order(entry.clientOrderId);
    if (order === undefined) continue;
    const filled = entry.fills.reduce((sum, { fill }) => sum + fill.steps, 0);
    if (order.filledSteps !== filled) wrong.push(`${entry.clientOrderId}: ${order.filledSteps} steps filled here, ${filled} there`);
    if (!isTerminal(order.status)) wrong.push(`${entry.clientOrderId} is ${order.status} here, ${entry.end?.how ?? 'open'} there`);
    else if ((order.status === 'filled') !== (entry.end?.how === 'filled'))
      wrong.push(`${entry.clientOrderId}: ${order.status} here, ${entry.end?.how ?? 'open'} there`);
  }
  for (const [id, count] of byClientId) if (count > 1) wrong.push(`${id} is at the exchange ${count} times`);
  for (const order of state.openOrders.values()) wrong.push(`${order.clientOrderId} is still ${order.status}`);

  for (const { fillId } of account.orders.fills) {
    const times = seen.fills.get(fillId) ?? 0;
    if (times !== 1) wrong.push(`fill ${fillId} was counted ${times} times`);
  }
  if (seen.fills.size !== account.orders.fills.length) wrong.push(`${seen.fills.size} fills here, ${account.orders.fills.length} there`);

  for (const { name } of core.exchange.coins) {
    const there = account.spot.ledger.balance(name);
    const here = state.portfolio.balance(name, 'spot');
    if (!there.total.equals(here.total)) wrong.push(`${name}: ${here.total.toFixed()} here, ${there.total.toFixed()} there`);
    if (!there.frozen.equals(here.frozen)) wrong.push(`${name} frozen: ${here.frozen.toFixed()} here, ${there.frozen.toFixed()} there`);
  }
  return { wrong };
}

function seenIn({ journal }: Life): Seen {
  const seen: Seen = { submitted: new Set(), fills: new Map(), held: new Set() };
  for (const { kind, value } of journal.records()) {
    if (kind !== 'event') continue;
    const { event } = value as { readonly event: AccountEvent };
    if (event.kind === 'orderSubmitted') seen.submitted.add(event.clientOrderId);
    if (event.kind === 'orderFilled') seen.fills.set(event.fill.fillId, (seen.fills.get(event.fill.fillId) ?? 0) + 1);
    if (event.kind === 'balanceChanged' && (event.entry?.reason === 'unexplained' || event.entry?.reason === 'foreign')) {
      seen.fills.set(`${event.entry.reason} ${event.entry.fillId}`, 1);
    }
  }
  return seen;
}

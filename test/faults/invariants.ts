import type { OrderEntry } from '../../src/local-exchange/core/order-store.ts';
import type { AccountEvent } from '../../src/model/account-events.ts';
import type { Balance } from '../../src/model/ledger.ts';
import { isTerminal } from '../../src/model/order-state.ts';
import type { Order } from '../../src/state/order.ts';
import type { Markets } from './exchange-side.ts';
import { checkFutures } from './futures-invariants.ts';
import type { Liar } from './liar.ts';
import { lostExits } from './lost-exits.ts';
import type { People } from './people.ts';
import type { Rare } from './rare.ts';
import type { Life, World } from './world.ts';

export interface Findings {
  /** What is wrong; empty where every invariant holds. */
  readonly wrong: readonly string[];
  /** Replacements of amended orders. */
  readonly replaced: number;
}

type Figures = Pick<Balance, 'total' | 'frozen'>;

interface Seen {
  /** When, by client id. */
  readonly submitted: Map<string, number>;
  readonly fills: Map<string, number>;
  /** Replacements, by the order that they replace. */
  readonly replacements: Map<string, string[]>;
  /** Orders whose replacement was reported as not sent. */
  readonly dropped: Set<string>;
}

/** Lays what the bot knows beside what the exchange did: no order lost or doubled, every fill once, all money equal, no exit lost. */
export function check(
  world: World,
  life: Life,
  markets: Markets,
  people?: Pick<People, 'isExempt' | 'isSaved' | 'isUnseen' | 'deed'>,
  rare?: Pick<Rare, 'canceled' | 'explains'>,
  liar?: Pick<Liar, 'idOf' | 'swapped' | 'isThere' | 'deceives'>,
): Findings {
  const wrong: string[] = [];
  const { state } = life.bot;
  const isSaid = saying(life, liar);
  /** What is not as at the exchange. @param symbol whose it is; that of money is any. */
  const apart = (symbol: string | undefined, ...texts: string[]) => void (isSaid(symbol) || wrong.push(...texts));
  const { account, core } = world;
  const seen = seenIn(life, liar);
  if (life.failure !== undefined) wrong.push(`the bot ended with ${String(life.failure)}`);
  if (!life.over) wrong.push('the bot has not stopped within its grace');
  for (const { condition, symbol, reason } of state.health.values())
    if (condition === 'halted' && rare?.explains(reason) !== true) apart(symbol, `${symbol} is halted: ${reason}`);

  const twins = twinsOf(account.orders.all);
  for (const set of liar?.swapped ?? []) {
    const ids = account.orders.all.filter(({ orderId }) => set.includes(orderId)).map(({ clientOrderId }) => clientOrderId);
    for (const id of ids) twins.set(id, ids);
  }
  const byClientId = new Map<string, number[]>();
  for (const entry of account.orders.all) {
    // Orders of the exchange itself, and what it refused.
    if (entry.orderId === '' || entry.clientOrderId === '') continue;
    byClientId.set(entry.clientOrderId, [...(byClientId.get(entry.clientOrderId) ?? []), entry.createdTime]);
    if (people?.isExempt(entry) === true) continue;
    if (!seen.submitted.has(entry.clientOrderId)) wrong.push(`the exchange has ${entry.clientOrderId}, which the journal does not know`);
    const order = state.order(entry.clientOrderId);
    if (order === undefined) continue;
    const { symbol } = entry.instrument;
    if (twins.has(entry.clientOrderId)) continue;
    const filled = entry.fills.reduce((sum, { fill }) => sum + fill.steps, 0);
    // What orders did that the journal lacks may count as nobody's.
    const isKnown = entry.instrument.contract === undefined || people?.deed !== 'restored';
    if (order.filledSteps !== filled && isKnown)
      apart(symbol, `${entry.clientOrderId}: ${order.filledSteps} steps filled here, ${filled} there`);
    if (waitsForTrades(order, world)) continue;
    if (!isTerminal(order.status)) apart(symbol, `${entry.clientOrderId} is ${order.status} here, ${entry.end?.how ?? 'open'} there`);
    else if (entry.end === undefined) apart(symbol, `${entry.clientOrderId} is ${order.status} here, open there`);
    else if ((order.status === 'filled') !== (entry.end.how === 'filled') && !isTrimmed(entry) && isKnown)
      apart(symbol, `${entry.clientOrderId}: ${order.status} here, ${entry.end.how} there`);
  }
  for (const ids of new Set(twins.values())) {
    // Those of others, and those that the journal lacks, are nobody's here.
    if (liar?.deceives === true && ids.some((id) => state.order(id) === undefined)) continue;
    const there = ids.map((id) => account.orders.all.find(({ clientOrderId }) => clientOrderId === id)!);
    const filledThere = there.map(({ fills }) => fills.reduce((sum, { fill }) => sum + fill.steps, 0)).sort();
    const filledHere = ids.map((id) => state.order(id)?.filledSteps ?? 0).sort();
    if (String(filledHere) !== String(filledThere))
      apart(there[0]?.instrument.symbol, `${ids.join(' and ')}: ${filledHere} steps filled here, ${filledThere} there`);
  }
  for (const [id, times] of byClientId) {
    const isAllowed =
      people?.isSaved(seen.submitted.get(id) ?? Number.NaN) === true ||
      people?.isUnseen(id, Math.min(...times), world.plan.rest!.visibilityLagMs!);
    if (times.length > 1 && isAllowed !== true) wrong.push(`${id} is at the exchange ${times.length} times`);
  }
  for (const [replaced, by] of seen.replacements) {
    if (by.length > 1) wrong.push(`${replaced} has several replacements: ${by.join(', ')}`);
    if (seen.dropped.has(replaced)) wrong.push(`${replaced} has the replacement ${by[0]}, which was reported as not sent`);
  }
  for (const order of state.openOrders.values())
    if (!waitsForTrades(order, world)) apart(order.request.instrument.symbol, `${order.clientOrderId} is still ${order.status}`);

  const spotFills = account.orders.fills.filter(({ fill }) => fill.instrument.contract === undefined);
  for (const { fillId, fill, order } of spotFills) {
    const foreign = people?.isExempt(order) === true ? (seen.fills.get(`foreign ${fillId}`) ?? 0) : 0;
    const times = (seen.fills.get(fillId) ?? 0) + foreign;
    if (times !== 1) apart(fill.instrument.symbol, `fill ${fillId} was counted ${times} times`);
  }
  if (seen.fills.size !== spotFills.length) apart(undefined, `${seen.fills.size} fills here, ${spotFills.length} there`);

  if (markets.kind !== 'futures') {
    for (const { name } of core.exchange.coins) {
      apart(undefined, ...balances(name, state.portfolio.balance(name, 'spot'), account.spot.ledger.balance(name)));
    }
  }
  if (markets.kind !== 'spot') wrong.push(...checkFutures(world, life, twins, people?.deed === 'restored', liar, isSaid));
  apart(undefined, ...lostExits(world, life, rare?.canceled));
  return { wrong, replaced: seen.replacements.size };
}

/**
 * A fill that has counted stays counted: where the exchange lied so that it looked right, the bot need not agree with it, and must have said
 * so: by a halt, or by money or a position that no record explains. @returns whether it has, of that symbol or of any.
 */
function saying({ bot, journal }: Life, liar: Pick<Liar, 'deceives'> | undefined): (symbol?: string) => boolean {
  const said = new Set<string>();
  if (liar?.deceives !== true) return () => false;
  for (const { condition, symbol, reason } of bot.state.health.values()) if (condition === 'halted' && reason !== '') said.add(symbol);
  for (const { kind, value } of journal.records()) {
    if (kind !== 'event') continue;
    const { event } = value as { readonly event: AccountEvent };
    if (event.kind === 'positionFound') said.add(event.instrument.symbol);
    if (event.kind !== 'balanceChanged' || event.entry?.reason !== 'unexplained') continue;
    for (const { symbol, base } of bot.state.instruments) if (base === event.entry.asset) said.add(symbol);
  }
  return (symbol) => (symbol === undefined ? said.size > 0 : said.has(symbol));
}

/**
 * Orders that nothing tells apart: triggers with the same terms that fired in the same ms and became orders with other ids and no client id.
 * Each by its client id, with all of its set.
 */
function twinsOf(entries: readonly OrderEntry[]): Map<string, readonly string[]> {
  const sets = new Map<string, string[]>();
  for (const { clientOrderId, orderClientId, request, triggered } of entries) {
    if (triggered === undefined || orderClientId === clientOrderId) continue;
    const { instrument, side, positionSide, priceTicks, steps } = request;
    const terms = [instrument.symbol, side, positionSide, priceTicks, steps, triggered.time].join(' ');
    sets.set(terms, [...(sets.get(terms) ?? []), clientOrderId]);
  }
  const several = [...sets.values()].filter(({ length }) => length > 1);
  return new Map(several.flatMap((ids) => ids.map((id) => [id, ids] as const)));
}

function balances(name: string, here: Figures, there: Figures): string[] {
  const wrong: string[] = [];
  if (!there.total.equals(here.total)) wrong.push(`${name}: ${here.total.toFixed()} here, ${there.total.toFixed()} there`);
  if (!there.frozen.equals(here.frozen)) wrong.push(`${name} frozen: ${here.frozen.toFixed()} here, ${there.frozen.toFixed()} there`);
  return wrong;
}

/** A market order that was sent when nobody traded any more: nothing can fill it. */
function waitsForTrades({ request, submittedTime, status }: Order, { restsFrom }: World): boolean {
  return request.type === 'market' && request.triggerTicks === undefined && submittedTime >= restsFrom && status === 'accepted';
}

/** A close that the position was too small for ends filled in part. */
function isTrimmed({ request, fills }: OrderEntry): boolean {
  return request.reduceOnly && fills.length > 0;
}

/** @param liar who has told other ids of some fills. */
function seenIn({ bot, journal }: Life, liar: Pick<Liar, 'idOf' | 'isThere'> | undefined): Seen {
  const isLying = liar?.isThere === true;
  const seen: Seen = { submitted: new Map(), fills: new Map(), replacements: new Map(), dropped: new Set() };
  for (const { kind, value } of journal.records()) {
    if (kind !== 'event') continue;
    const { event } = value as { readonly event: AccountEvent };
    if (event.kind === 'orderSubmitted' && !seen.submitted.has(event.clientOrderId)) seen.submitted.set(event.clientOrderId, event.time);
    if (event.kind === 'orderSubmitted' && !event.again && event.request.replaces !== undefined) {
      const { replaces } = event.request;
      seen.replacements.set(replaces, [...(seen.replacements.get(replaces) ?? []), event.clientOrderId]);
    }
    // An order may be amended again after the first change of it was dropped, but not after a restart.
    if (event.kind === 'orderDenied' && event.reason.code === 'amendDropped' && event.reason.reason === 'restarted') {
      seen.dropped.add(event.reason.clientOrderId);
    }
    if (event.kind === 'orderFilled' && event.fill.instrument.contract === undefined) {
      const { fillId: told, instrument } = event.fill;
      const fillId = liar?.idOf(instrument, told) ?? told;
      seen.fills.set(fillId, (seen.fills.get(fillId) ?? 0) + 1);
    }
    if (event.kind !== 'balanceChanged' || event.balance.wallet !== 'spot' || event.entry === undefined) continue;
    const { reason, fillId = '', asset } = event.entry;
    // An id may be that of two symbols: the coin that was traded says which.
    const instrument = bot.state.instruments.find(({ base, contract }) => base === asset && contract === undefined);
    if (reason === 'foreign' && instrument !== undefined) seen.fills.set(`foreign ${liar?.idOf(instrument, fillId) ?? fillId}`, 1);
    // What a lie made unexplained is explained once it is over: the sums show it.
    if (reason === 'unexplained' && !isLying) seen.fills.set(`unexplained ${fillId}`, 1);
  }
  return seen;
}

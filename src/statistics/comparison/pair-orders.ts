import type { ComparedOrder, ComparedRun } from './compared-run.ts';
import type { OrderPair } from './comparison.ts';
import { missingAt } from './price-coverage.ts';

/**
 * Pairs the orders of two runs, in order of time. Only orders of one strategy, symbol, side, type and tag match. Orders that are the same
 * in time, price and size are paired first, then the nearest in time, up to `windowMs` apart. After a gap in one run's data, its order may
 * come later by the length of the gap. Client ids do not help: one additional order shifts all that follow.
 * @returns pairs in order of time.
 */
export function pairOrders(a: ComparedRun, b: ComparedRun, windowMs: number): OrderPair[] {
  const pairs: OrderPair[] = [];
  const [restA, restB] = pairEqual(a.orders, b.orders, pairs);
  const groups = groupBy(restB, groupOf);
  const candidates = restA.flatMap((order) => candidatesOf(order, groups.get(groupOf(order)) ?? [], { a, b, windowMs }));
  candidates.sort((one, other) => one.apart - other.apart || one.unlike - other.unlike);
  const taken = new Set<ComparedOrder>();
  for (const { a: own, b: other } of candidates) {
    if (taken.has(own) || taken.has(other)) continue;
    taken.add(own).add(other);
    pairs.push({ a: own, b: other });
  }
  for (const order of restA) if (!taken.has(order)) pairs.push({ a: order, b: undefined });
  for (const order of restB) if (!taken.has(order)) pairs.push({ a: undefined, b: order });
  return pairs.sort((one, other) => timeOf(one) - timeOf(other));
}

/** The first fill of either order; without fills, the earlier of the two decisions. Epoch ms. */
export function timeOf({ a, b }: OrderPair): number {
  const filled = Math.min(a?.fills[0]?.time ?? Number.POSITIVE_INFINITY, b?.fills[0]?.time ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(filled) ? filled : Math.min(a?.time ?? Number.POSITIVE_INFINITY, b?.time ?? Number.POSITIVE_INFINITY);
}

function pairEqual(
  ordersA: readonly ComparedOrder[],
  ordersB: readonly ComparedOrder[],
  pairs: OrderPair[],
): [restA: ComparedOrder[], restB: ComparedOrder[]] {
  const key = (order: ComparedOrder) =>
    JSON.stringify([groupOf(order), order.side, order.positionSide, order.type, order.tag, order.time, order.price, order.quantity ?? '']);
  const waiting = groupBy(ordersB, key);
  const restA: ComparedOrder[] = [];
  const taken = new Set<ComparedOrder>();
  for (const a of ordersA) {
    const b = waiting.get(key(a))?.shift();
    if (b === undefined) restA.push(a);
    else {
      taken.add(b);
      pairs.push({ a, b });
    }
  }
  return [restA, ordersB.filter((order) => !taken.has(order))];
}

function groupOf({ strategyId, symbol }: ComparedOrder): string {
  return JSON.stringify([strategyId, symbol]);
}

function candidatesOf(own: ComparedOrder, others: readonly ComparedOrder[], { a, b, windowMs }: Runs): Candidate[] {
  const [coverageA, coverageB] = [a.coverage.get(own.symbol), b.coverage.get(own.symbol)];
  const gapInB = missingAt(coverageB, coverageA, own.time);
  const near = others.filter((other) => {
    // Two orders without fills do not differ.
    if (!alike(own, other) || (own.fills.length === 0 && other.fills.length === 0)) return false;
    if (Math.abs(other.time - own.time) <= windowMs) return true;
    const gap = other.time > own.time ? gapInB : missingAt(coverageA, coverageB, other.time);
    return gap !== undefined && Math.max(own.time, other.time) <= gap[1] + windowMs;
  });
  const candidates = near.map((other) => {
    const unlike = Number(own.price !== other.price) + Number(String(own.quantity) !== String(other.quantity));
    return { a: own, b: other, apart: Math.abs(other.time - own.time), unlike };
  });
  return candidates.sort((one, other) => one.apart - other.apart || one.unlike - other.unlike).slice(0, MOST_CANDIDATES);
}

interface Candidate extends Required<OrderPair> {
  readonly a: ComparedOrder;
  readonly b: ComparedOrder;
  readonly apart: number;
  readonly unlike: number;
}

interface Runs {
  readonly a: ComparedRun;
  readonly b: ComparedRun;
  readonly windowMs: number;
}

/** An order has more possible matches only where a strategy sends dozens of equal orders: the nearest ones are enough. */
const MOST_CANDIDATES = 50;

/** A refusal may not contain all its fields: one without a type has no position side either. */
function alike(a: ComparedOrder, b: ComparedOrder): boolean {
  if (a.tag !== b.tag) return false;
  if (a.side !== undefined && b.side !== undefined && a.side !== b.side) return false;
  if (a.type === '' || b.type === '') return true;
  return a.type === b.type && a.positionSide === b.positionSide;
}

/** Items by key, in their order. */
export function groupBy<Item>(items: Iterable<Item>, keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [item]);
    else known.push(item);
  }
  return groups;
}

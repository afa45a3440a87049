import { invariant } from '../../model/errors.ts';
import type { OrderRequest, OrderType } from '../../model/order.ts';
import type { CancelReason } from '../../model/reasons.ts';
import type { Trail } from '../../model/trail.ts';
import type { State } from '../../state/state.ts';
import type { Amendment } from '../orders/amendments.ts';
import type { Timed } from './exit-times.ts';
import type { PlanSnapshot } from './exits.ts';
import type { HeldOrder, Link } from './held-order.ts';
import type { HeldOrders } from './held-orders.ts';

/**
 * The engine's own state as plain data. With it, `state` and the saves of the strategies, another engine
 * can continue. It does not contain timers of strategies or unfinished bars, which prices rebuild.
 */
export interface HeldSnapshot {
  readonly orders: readonly HeldOrderSnapshot[];
  readonly links: readonly LinkSnapshot[];
  readonly plans: readonly PlanSnapshot[];
  /** Positions that a kill or a limit is still closing, in the form of `textOf`. */
  readonly flattening: readonly string[];
  /** Orders whose replacement waits for their cancel; absent if there is none. */
  readonly amendments?: readonly Amendment[] | undefined;
}

/** An order that waits, or was sent and has linked exits. */
interface HeldOrderSnapshot extends Trail, Timed {
  readonly request: OrderRequest;
  readonly type: OrderType;
  readonly triggerTicks: number;
  readonly atVenue: boolean;
  readonly rising: boolean;
  readonly isStop: boolean;
  /** Index of its link; absent for a stop by itself. */
  readonly link?: number | undefined;
  readonly sleeping: boolean;
  readonly stage: 'held' | 'sent';
  readonly recalled?: CancelReason | undefined;
  readonly waitsForLink: boolean;
  /** When it is compared with prices again; absent if it was not refused. */
  readonly retryAt?: number | undefined;
  readonly tries?: number | undefined;
  readonly rests?: boolean | undefined;
  readonly refits?: boolean | undefined;
  readonly missed?: boolean | undefined;
  readonly lossTicks?: number | undefined;
  readonly restored?: boolean | undefined;
  /** Client order id of the order that it replaces when the venue has accepted it. */
  readonly outgoing?: string | undefined;
}

interface LinkSnapshot {
  /** Steps that the legs together may still exit. */
  readonly steps: number;
  readonly entryId: string;
  readonly fromTicks?: number | undefined;
  /** Client order ids, in order. */
  readonly legs: readonly string[];
}

type Remembered = Pick<HeldSnapshot, 'orders' | 'links' | 'plans'>;

/** The waiting orders as plain data. Called when all is reviewed: triggered and planned orders have been sent or refused. */
export function rememberHeld({ book, planned }: HeldOrders): Remembered {
  const links: Link[] = [];
  const orders = book.all().map((held) => {
    if (held.link !== undefined && !links.includes(held.link)) links.push(held.link);
    return snapshotOf(held, held.link === undefined ? undefined : links.indexOf(held.link));
  });
  return {
    orders,
    links: links.map(({ steps, entryId, fromTicks, legs }) => ({
      steps,
      entryId,
      fromTicks,
      legs: legs.map(({ request }) => request.clientOrderId),
    })),
    plans: planned.snapshot(),
  };
}

/** Restores the held orders of an earlier engine, except those that are not open in the state. */
export function restoreHeld({ book, judge, planned }: HeldOrders, { orders, links, plans }: Remembered, state: State): void {
  const linked: Link[] = links.map(({ steps, entryId, fromTicks }) => ({ legs: [], steps, entryId, fromTicks }));
  for (const one of orders) {
    if (!state.openOrders.has(one.request.clientOrderId)) continue;
    const link = one.link === undefined ? undefined : linked[one.link];
    const { recalled, retryAt, tries = 0 } = one;
    const held: HeldOrder = { ...one, outgoing: undefined, link, recalled, retryAt, tries, metTicks: Number.NaN };
    if (one.stage === 'held') book.add(held);
    else book.know(held);
    // An order that waited for another one to end is sent when that has ended.
    if (one.stage === 'held' && one.waitsForLink) judge.block(held);
  }
  links.forEach(({ legs }, index) => {
    for (const id of legs) {
      const leg = book.find(id);
      if (leg !== undefined) linked[index]!.legs.push(leg);
    }
  });
  for (const { request, outgoing } of orders) {
    const held = book.find(request.clientOrderId);
    const before = outgoing === undefined ? undefined : book.find(outgoing);
    if (held === undefined || before === undefined) continue;
    held.outgoing = before;
    before.incoming = held;
  }
  planned.restore(plans);
}

function snapshotOf(held: HeldOrder, link: number | undefined): HeldOrderSnapshot {
  const {
    request,
    type,
    triggerTicks,
    trailTicks,
    trailMillionths,
    activateTicks,
    atVenue,
    rising,
    isStop,
    sleeping,
    stage,
    recalled,
    waitsForLink,
    retryAt,
  } = held;
  invariant(stage === 'held' || stage === 'sent', `held orders are remembered when all is reviewed, not while ${stage}`);
  const tries = held.tries === 0 ? undefined : held.tries;
  return {
    request,
    type,
    triggerTicks,
    trailTicks,
    trailMillionths,
    activateTicks,
    atVenue,
    rising,
    isStop,
    link,
    sleeping,
    stage,
    recalled,
    waitsForLink,
    retryAt,
    tries,
    rests: held.rests,
    refits: held.refits,
    missed: held.missed,
    lossTicks: held.lossTicks,
    restored: held.restored,
    outgoing: held.outgoing?.request.clientOrderId,
    dueAt: held.dueAt,
    isDue: held.isDue,
    schedule: held.schedule,
  };
}

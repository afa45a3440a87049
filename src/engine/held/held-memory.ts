import { invariant } from '../../model/errors.ts';
import type { OrderRequest, OrderType } from '../../model/order.ts';
import type { CancelReason } from '../../model/reasons.ts';
import type { Trail } from '../../model/trail.ts';
import type { State } from '../../state/state.ts';
import type { PlanSnapshot } from './exits.ts';
import type { HeldDesk } from './held-desk.ts';
import type { HeldOrder, Link } from './held-order.ts';

/**
 * What the engine knows beside the state, as plain data: with both, and the saves of the strategies, another engine
 * goes on where this one stood. Strategies' timers are not in it, nor are bars under way, which prices tell.
 */
export interface HeldSnapshot {
  readonly orders: readonly HeldOrderSnapshot[];
  readonly links: readonly LinkSnapshot[];
  readonly plans: readonly PlanSnapshot[];
  /** Triggers that are asked after when they do not fire. */
  readonly watched: readonly string[];
  /** Triggers that were canceled for not having fired: what is left of them goes out anew. */
  readonly recalled: readonly string[];
  /** Positions that a kill or a limit is still closing, as `textOf` a target has them. */
  readonly flattening: readonly string[];
}

/** One order that waits, or has gone out with linked exits beside it. */
interface HeldOrderSnapshot extends Trail {
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
  /** When it is judged again; absent where nothing refused it. */
  readonly retryAt?: number | undefined;
  readonly tries?: number | undefined;
  readonly rests?: boolean | undefined;
  readonly refits?: boolean | undefined;
  readonly lossTicks?: number | undefined;
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

/** What waits, as plain data. Called when all is reviewed: what was triggered or planned has gone out or was refused. */
export function rememberHeld({ book, planned }: HeldDesk): Remembered {
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

/** Puts back what an earlier engine held, but for orders that the state does not know to be open. */
export function restoreHeld({ book, judge, planned }: HeldDesk, { orders, links, plans }: Remembered, state: State): void {
  const linked: Link[] = links.map(({ steps, entryId, fromTicks }) => ({ legs: [], steps, entryId, fromTicks }));
  for (const one of orders) {
    if (!state.openOrders.has(one.request.clientOrderId)) continue;
    const link = one.link === undefined ? undefined : linked[one.link];
    const { recalled, retryAt, tries = 0 } = one;
    const held: HeldOrder = { ...one, link, recalled, retryAt, tries, metTicks: Number.NaN };
    if (one.stage === 'held') book.add(held);
    else book.know(held);
    // What waited for another order to end goes out when that has.
    if (one.stage === 'held' && one.waitsForLink) judge.block(held);
  }
  links.forEach(({ legs }, index) => {
    for (const id of legs) {
      const leg = book.find(id);
      if (leg !== undefined) linked[index]!.legs.push(leg);
    }
  });
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
    lossTicks: held.lossTicks,
  };
}

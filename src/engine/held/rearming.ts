import type { OrderEvent } from '../../model/account-events.ts';
import type { RefusalCode } from '../../model/reasons.ts';
import { backOffMs, REFUSAL_FATES } from '../../model/refusals.ts';
import type { Clock } from '../../ports/clock.ts';
import { covered, isGone } from '../../risk/measures.ts';
import type { State } from '../../state/state.ts';
import type { OrderBuilder } from '../orders/order-builder.ts';
import type { PlannedExits, VenueLegs } from './exits.ts';
import type { BarOpens, HeldBook, HeldJudge } from './held-book.ts';
import { type HeldOrder, type HeldOrdersContext, reportHeld } from './held-order.ts';

interface RearmingParts {
  readonly state: State;
  readonly builder: OrderBuilder;
  readonly clock: Clock;
  readonly book: HeldBook;
  readonly opens: BarOpens;
  readonly judge: HeldJudge;
  readonly venue: VenueLegs;
  readonly planned: PlannedExits;
  readonly context: HeldOrdersContext;
}

/**
 * Holds refused stops and exits again while their position is open, if the reason may pass, so that one
 * reply of a busy exchange does not remove a stop. Each continues under a new id with its trigger and its
 * link. It waits for a time that grows with every try; then it is compared with prices again, or sent to wait at the venue.
 *
 * An opening order is not sent again: its moment is over, and its strategy receives the refusal.
 */
export class Rearming {
  /** Cancels each wait, by client order id. */
  readonly #waits = new Map<string, () => void>();
  /** Before the engine runs there are no turns: waits begin with the run. */
  #running = false;

  constructor(private readonly parts: RearmingParts) {}

  /** The engine runs: waits of an earlier run continue. */
  start(): void {
    this.#running = true;
    for (const held of this.parts.book.all()) if (held.stage === 'held') this.#schedule(held);
  }

  /**
   * The order was refused, or could not be sent; it is still in the book.
   * @returns true if it is held again. If not, and its position is left without a stop, that is reported.
   */
  refused(held: HeldOrder, code: RefusalCode): boolean {
    const { venue, state } = this.parts;
    const fate = REFUSAL_FATES[code];
    // It was canceled, or there is nothing more for it to close.
    if (fate === 'over' || held.recalled !== undefined || venue.closable(held) === 0) return false;
    // A close that waited for coins is no exit: its sender receives the refusal, and can submit it again.
    if (held.type === 'market' && held.dueAt === undefined) return false;
    const { clientOrderId, steps } = held.request;
    const left = held.link?.steps ?? state.order(clientOrderId)?.remainingSteps ?? steps ?? 0;
    if (left <= 0) return false;
    if (fate === 'passing') this.#rearm(held, left, code);
    else if (held.isStop && held.outgoing === undefined) this.#reportLost(held, code);
    return fate === 'passing';
  }

  /**
   * Handles an order that somebody else canceled at the exchange; it is still in the book. After a kill nothing is placed again.
   * @returns true if it is held again. If not, and its position is left without a stop, that is reported.
   */
  lost(held: HeldOrder, event: OrderEvent): boolean {
    if (event.kind !== 'orderCanceled' || event.reason !== 'external') return false;
    const { venue, state, context } = this.parts;
    const { request, link } = held;
    if (!request.reduceOnly || held.recalled !== undefined || venue.closable(held) === 0 || isGone(request, state)) return false;
    if (held.type === 'market' && held.dueAt === undefined) return false;
    const left = link?.steps ?? state.order(request.clientOrderId)?.remainingSteps ?? request.steps ?? 0;
    if (left <= 0 || state.latches.has('kill')) return false;
    if (context.lostExit === 'restore' && held.restored !== true) {
      held.restored = true;
      this.#rearm(held, left, 'canceledOutside');
      return true;
    }
    if (held.isStop && held.outgoing === undefined) {
      this.#reportLost(held, 'canceledOutside');
      context.stopLost(request.strategyId);
    }
    return false;
  }

  /** The order has ended: cancels its wait. */
  forget(clientOrderId: string): void {
    this.#waits.get(clientOrderId)?.();
    this.#waits.delete(clientOrderId);
  }

  /** Holds the order again, with this size and a new id. */
  again(held: HeldOrder, steps: number): void {
    const { builder, book, context, planned } = this.parts;
    const { clientOrderId } = held.request;
    // The fields that only depended on the market at the last send are cleared.
    const request = { ...builder.renewed(held.request, steps), triggerTicks: undefined, fromNextBar: false };
    book.rename(held, request);
    planned.copy(clientOrderId, request.clientOrderId);
    held.stage = 'held';
    held.sleeping = false;
    held.metTicks = Number.NaN;
    held.waitsForLink = false;
    held.recalled = undefined;
    held.refits = undefined;
    held.missed = undefined;
    book.add(held);
    reportHeld(held, context);
  }

  #rearm(held: HeldOrder, steps: number, code: RefusalCode): void {
    const { context, state } = this.parts;
    held.tries++;
    held.retryAt = context.now() + backOffMs(held.tries);
    this.again(held, steps);
    // A stop whose position other orders are closing leaves nothing unprotected, nor does one that has still to replace another one.
    if (held.isStop && held.outgoing === undefined && !covered(held.request, state)) {
      const { strategyId, instrument, positionSide } = held.request;
      const { retryAt } = held;
      context.emit({ kind: 'exitDelayed', time: context.now(), strategyId, instrument, positionSide, exit: 'stop', code, retryAt });
    }
    this.#schedule(held);
  }

  #schedule({ request: { clientOrderId }, retryAt }: HeldOrder): void {
    if (!this.#running || retryAt === undefined) return;
    this.#waits.set(
      clientOrderId,
      this.parts.clock.schedule(retryAt, () => this.#due(clientOrderId)),
    );
  }

  #due(clientOrderId: string): void {
    this.#waits.delete(clientOrderId);
    const held = this.parts.book.find(clientOrderId);
    if (held?.stage === 'held' && held.retryAt !== undefined) this.#goOn(held);
    // Like every timer of the engine, it may cause the very first turn.
    this.parts.context.wake();
  }

  #goOn(held: HeldOrder): void {
    const { opens, judge, venue, context } = this.parts;
    held.retryAt = undefined;
    held.sleeping = opens.waits(held.request, context.now());
    if (held.atVenue) venue.send(held);
    else judge.now(held);
  }

  #reportLost({ request: { strategyId, instrument, positionSide } }: HeldOrder, code: RefusalCode): void {
    const { emit, now } = this.parts.context;
    emit({ kind: 'exitRefused', time: now(), strategyId, instrument, positionSide, exit: 'stop', code });
  }
}

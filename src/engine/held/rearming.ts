import type { RefusalCode } from '../../model/reasons.ts';
import { backOffMs, REFUSAL_FATES } from '../../model/refusals.ts';
import type { Clock } from '../../ports/clock.ts';
import { covered } from '../../risk/measures.ts';
import type { State } from '../../state/state.ts';
import type { OrderDesk } from '../orders/order-desk.ts';
import type { PlannedExits, VenueLegs } from './exits.ts';
import type { BarOpens, HeldBook, HeldJudge } from './held-book.ts';
import { type HeldDeskOutlets, type HeldOrder, tellHeld } from './held-order.ts';

interface RearmingParts {
  readonly state: State;
  readonly desk: OrderDesk;
  readonly clock: Clock;
  readonly book: HeldBook;
  readonly opens: BarOpens;
  readonly judge: HeldJudge;
  readonly venue: VenueLegs;
  readonly planned: PlannedExits;
  readonly outlets: HeldDeskOutlets;
}

/**
 * Lets stops and exits wait again that were refused while their position stands: for something that may pass, so that one
 * answer of a busy exchange costs nobody his stop. Each goes on under an id of its own, with its trigger, its mark and its
 * link, first for a while that grows with every try; then it is judged anew, or goes out to wait at the venue.
 *
 * What would open something is not sent again: its moment is gone, and its strategy hears of the refusal.
 */
export class Rearming {
  /** What stops each wait, by client order id. */
  readonly #waits = new Map<string, () => void>();
  /** Before the engine runs nobody takes turns: waits begin with the run. */
  #running = false;

  constructor(private readonly parts: RearmingParts) {}

  /** The engine runs; what waited when an earlier run stopped goes on waiting. */
  start(): void {
    this.#running = true;
    for (const held of this.parts.book.all()) if (held.stage === 'held') this.#schedule(held);
  }

  /**
   * The order was refused, or could not be sent; it is still in the book.
   * @returns true where it waits again. Where it does not, and its position is left without a stop, that is told.
   */
  refused(held: HeldOrder, code: RefusalCode): boolean {
    const { venue, state } = this.parts;
    const fate = REFUSAL_FATES[code];
    // Somebody has taken it back, or there is nothing (more) for it to close.
    if (fate === 'over' || held.recalled !== undefined || venue.closable(held) === 0) return false;
    // A close that waited for coins is no exit: whoever asked for it hears of the refusal, and asks again.
    if (held.type === 'market') return false;
    const { clientOrderId, steps } = held.request;
    const left = held.link?.steps ?? state.order(clientOrderId)?.remainingSteps ?? steps ?? 0;
    if (left <= 0) return false;
    if (fate === 'passing') this.#rearm(held, left, code);
    else if (held.isStop) this.#tellLost(held, code);
    return fate === 'passing';
  }

  /** The order has ended: nothing is waited for any more. */
  forget(clientOrderId: string): void {
    this.#waits.get(clientOrderId)?.();
    this.#waits.delete(clientOrderId);
  }

  /** The order is held again, in this size, under an id of its own. */
  again(held: HeldOrder, steps: number): void {
    const { desk, book, outlets, planned } = this.parts;
    const { clientOrderId } = held.request;
    // What it last went out with is no more than how it met the venue.
    const request = { ...desk.renewed(held.request, steps), triggerTicks: undefined, atLast: undefined, fromNextBar: false };
    book.rename(held, request);
    planned.copy(clientOrderId, request.clientOrderId);
    held.stage = 'held';
    held.sleeping = false;
    held.metTicks = Number.NaN;
    held.waitsForLink = false;
    held.recalled = undefined;
    held.refits = undefined;
    book.add(held);
    tellHeld(held, outlets);
  }

  #rearm(held: HeldOrder, steps: number, code: RefusalCode): void {
    const { outlets, state } = this.parts;
    held.tries++;
    held.retryAt = outlets.now() + backOffMs(held.tries);
    this.again(held, steps);
    // Nothing is left unguarded by a stop whose position others are closing.
    if (held.isStop && !covered(held.request, state)) {
      const { strategyId, instrument, positionSide } = held.request;
      const { retryAt } = held;
      outlets.emit({ kind: 'exitDelayed', time: outlets.now(), strategyId, instrument, positionSide, exit: 'stop', code, retryAt });
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
    // As with every timer of the engine's, it may be the first turn of all.
    this.parts.outlets.wake();
  }

  #goOn(held: HeldOrder): void {
    const { book, opens, judge, outlets } = this.parts;
    held.retryAt = undefined;
    held.sleeping = opens.waits(held.request, outlets.now());
    if (held.atVenue) {
      book.release(held);
      held.stage = 'planned';
      outlets.release(held);
    } else judge.now(held);
  }

  #tellLost({ request: { strategyId, instrument, positionSide } }: HeldOrder, code: RefusalCode): void {
    const { emit, now } = this.parts.outlets;
    emit({ kind: 'exitRefused', time: now(), strategyId, instrument, positionSide, exit: 'stop', code });
  }
}

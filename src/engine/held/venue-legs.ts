import type { CancelReason } from '../../model/reasons.ts';
import type { State } from '../../state/state.ts';
import type { OrderDesk } from '../orders/order-desk.ts';
import type { HeldBook } from './held-book.ts';
import { type HeldOrder, waitingOrder } from './held-order.ts';
import type { HeldDeskOutlets } from './held-outlets.ts';

/** Stops and exits that wait at the venue. Its triggers cannot be changed: what has to be smaller is replaced. */
export class VenueLegs {
  constructor(
    private readonly state: State,
    private readonly desk: OrderDesk,
    private readonly book: HeldBook,
    private readonly outlets: Pick<HeldDeskOutlets, 'release' | 'cancelAtVenue' | 'watch'>,
  ) {}

  /** Steps of the strategy's own position that this order could bring nearer to zero. */
  closable({ request: { strategyId, instrument, side, positionSide } }: HeldOrder): number {
    const steps = this.state.books.get(strategyId)?.position(instrument, positionSide).steps ?? 0;
    return Math.max(0, side === 'sell' ? steps : -steps);
  }

  /** Asks for what was sent; at most one request is on its way. */
  recall(held: HeldOrder, reason: CancelReason): void {
    const { clientOrderId, instrument } = held.request;
    held.recalled = reason;
    if (this.state.openOrders.get(clientOrderId)?.cancelRequested === false) this.outlets.cancelAtVenue(clientOrderId, instrument, reason);
  }

  /** A cancel may have overtaken the order, and the price its trigger: then the venue took it for one of the other direction. */
  onAccepted(held: HeldOrder): void {
    const { request, triggerTicks, rising, recalled } = held;
    if (recalled !== undefined) this.recall(held, recalled);
    else if (!request.atLast && this.desk.reached(request, triggerTicks, rising)) this.outlets.watch(request.clientOrderId);
  }

  /** Replaces an untriggered order of more steps; one that has fired is trimmed by the venue. */
  fit(held: HeldOrder, steps: number): void {
    const order = this.state.openOrders.get(held.request.clientOrderId);
    if (!order?.untriggered || order.cancelRequested || held.recalled !== undefined || order.remainingSteps <= steps) return;
    this.recall(held, 'linked');
    const smaller = waitingOrder({ ...held, request: this.desk.renewed(held.request, steps) });
    const legs = held.link?.legs;
    legs?.splice(legs.indexOf(held), 1, smaller);
    this.book.know(smaller);
    this.outlets.release(smaller);
  }

  /** The same order again, under a new id. */
  renew(held: HeldOrder, steps: number, lastTicks: number): void {
    this.book.rename(held, this.desk.renewed(held.request, steps));
    held.stage = held.atVenue ? 'planned' : 'triggered';
    held.metTicks = lastTicks;
    held.recalled = undefined;
    this.outlets.release(held);
  }
}

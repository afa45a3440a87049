import { isOrderEvent, type VenueEvent } from '../../model/account-events.ts';
import type { Instrument } from '../../model/instrument.ts';
import { type OrderStatus, statusAfter } from '../../model/order-state.ts';

/** An order as the run has it. */
export interface OrderKnown {
  readonly status: OrderStatus;
  readonly instrument: Instrument;
}

/**
 * The net under what answers of the exchange become: an event that its order cannot have would end the run as a broken invariant. No such
 * event is reported; its instrument is halted instead.
 */
export class PossibleEvents {
  /** Orders with events that the run has not applied yet, as it will have them. */
  readonly #reported = new Map<string, OrderKnown>();

  constructor(private readonly orderOf: (clientOrderId: string) => OrderKnown | undefined) {}

  /** Why the event cannot be, for people, and the instrument if it is known; `undefined` if the event may be. It then counts as reported. */
  contradiction(event: VenueEvent): { readonly reason: string; readonly instrument: Instrument | undefined } | undefined {
    if (!isOrderEvent(event) || event.kind === 'orderSubmitted') return undefined;
    const { kind, clientOrderId } = event;
    const known = this.#reported.get(clientOrderId) ?? this.orderOf(clientOrderId);
    if (kind === 'orderAdopted') {
      const { request, filledSteps } = event;
      if (known !== undefined) return { reason: contradicted(clientOrderId, 'known', kind), instrument: known.instrument };
      this.#reported.set(clientOrderId, { status: filledSteps > 0 ? 'partiallyFilled' : 'accepted', instrument: request.instrument });
      return undefined;
    }
    const status = known === undefined ? undefined : statusAfter(known.status, event);
    if (known === undefined || status === undefined) {
      const reason = contradicted(clientOrderId, known?.status ?? 'not known', kind);
      return { reason, instrument: known?.instrument ?? (kind === 'orderFilled' ? event.fill.instrument : undefined) };
    }
    this.#reported.set(clientOrderId, { ...known, status });
    return undefined;
  }

  /** It is sent, perhaps again: the run has it as that. */
  sent(clientOrderId: string): void {
    this.#reported.delete(clientOrderId);
  }

  /** The run has applied all that was reported. */
  applied(): void {
    this.#reported.clear();
  }
}

function contradicted(clientOrderId: string, status: string, kind: string): string {
  return `answers of the exchange contradict order ${clientOrderId}: it is ${status}, and they would make it ${kind}`;
}

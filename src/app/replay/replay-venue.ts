import { Subject } from 'rxjs';
import type { ApprovedOrder, CancelRequest } from '../../model/order.ts';
import type { VenueEvent } from '../../model/order-events.ts';
import type { ExecutionVenue, VenueCapabilities } from '../../ports/execution-venue.ts';

/** Where requests of a replayed engine end: it notes them, sends nothing, and tells what the journal says that was told. */
export class ReplayVenue implements ExecutionVenue {
  readonly events$ = new Subject<VenueEvent>();
  readonly placed = new Map<string, ApprovedOrder>();
  readonly canceled = new Set<string>();

  constructor(
    readonly capabilities: VenueCapabilities,
    /** Called as something is handed over: what the venue told at once then, it tells now. */
    private readonly onSend: () => void,
  ) {}

  submit(orders: readonly ApprovedOrder[]): void {
    for (const order of orders) this.placed.set(order.clientOrderId, order);
    this.onSend();
  }

  cancel({ clientOrderId }: CancelRequest): void {
    this.canceled.add(clientOrderId);
    this.onSend();
  }
}

import type { VenueEvent } from '../../../model/account-events.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Balance } from '../../../model/ledger.ts';
import type { OrderRequest } from '../../../model/order.ts';
import type { Rejection } from '../../../model/reasons.ts';
import type { Lookups, OfSpot, Question, SeenBalance, SeenFill, SeenOrder, Since } from '../../reconcile/records.ts';

/** An order in the exchange's records. */
interface OrderRecord {
  readonly request: OrderRequest;
  /** Empty until it is accepted. */
  orderId: string;
  refusal: Rejection | undefined;
  filledSteps: number;
  over: 'filled' | 'canceled' | undefined;
  readonly fills: SeenFill[];
}

/** The records of the simulated exchange: events write them, and they answer the questions of a reconciliation at once. */
export class ExchangeRecords implements Lookups<OfSpot> {
  readonly #orders = new Map<string, OrderRecord>();
  readonly #byOrderId = new Map<string, OrderRecord>();
  readonly #fills = new Map<Instrument, SeenFill[]>();
  readonly #balances = new Map<string, Balance>();

  /** An order is about to arrive. */
  open(request: OrderRequest): void {
    this.#orders.set(request.clientOrderId, { request, orderId: '', refusal: undefined, filledSteps: 0, over: undefined, fills: [] });
  }

  /** The exchange's id of the order it has just accepted, or the reason why it has not. */
  replyTo(clientOrderId: string): { readonly orderId: string } | { readonly refusal: Rejection } {
    const { orderId = '', refusal } = this.#orders.get(clientOrderId) ?? {};
    return refusal === undefined ? { orderId } : { refusal };
  }

  /** Whether the order can still be canceled. */
  isOpen(clientOrderId: string): boolean {
    const record = this.#orders.get(clientOrderId);
    return record !== undefined && record.orderId !== '' && record.over === undefined;
  }

  /** Drops the orders that are over, but for those of which `isWanted`. */
  forget(isWanted: (clientOrderId: string) => boolean): void {
    for (const [clientOrderId, { orderId, over, refusal }] of this.#orders) {
      if ((over === undefined && refusal === undefined) || isWanted(clientOrderId)) continue;
      this.#orders.delete(clientOrderId);
      this.#byOrderId.delete(orderId);
    }
  }

  /** Takes the events of the simulated exchange's account. */
  take(event: VenueEvent): void {
    if (event.kind === 'balanceChanged') this.#balances.set(event.balance.asset, event.balance);
    else if ('clientOrderId' in event) this.#order(event, this.#orders.get(event.clientOrderId));
  }

  order({ id }: Question<'order'>): SeenOrder | undefined {
    const record = 'orderId' in id ? this.#byOrderId.get(id.orderId) : this.#orders.get(id.clientOrderId);
    if (record === undefined || record.orderId === '') return undefined;
    const { request, orderId, filledSteps, over } = record;
    const { clientOrderId, instrument, side, type } = request;
    return {
      orderId,
      clientOrderId,
      symbol: instrument.symbol,
      side,
      type,
      price: undefined,
      quantity: undefined,
      filled: instrument.step.toDecimal(filledSteps),
      status: over ?? (filledSteps > 0 ? 'partiallyFilled' : 'open'),
      createdAt: undefined,
    };
  }

  fills({ instrument, from }: Question<'fills'>): Since<SeenFill> {
    const kept = this.#fills.get(instrument) ?? [];
    const first = kept.findIndex(({ time }) => time >= from);
    // Older ones are not asked for again.
    kept.splice(0, first === -1 ? kept.length : first);
    return { records: kept, from, whole: true };
  }

  fillsOf({ orderId }: Question<'fillsOf'>): readonly SeenFill[] {
    return this.#byOrderId.get(orderId)?.fills ?? [];
  }

  balances(): readonly SeenBalance[] {
    return [...this.#balances.values()];
  }

  transfers({ from }: Question<'transfers'>): Since<never> {
    return { records: [], from, whole: true };
  }

  /** @param record undefined for a foreign order on the account: only its reserved funds are visible. */
  #order(event: VenueEvent, record: OrderRecord | undefined): void {
    if (record === undefined) return;
    switch (event.kind) {
      case 'orderAccepted':
        record.orderId = event.orderId;
        this.#byOrderId.set(event.orderId, record);
        break;
      case 'orderRejected':
        // Refused on arrival, it never existed; refused later, it ends.
        if (record.orderId === '') record.refusal = event.reason;
        else record.over = 'canceled';
        break;
      case 'orderFilled':
        this.#fill(event.fill, record);
        if (event.complete) record.over = 'filled';
        break;
      case 'orderCanceled':
      case 'orderExpired':
        record.over = 'canceled';
        break;
      default:
    }
  }

  #fill(fill: Fill, record: OrderRecord): void {
    const { fillId, orderId, side, instrument, steps, notional, fee, priceTicks } = fill;
    const seen: SeenFill = {
      fillId,
      orderId,
      side,
      price: instrument.tick.toDecimal(priceTicks),
      quantity: instrument.step.toDecimal(steps),
      notional,
      fee,
      // Records have whole ms.
      time: Math.floor(fill.time),
      known: fill,
    };
    record.filledSteps += steps;
    record.fills.push(seen);
    const kept = this.#fills.get(instrument);
    if (kept === undefined) this.#fills.set(instrument, [seen]);
    else kept.push(seen);
  }
}

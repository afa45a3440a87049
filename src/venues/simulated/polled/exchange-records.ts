import type { BalanceChanged, VenueEvent } from '../../../model/account-events.ts';
import { type Decimal, ZERO } from '../../../model/decimal.ts';
import type { Fill } from '../../../model/fill.ts';
import type { LedgerEntry } from '../../../model/ledger.ts';
import type { OrderRequest } from '../../../model/order.ts';
import type { Rejection } from '../../../model/reasons.ts';

/** A fill in the exchange's records, with its ledger entries. */
export interface FillRecord {
  readonly fill: Fill;
  readonly entries: readonly LedgerEntry[];
  readonly record: OrderRecord;
}

/** An order in the exchange's records, as a query shows it. */
export class OrderRecord {
  /** Empty until it is accepted. */
  orderId = '';
  refusal: Rejection | undefined;
  filledSteps = 0;
  over: 'filled' | 'canceled' | undefined;

  constructor(readonly request: OrderRequest) {}
}

/** The records of the simulated exchange: events write them, queries read them. */
export class ExchangeRecords {
  readonly #orders = new Map<string, OrderRecord>();
  readonly #frozen = new Map<string, Decimal>();
  #unseen: FillRecord[] = [];
  #entries: LedgerEntry[] = [];

  /** An order is about to arrive. */
  open(request: OrderRequest): OrderRecord {
    const record = new OrderRecord(request);
    this.#orders.set(request.clientOrderId, record);
    return record;
  }

  /** The present record of the order; `undefined` where the exchange never accepted it. */
  find(clientOrderId: string): OrderRecord | undefined {
    const record = this.#orders.get(clientOrderId);
    return record === undefined || record.orderId === '' ? undefined : record;
  }

  /** The record is not needed any more. */
  forget(clientOrderId: string): void {
    this.#orders.delete(clientOrderId);
  }

  frozen(asset: string): Decimal {
    return this.#frozen.get(asset) ?? ZERO;
  }

  /** Fills that have not been reported, oldest first. */
  get unseen(): readonly FillRecord[] {
    return this.#unseen;
  }

  seen(fills: readonly FillRecord[]): void {
    this.#unseen = this.#unseen.filter((fill) => !fills.includes(fill));
  }

  /** Takes the events of the simulated exchange's account. */
  take(event: VenueEvent): void {
    if (event.kind === 'balanceChanged') {
      this.#balance(event);
      return;
    }
    const record = 'clientOrderId' in event ? this.#orders.get(event.clientOrderId) : undefined;
    // Only the reserved funds of a foreign order on the account are visible.
    if (record === undefined && 'clientOrderId' in event) this.#entries = [];
    else if (record !== undefined) this.#order(event, record);
  }

  #balance(event: BalanceChanged): void {
    const { balance, entry } = event;
    this.#frozen.set(balance.asset, balance.frozen);
    if (entry !== undefined) this.#entries.push(entry);
  }

  #order(event: VenueEvent, record: OrderRecord): void {
    switch (event.kind) {
      case 'orderAccepted':
        record.orderId = event.orderId;
        break;
      case 'orderRejected':
        // Refused on arrival, it never existed; refused later, it ends.
        if (record.orderId === '') record.refusal = event.reason;
        else record.over = 'canceled';
        break;
      case 'orderFilled':
        record.filledSteps += event.fill.steps;
        this.#unseen.push({ fill: event.fill, entries: this.#entries, record });
        this.#entries = [];
        if (event.complete) record.over = 'filled';
        break;
      case 'orderCanceled':
      case 'orderExpired':
        record.over = 'canceled';
        break;
      default:
    }
  }
}

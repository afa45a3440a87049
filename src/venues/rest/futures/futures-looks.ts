import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { statusOf } from '../../../exchange/mapping/order-status.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { OrderLife } from '../order-life.ts';
import type { Outlets } from '../outlets.ts';
import type { TrackedOrders } from '../tracked-orders.ts';
import type { ForcedOrders } from './forced-orders.ts';
import { type FuturesOrderRecord, readOrders, type Sights } from './sights.ts';

export interface LooksParts {
  readonly client: Pick<ExchangeClient, 'futuresOrders'>;
  readonly outlets: Outlets;
  readonly orders: TrackedOrders;
  readonly life: OrderLife;
  readonly sights: Sights;
  readonly forced: ForcedOrders;
  readonly isOwn: (clientOrderId: string) => boolean;
}

/** Reads the current orders of a contract (operation 14) and notes what they show of each of ours, and of whose the others are. */
export class FuturesLooks {
  /** Ids of listed orders that are not ours. */
  readonly strangers = new Set<string>();

  constructor(private readonly parts: LooksParts) {}

  /** @throws ExchangeError. */
  async look(instrument: Instrument): Promise<void> {
    const { client, outlets, orders, sights, life } = this.parts;
    const askedAt = outlets.clock.now();
    const asked = orders.alive.filter(({ request, phase }) => request.instrument === instrument && phase !== 'sending');
    const records = await readOrders(client, instrument);
    const byClientId = new Map(records.map((record) => [record.client_oid, record]));
    for (const record of records) {
      const order = orders.find(record.client_oid);
      if (order === undefined) this.#stranger(record, instrument);
      else if (order.phase !== 'sending') life.accepted(order, record.order_id);
    }
    for (const order of asked) if (order.alive) sights.note(order, byClientId.get(order.clientOrderId), askedAt);
    sights.listed(instrument, askedAt);
  }

  #stranger(record: FuturesOrderRecord, instrument: Instrument): void {
    const { forced, isOwn, outlets } = this.parts;
    if (forced.note(record, instrument) || this.strangers.has(record.order_id)) return;
    // Of orders that are over the journal need not know any more.
    const status = statusOf(record.status);
    if (status === 'filled' || status === 'canceled') return;
    this.strangers.add(record.order_id);
    const whose = isOwn(record.client_oid) ? 'bears an id of this bot that the journal does not know' : 'is not ours';
    outlets.log.warn(`order ${record.order_id} ${whose}`, { orderId: record.order_id, clientOrderId: record.client_oid });
  }
}

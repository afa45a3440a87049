import type { Instrument } from '../../../model/instrument.ts';
import type { ApprovedOrder, CancelRequest } from '../../../model/order.ts';
import { isTerminal } from '../../../model/order-state.ts';
import { newDoubt } from '../doubts.ts';
import { type Difference, differencesOf, type Resumed, type Trading } from '../trading.ts';
import { readOrders } from './attribution/sights.ts';
import type { FuturesParts } from './futures-parts.ts';
import { FuturesSending } from './futures-sending.ts';
import { FuturesWatch } from './futures-watch.ts';
import { PictureReader } from './picture/picture-reader.ts';

/** The futures half of the exchange: what it reads becomes what the watch knows, and what the engine wants leaves through the lane. */
export class FuturesTrading implements Trading {
  readonly #parts: FuturesParts;
  readonly #watch: FuturesWatch;
  readonly #reader: PictureReader;
  readonly #sending: FuturesSending;
  #resumed: Resumed | undefined;

  constructor(parts: FuturesParts) {
    this.#parts = parts;
    const { client, lane, outlets } = parts;
    this.#reader = new PictureReader(parts);
    this.#watch = new FuturesWatch({
      ...parts,
      sending: {
        cancel: (order) => this.#sending.cancel(order),
        probe: (order, over) => this.#sending.probe(order, over),
        takeBack: (order) => this.#sending.takeBack(order),
      },
    });
    this.#sending = new FuturesSending(client, lane, this.#watch.life, outlets, {
      answered: (order) => this.#watch.sights.answered(order),
      provedAbsent: (order) => this.#watch.provedAbsent(order),
    });
  }

  get nextDue(): number {
    return this.#watch.nextDue;
  }

  get idle(): boolean {
    return this.#parts.lane.idle && this.#watch.calm;
  }

  place(orders: readonly ApprovedOrder[]): void {
    for (const request of orders) this.#sending.place(this.#watch.place(request));
  }

  cancel({ clientOrderId, reason }: CancelRequest): void {
    const order = this.#watch.orders.find(clientOrderId);
    const { outlets } = this.#parts;
    if (order?.alive !== true) {
      outlets.tell({ kind: 'cancelRejected', time: outlets.clock.now(), clientOrderId });
      outlets.settled();
      return;
    }
    this.#watch.life.wished(order, reason);
    this.#sending.cancel(order);
  }

  resume(resumed: Resumed): void {
    const { settings, outlets } = this.#parts;
    const { orders, sights, life } = this.#watch;
    const now = outlets.clock.now();
    for (const each of resumed.orders) {
      const order = orders.resume(each, isTerminal(each.status));
      if (each.triggered) this.#watch.knownFired(order);
      sights.answered(order);
      if (!order.alive) continue;
      // No request of a process that is gone can still leave.
      if (order.phase === 'unknown') {
        order.doubt = newDoubt(settings, each.status === 'unknown' ? (each.unknownSince ?? now) : now, false);
        if (each.status !== 'unknown') outlets.tell({ kind: 'orderUnknown', time: now, clientOrderId: order.clientOrderId });
      }
      if (each.cancelRequested) order.wish = { reason: 'requested', stage: 'doubtful', since: now };
      life.lookIn(order, 0);
    }
    this.#watch.resume(resumed);
    this.#resumed = resumed;
  }

  async open(): Promise<readonly Difference[]> {
    const before = new Map(this.#reader.coins.map((coin) => [coin, this.#watch.total(coin)]));
    const known = this.#watch.based;
    if (!known) await this.#begin();
    await this.round(true);
    this.#watch.opened = true;
    const moved = [...before].flatMap(([coin, journal]): Difference[] => {
      const exchange = this.#watch.total(coin);
      if (!known || exchange.equals(journal)) return [];
      return [{ what: 'balance', subject: coin, journal: journal.toFixed(), exchange: exchange.toFixed(), cause: 'moved while away' }];
    });
    return [...differencesOf(this.#resumed?.orders ?? [], this.#watch.orders), ...moved];
  }

  async round(full: boolean): Promise<void> {
    try {
      if (!this.#watch.look(full)) return;
      const first = await this.#reader.read();
      const due = this.#watch.due(full, first);
      for (const instrument of due) await this.#list(instrument);
      this.#watch.commit(due.length > 0 ? await this.#reader.read() : first);
    } finally {
      this.#parts.outlets.settled();
    }
  }

  /** The very first start. @throws TidegateError START_REFUSED where orders of others would be in the way. */
  async #begin(): Promise<void> {
    const pictures = await this.#reader.read();
    for (const instrument of this.#parts.instruments) await this.#list(instrument);
    this.#watch.begin(pictures);
  }

  /** @throws ExchangeError. */
  async #list(instrument: Instrument): Promise<void> {
    const asked = this.#watch.lists.ask(instrument);
    this.#watch.lists.note(asked, await readOrders(this.#parts.client, instrument));
  }
}

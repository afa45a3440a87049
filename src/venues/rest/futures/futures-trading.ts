import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../../exchange/errors.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { ApprovedOrder, CancelRequest } from '../../../model/order.ts';
import { isTerminal } from '../../../model/order-state.ts';
import type { SendLane } from '../send-lane.ts';
import { differencesOf, newDoubt } from '../tracked-orders.ts';
import type { Difference, Resumed, SendingSettings, Trading } from '../trading.ts';
import { readOrders } from './attribution/sights.ts';
import { FuturesSending } from './futures-sending.ts';
import { FuturesWatch, type WatchParts } from './futures-watch.ts';
import { checkSettings } from './margin-binding.ts';
import { pictureOf, type Read } from './picture/account-picture.ts';

/** Between two looks of a start that waits for explanations, in ms. */
const EXPLAIN_MS = 500;

/** What the futures half is made of: what its watch needs, and the way to ask. */
interface FuturesParts extends Omit<WatchParts, 'sending'> {
  readonly client: ExchangeClient;
  readonly lane: SendLane;
  /** The exchange's ids of quote coins; what is left out is known, or refused. */
  readonly coinIds?: ReadonlyMap<string, string> | undefined;
  /** See `SendingSettings`. */
  readonly urgencyOf?: SendingSettings['urgencyOf'];
}

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
    this.#sending = new FuturesSending(
      client,
      lane,
      this.#watch.life,
      outlets,
      {
        answered: (order) => this.#watch.sights.answered(order),
        provedAbsent: (order) => this.#watch.provedAbsent(order),
      },
      { ...parts.settings, urgencyOf: parts.urgencyOf },
    );
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
    if (this.#parts.lane.takeBack(order) !== undefined) {
      this.#sending.takenBack(order, reason);
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
      life.resumeGap(order);
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
    if (known) await this.#explained();
    this.#watch.opened = true;
    const moved = [...before].flatMap(([coin, journal]): Difference[] => {
      const exchange = this.#watch.total(coin);
      if (!known || exchange.equals(journal)) return [];
      return [{ what: 'balance', subject: coin, journal: journal.toFixed(), exchange: exchange.toFixed(), cause: 'moved while away' }];
    });
    return [...differencesOf(this.#resumed?.orders ?? [], this.#watch.orders), ...moved, ...this.#watch.found];
  }

  /** Waits until it is known whose what was traded meanwhile is; where an order is in doubt, that may take longer than a start may. */
  async #explained(): Promise<void> {
    const { outlets, settings } = this.#parts;
    const until = outlets.clock.now() + 3 * settings.visibilityLagMs;
    const isSure = () => this.#watch.orders.alive.every(({ phase }) => phase !== 'unknown');
    while (this.#watch.waits && isSure() && outlets.clock.now() < until) {
      await new Promise<void>((resolve) => void outlets.clock.schedule(outlets.clock.now() + EXPLAIN_MS, resolve));
      await this.round(true).catch((error: unknown) => {
        if (!(error instanceof ExchangeError)) throw error;
      });
    }
  }

  doubt(reason: string): void {
    this.#watch.doubt(this.#parts.instruments, reason);
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

  lift(): void {
    this.#watch.lift();
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

/** Ids that are known of the exchange. */
const COIN_IDS: ReadonlyMap<string, string> = new Map([
  ['BTC', '1'],
  ['USDT', '2'],
]);

/** The exchange's id of a coin that contracts are settled in. @throws TidegateError START_REFUSED where nobody has named it. */
export function coinIdOf(coin: string, named: ReadonlyMap<string, string> | undefined): string {
  const id = named?.get(coin) ?? COIN_IDS.get(coin);
  if (id !== undefined) return id;
  throw new TidegateError('START_REFUSED', `the config names no id of the coin ${coin}, which futures are settled in`);
}

/** Reads operation 16 for every coin that contracts of the run are settled in. */
class PictureReader {
  readonly coins: readonly string[];
  readonly #symbols: ReadonlyMap<string, string>;
  #checked = false;

  constructor(private readonly parts: Pick<FuturesParts, 'client' | 'instruments' | 'coinIds' | 'expected' | 'outlets'>) {
    this.coins = [...new Set(parts.instruments.map(({ quote }) => quote))].sort();
    this.#symbols = new Map(parts.expected?.map(({ contractId, instrument }) => [contractId, wireSymbol(instrument.symbol)]));
  }

  /** @throws ExchangeError; TidegateError START_REFUSED, at the first reading, where settings are not as expected. */
  async read(): Promise<ReadonlyMap<string, Read>> {
    const { client, instruments, expected = [], outlets } = this.parts;
    const found = new Map<string, Read>();
    for (const coin of this.coins) {
      const askedAt = outlets.clock.now();
      const payload = await client.futuresAccount({ coinId: coinIdOf(coin, this.parts.coinIds) });
      if (!this.#checked)
        checkSettings(
          expected.filter(({ instrument }) => instrument.quote === coin),
          payload.account,
        );
      found.set(coin, { askedAt, picture: pictureOf(coin, payload, instruments, this.#symbols) });
    }
    this.#checked = true;
    return found;
  }
}

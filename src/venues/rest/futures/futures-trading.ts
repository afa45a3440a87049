import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../../exchange/errors.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { ApprovedOrder, CancelRequest } from '../../../model/order.ts';
import { differencesOf, newUnknownOutcome, type TrackedOrder } from '../../reconcile/order-record.ts';
import type { Difference, Resumed } from '../../reconcile/settings.ts';
import { ListedGrids } from '../listed-grids.ts';
import type { RequestQueue } from '../request-queue.ts';
import type { SendingSettings, Trading } from '../trading.ts';
import { readOrders } from './attribution/listed-states.ts';
import { FuturesSending } from './futures-sending.ts';
import { FuturesWatch, type WatchParts } from './futures-watch.ts';
import { checkSettings } from './margin-binding.ts';
import { type Read, snapshotOf } from './snapshot/account-snapshot.ts';

/** Pause between two polls of a start that waits for explanations, and its longest wait while polls fail, in ms. */
const EXPLAIN_MS = 500;
const EXPLAIN_MAX_MS = 30_000;

/** The parts of the futures half: those of its watch, and the means to send requests. */
interface FuturesParts extends Omit<WatchParts, 'sending' | 'grids'> {
  readonly client: ExchangeClient;
  readonly queue: RequestQueue;
  /** The exchange's ids of quote coins. A coin that is left out has a built-in id, or is refused. */
  readonly coinIds?: ReadonlyMap<string, string> | undefined;
  /** See `SendingSettings`. */
  readonly urgencyOf?: SendingSettings['urgencyOf'];
}

/** The futures half of the exchange: feeds the watch with what it reads, and sends the engine's orders through the request queue. */
export class FuturesTrading implements Trading {
  readonly #parts: FuturesParts;
  readonly #watch: FuturesWatch;
  readonly #reader: SnapshotReader;
  readonly #sending: FuturesSending;
  readonly #grids: ListedGrids;
  #resumed: Resumed | undefined;

  constructor(parts: FuturesParts) {
    this.#parts = parts;
    const { client, queue, context } = parts;
    this.#reader = new SnapshotReader(parts);
    this.#grids = new ListedGrids({ client, instruments: parts.instruments, context, changed: () => this.#watch.judge() });
    this.#watch = new FuturesWatch({
      ...parts,
      grids: this.#grids,
      sending: {
        cancel: (order) => this.#sending.cancel(order),
        probe: (order, over) => this.#sending.probe(order, over),
        takeBack: (order) => this.#sending.takeBack(order),
      },
    });
    this.#sending = new FuturesSending(
      client,
      queue,
      this.#watch.life,
      context,
      {
        answered: (order) => this.#watch.listedStates.answered(order),
        provedAbsent: (order) => this.#watch.provedAbsent(order),
      },
      this.#grids,
      { ...parts.settings, urgencyOf: parts.urgencyOf },
    );
  }

  get nextDue(): number {
    return this.#watch.nextDue;
  }

  get idle(): boolean {
    return this.#parts.queue.idle && this.#watch.calm;
  }

  place(orders: readonly ApprovedOrder[]): void {
    for (const request of orders) this.#sending.place(this.#watch.place(request));
  }

  cancel({ clientOrderId, reason }: CancelRequest): void {
    const order = this.#watch.orders.find(clientOrderId);
    const { context } = this.#parts;
    if (order?.alive !== true) {
      context.report({ kind: 'cancelRejected', time: context.clock.now(), clientOrderId });
      context.settled();
      return;
    }
    if (this.#parts.queue.withdraw(order) !== undefined) {
      this.#sending.takenBack(order, reason);
      return;
    }
    this.#watch.life.cancelQueued(order, reason);
    this.#sending.cancel(order);
  }

  resume(resumed: Resumed): void {
    const { settings, context } = this.#parts;
    const { orders, listedStates, life } = this.#watch;
    const now = context.clock.now();
    for (const each of resumed.orders) {
      const order = orders.resume(each, now);
      if (each.triggered) this.#watch.knownFired(order);
      listedStates.answered(order);
      if (each.cancelRequested && order.phase !== 'ended') order.pendingCancel = { reason: 'requested', stage: 'unclear', since: now };
      if (!order.alive) continue;
      life.resumeGap(order);
      // A request of a process that has ended can no longer be sent.
      if (order.phase === 'unknown') {
        order.unknownOutcome = newUnknownOutcome(settings, each.status === 'unknown' ? (each.unknownSince ?? now) : now, false);
        if (each.status !== 'unknown') context.report({ kind: 'orderUnknown', time: now, clientOrderId: order.clientOrderId });
      }
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
      return [
        {
          what: 'balance',
          subject: coin,
          journal: journal.toFixed(),
          exchange: exchange.toFixed(),
          cause: 'changed while the bot was stopped',
        },
      ];
    });
    return [...differencesOf(this.#resumed?.orders ?? [], this.#watch.orders), ...moved, ...this.#watch.found];
  }

  /**
   * Waits until the trades made meanwhile are attributed. If an order with an unknown outcome may have made them, that may take longer
   * than a start may.
   */
  async #explained(): Promise<void> {
    const { context, settings } = this.#parts;
    const now = () => context.clock.now();
    const began = now();
    const enough = began + 3 * settings.visibilityLagMs;
    for (let lookedAt = began; this.#watch.waitsSurely && lookedAt < enough && now() < began + EXPLAIN_MAX_MS; ) {
      await new Promise<void>((resolve) => void context.clock.schedule(now() + EXPLAIN_MS, resolve));
      const requestedAt = now();
      try {
        await this.round(true);
        lookedAt = requestedAt;
      } catch (error) {
        if (!(error instanceof ExchangeError)) throw error;
      }
    }
    if (this.#watch.waitsSurely) this.#parts.lost?.unexplained('futures were traded, and their orders are not known yet');
  }

  haltUntilReset(reason: string, instrument?: Instrument): void {
    this.#watch.haltUntilReset(instrument === undefined ? this.#parts.instruments : [instrument], reason);
  }

  async round(full: boolean): Promise<void> {
    try {
      if (!this.#watch.look(full)) return;
      await this.#grids.readIfDue();
      const first = await this.#reader.read();
      const due = this.#watch.due(full, first);
      for (const instrument of due) await this.#list(instrument);
      const snapshots = due.length > 0 ? await this.#reader.read() : first;
      this.#watch.commit(snapshots, await this.#traceless(this.#watch.suspects(snapshots)));
    } finally {
      this.#parts.context.settled();
    }
  }

  lift(): void {
    this.#watch.lift();
  }

  /** The very first start. @throws TidegateError START_REFUSED if foreign orders would be in the way. */
  async #begin(): Promise<void> {
    const snapshots = await this.#reader.read();
    for (const instrument of this.#parts.instruments) await this.#list(instrument);
    this.#watch.begin(snapshots);
  }

  /**
   * Those of the orders of which neither the waiting nor the ended triggers have a trace, with the time at which that was asked.
   * @throws ExchangeError.
   */
  async #traceless(suspects: readonly TrackedOrder[]): Promise<ReadonlyMap<TrackedOrder, number>> {
    const { client, context } = this.#parts;
    const found = new Map<TrackedOrder, number>();
    for (const order of suspects) {
      const requestedAt = context.clock.now();
      const symbol = wireSymbol(order.request.instrument.symbol);
      const isIt = (one: { readonly order_id: string; readonly client_oid: string }) =>
        one.client_oid === order.clientOrderId || one.order_id === order.orderId;
      const waiting = await client.triggers({ symbol });
      // An order of an earlier process has no such time.
      const since = Number.isNaN(order.sentAt) ? {} : { startTime: Math.max(0, Math.floor(order.sentAt - TRACE_MARGIN_MS)) };
      const over = await client.triggerHistory({ symbol, ...since });
      // Behind further pages there may be one.
      if (!over.nextPage && ![...waiting, ...over.list].some(isIt)) found.set(order, requestedAt);
    }
    return found;
  }

  /** @throws ExchangeError. */
  async #list(instrument: Instrument): Promise<void> {
    const request = this.#watch.lists.request(instrument);
    this.#watch.lists.note(request, await readOrders(this.#parts.client, instrument));
  }
}

/** The exchange's clock may be so far behind that of the request. */
const TRACE_MARGIN_MS = 60_000;

/** The exchange's ids that are built in. */
const COIN_IDS: ReadonlyMap<string, string> = new Map([
  ['BTC', '1'],
  ['USDT', '2'],
]);

/**
 * The exchange's id of a coin in which contracts are settled. @throws TidegateError START_REFUSED if it is neither built in nor configured.
 */
export function coinIdOf(coin: string, named: ReadonlyMap<string, string> | undefined): string {
  const id = named?.get(coin) ?? COIN_IDS.get(coin);
  if (id !== undefined) return id;
  throw new TidegateError('START_REFUSED', `the config has no id of the coin ${coin}, in which futures are settled`);
}

/** Reads operation 16 for every coin in which contracts of the run are settled. */
class SnapshotReader {
  readonly coins: readonly string[];
  readonly #symbols: ReadonlyMap<string, string>;
  #checked = false;

  constructor(private readonly parts: Pick<FuturesParts, 'client' | 'instruments' | 'coinIds' | 'expected' | 'context'>) {
    this.coins = [...new Set(parts.instruments.map(({ quote }) => quote))].sort();
    this.#symbols = new Map(parts.expected?.map(({ contractId, instrument }) => [contractId, wireSymbol(instrument.symbol)]));
  }

  /** @throws ExchangeError; TidegateError START_REFUSED, at the first reading, if settings are not as expected. */
  async read(): Promise<ReadonlyMap<string, Read>> {
    const { client, instruments, expected = [], context } = this.parts;
    const found = new Map<string, Read>();
    for (const coin of this.coins) {
      const requestedAt = context.clock.now();
      const payload = await client.futuresAccount({ coinId: coinIdOf(coin, this.parts.coinIds) });
      if (!this.#checked)
        checkSettings(
          expected.filter(({ instrument }) => instrument.quote === coin),
          payload.account,
        );
      found.set(coin, { requestedAt, snapshot: snapshotOf(coin, payload, instruments, this.#symbols) });
    }
    this.#checked = true;
    return found;
  }
}

import { wireSymbol } from '../../../exchange/symbols.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { OrderRequest } from '../../../model/order.ts';
import { Adoption } from '../../reconcile/foreign.ts';
import type { GridsThere } from '../../reconcile/halts.ts';
import { OrderLife } from '../../reconcile/order-life.ts';
import { leftOf, TrackedOrder, TrackedOrders } from '../../reconcile/order-record.ts';
import {
  type Difference,
  type LostIds,
  NOTHING_LOST,
  type ReconcileSettings,
  type Resumed,
  type VenueContext,
} from '../../reconcile/settings.ts';
import { Attribution, concerns } from './attribution/attribution.ts';
import { FillReporter, ForcedOrders } from './attribution/fill-reporter.ts';
import { hiddenOpeners } from './attribution/hidden-openers.ts';
import { ListedStates, RecentlyEnded, Triggers } from './attribution/listed-states.ts';
import { FuturesBooks } from './futures-books.ts';
import { FuturesLists } from './futures-lists.ts';
import type { FuturesSending } from './futures-sending.ts';
import { FuturesWallet } from './futures-wallet.ts';
import { type ExpectedContract, MarginBinding } from './margin-binding.ts';
import { FuturesAdoption, FuturesHalts, OrderEnds } from './order-ends.ts';
import type { Read } from './snapshot/account-snapshot.ts';

export interface WatchParts {
  readonly instruments: readonly Instrument[];
  readonly settings: ReconcileSettings;
  readonly context: VenueContext;
  /** Whether a client id is one of this bot's. */
  readonly isOwn: (clientOrderId: string) => boolean;
  /** The strategy that adopts foreign orders on an instrument; `undefined` if none does. */
  readonly adopterOf: (instrument: Instrument) => string | undefined;
  /** If left out, lost orders are not searched for. */
  readonly lost?: LostIds | undefined;
  /** The settings that the exchange must have. */
  readonly expected?: readonly ExpectedContract[] | undefined;
  /** Grids of the exchange that are not the config's. */
  readonly grids: GridsThere;
  /** Requests that deciding the end of an order needs. */
  readonly sending: Pick<FuturesSending, 'cancel' | 'probe' | 'takeBack'>;
}

/**
 * Reconciles a futures account from snapshots and lists. Differences of snapshots show trades
 * and their costs; lists show which orders made them. It reports the resulting events. It awaits nothing,
 * and sends only the requests that deciding the end of an order needs.
 */
export class FuturesWatch {
  readonly orders = new TrackedOrders();
  readonly life: OrderLife;
  readonly listedStates: ListedStates;
  readonly lists: FuturesLists;
  /** The run has started: from now on memory becomes durable together with the reported events. */
  opened = false;
  /** There is a snapshot as a baseline. */
  based = false;
  /** An earlier run has left a baseline. */
  #wasBased = false;
  /** Epoch ms at which this run resumed. */
  #resumedAt = Number.NEGATIVE_INFINITY;
  readonly #parts: WatchParts;
  readonly #triggers: Triggers;
  readonly #wallet: FuturesWallet;
  readonly #forced = new ForcedOrders();
  readonly #books: FuturesBooks;
  readonly #attribution: Attribution;
  readonly #ends: OrderEnds;
  readonly #halts: FuturesHalts;
  readonly #recentlyEnded = new RecentlyEnded();
  readonly #adoption: FuturesAdoption;
  readonly #binding: MarginBinding;
  readonly #found: Difference[] = [];
  readonly #lost: LostIds;
  /** Epoch ms of the last poll. */
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    const { settings, context, instruments, isOwn, sending, lost = NOTHING_LOST } = parts;
    const now = () => context.clock.now();
    const { orders } = this;
    this.#lost = lost;
    const [forced, bySymbol] = [this.#forced, new Map(instruments.map((one) => [wireSymbol(one.symbol), one]))];
    const life = new OrderLife(orders, settings, context);
    const listedStates = new ListedStates(settings.visibilityLagMs, now);
    const triggers = new Triggers(context);
    const wallet = new FuturesWallet((event) => context.report(event), now);
    this.lists = new FuturesLists({ context, orders, life, listedStates, forced, isOwn, lost, lagMs: settings.visibilityLagMs });
    this.#ends = new OrderEnds({ life, settings, context, listedStates, triggers, sending, forced });
    this.#books = new FuturesBooks({
      instruments: bySymbol,
      context,
      wallet,
      forced,
      recentlyEnded: this.#recentlyEnded,
      find: (clientOrderId) => orders.find(clientOrderId),
      lagMs: settings.visibilityLagMs,
      openersOf: (sought) => hiddenOpeners({ ...sought, orders: orders.alive, listedStates }),
      unexplained: (coin, amount) => this.#halts.unexplained(coin, amount),
    });
    const held = (symbol: string, side: 'long' | 'short') => this.#books.held(symbol, side);
    const foreign = (instrument: Instrument, what: string, since: number) => this.#foreign(instrument, what, since);
    const reporter = new FillReporter({ life, context, listedStates, triggers, wallet, forced, held, foreign });
    this.#attribution = new Attribution({
      orders,
      listedStates,
      reporter,
      instruments: bySymbol,
      recentlyEnded: this.#recentlyEnded,
      forced,
      held,
      isOthers: (orderId) => this.lists.isOthers(orderId),
    });
    const books = this.#books;
    this.#adoption = new FuturesAdoption({ adoption: new Adoption({ ...parts, orders, life }), listedStates, books });
    this.#binding = new MarginBinding({ expected: parts.expected, orders, listedStates, triggers, books, wallet, instruments: bySymbol });
    this.life = life;
    this.listedStates = listedStates;
    this.#triggers = triggers;
    this.#wallet = wallet;
    this.#halts = new FuturesHalts(settings, context, parts.grids);
  }

  /** Epoch ms at which the next poll is due; `Infinity` if none is. */
  get nextDue(): number {
    const soon = this.waits ? this.#lookedAt + 2 * this.#parts.settings.lookupMinMs : Number.POSITIVE_INFINITY;
    return [...this.orders.alive, ...this.orders.vanished].reduce((due, { lookAt }) => Math.min(due, lookAt), soon);
  }

  /** A trade has been seen and not reported. */
  get waits(): boolean {
    return this.#books.waits;
  }

  /** The same, without trades that an order with an unknown outcome may have made: these wait as long as the outcome is unknown. */
  get waitsSurely(): boolean {
    const withUnknownOutcome = this.orders.alive.filter(({ phase }) => phase === 'unknown');
    return this.#books.isHidden || this.#books.pools.all.some((pool) => !withUnknownOutcome.some((order) => concerns(order, pool)));
  }

  /** No order has an unknown outcome or is about to end. */
  get calm(): boolean {
    const calm = (order: TrackedOrder) => order.phase === 'open' && !order.pendingCancel && !this.listedStates.isAbsent(order);
    return !this.waits && this.orders.alive.every(calm);
  }

  /** Balance of the wallet, as reported. */
  total(coin: string) {
    return this.#wallet.total(coin);
  }

  /** An order is about to be sent. */
  place(request: OrderRequest): TrackedOrder {
    const order = new TrackedOrder(request);
    order.sentAt = this.#now;
    this.orders.add(order);
    this.listedStates.placed(order);
    return order;
  }

  /** The cancel of an order that no list shows found nothing either. */
  provedAbsent(order: TrackedOrder): void {
    this.#ends.provedAbsent(order);
  }

  /** The journal shows that it has been triggered. */
  knownFired(order: TrackedOrder): void {
    this.#triggers.known(order);
  }

  /** Restores the state from the venue's memory, if there is one. */
  resume({ balances, halts }: Pick<Resumed, 'balances' | 'halts'>): void {
    this.#wallet.resume(balances);
    this.#halts.resume(this.#parts.instruments, halts);
    this.based = this.#books.resume();
    this.#wasBased = this.based;
    this.#resumedAt = this.#now;
  }

  /** Nothing opens a position there until a person resets it. */
  haltUntilReset(instruments: readonly Instrument[], reason: string): void {
    for (const instrument of instruments) this.#halts.stick(instrument, reason);
  }

  /** Trades made while the bot was stopped that no order of the journal explains. */
  get found(): readonly Difference[] {
    return this.#found;
  }

  /**
   * A trade before the start cannot be attributed: the journal may lack its order, so that the strategy would repeat
   * it. If an order with an unknown outcome may have made it, that shows only later.
   * @param since epoch ms: the trade was after that.
   */
  #foreign(instrument: Instrument, what: string, since: number): void {
    this.#halts.foreign(instrument);
    if (!this.#wasBased || (this.opened && since >= this.#resumedAt)) return;
    const { symbol } = instrument;
    this.#lost.unexplained(what);
    this.#found.push({ what: 'position', subject: symbol, journal: 'no order', exchange: what, cause: 'the journal does not explain it' });
    this.#halts.stick(instrument, `${what} while the bot did not run, and no order of the journal explains it`);
  }

  /** A person has allowed trading again. */
  lift(): void {
    this.#halts.lift();
  }

  /**
   * The very first poll: existing positions belong to no strategy. @throws TidegateError START_REFUSED if foreign orders would be in the
   * way.
   */
  begin(snapshots: ReadonlyMap<string, Read>): void {
    const { foreignOrders } = this.lists;
    if (this.#parts.settings.foreign === 'block' && foreignOrders.size > 0) {
      throw new TidegateError(
        'START_REFUSED',
        `futures orders that are in no journal of this bot (${[...foreignOrders.keys()].join(', ')}): cancel them, or set live.foreign to ignore or adopt`,
      );
    }
    this.#forced.baseline();
    for (const { snapshot } of snapshots.values()) this.#books.baseline(snapshot);
    this.#books.remember();
    this.based = true;
  }

  /** A poll begins. @returns false if there is nothing to read. */
  look(full: boolean): boolean {
    if (!full && !this.#hot && this.#now < this.#lookedAt + this.#parts.settings.idleMs) return false;
    this.#lookedAt = this.#now;
    return true;
  }

  /** Contracts whose lists this poll must read, by the snapshots that it began with. */
  due(full: boolean, snapshots: ReadonlyMap<string, Read>): Instrument[] {
    return this.#parts.instruments.filter((instrument) => full || this.#isDue(instrument, snapshots));
  }

  /**
   * Turns everything that was read into events, and persists the state they came from, in one step.
   * @param snapshots requested after the lists. So they include at least what the lists show, and no listed fill is reported before its
   * money is there.
   * @param traceless of the `suspects`, those that the exchange does not know, with the time at which that was asked.
   */
  commit(snapshots: ReadonlyMap<string, Read>, traceless: ReadonlyMap<TrackedOrder, number> = new Map()): void {
    const { alive } = this.orders;
    for (const [coin, { snapshot, requestedAt }] of snapshots) {
      if (snapshot.version === this.#books.snapshot(coin)?.version) this.#books.same(coin, requestedAt);
      else this.#books.take(snapshot, requestedAt);
    }
    this.#attribution.run(this.#books.pools);
    for (const order of alive) {
      const { quote } = order.request.instrument;
      const snapshotAt = snapshots.get(quote)?.requestedAt ?? Number.NaN;
      const isAccepted = (one: TrackedOrder) => this.#halts.isAccepted(one);
      this.#ends.judge(order, {
        pools: this.#books.pools,
        snapshotAt,
        hides: this.#books.hides(quote),
        acts: this.opened,
        isAccepted,
        traceless,
      });
    }
    if (this.opened) for (const order of this.lists.risen(this.#parts.settings.visibilityLagMs)) this.#parts.sending.takeBack(order);
    for (const order of alive) if (!order.alive && leftOf(order) > 0) this.#recentlyEnded.add(order, this.#now);
    this.#adoption.run([...this.lists.foreignOrders.values()].filter(({ requestedAt }) => requestedAt >= this.#lookedAt));
    for (const [coin, { snapshot }] of snapshots) this.#binding.bind(coin, snapshot);
    for (const order of this.orders.vanished) if (order.lookAt <= this.#now) this.life.lookLater(order);
    this.judge();
    this.#recentlyEnded.forget(this.#books.since);
    this.#books.remember();
  }

  /** Confirmed orders that no list has ever shown, and that now count as ended: perhaps they never were. */
  suspects(snapshots: ReadonlyMap<string, Read>): TrackedOrder[] {
    const atOf = ({ request }: TrackedOrder) => snapshots.get(request.instrument.quote)?.requestedAt ?? Number.NaN;
    return this.orders.alive.filter((order) => this.#ends.isSuspect(order, atOf(order)));
  }

  /** Halts contracts that must not be traded now, and releases the others. */
  judge(): void {
    this.#halts.review(this.#parts.instruments, [...this.orders.alive, ...this.orders.vanished]);
  }

  get #now(): number {
    return this.#parts.context.clock.now();
  }

  /** Something may happen: an order is active, a position is open, or a trade has not been reported. */
  get #hot(): boolean {
    return this.orders.size > 0 || this.waits || this.#books.snapshots.some(({ positions }) => positions.some(({ steps }) => steps > 0));
  }

  #isDue(instrument: Instrument, snapshots: ReadonlyMap<string, Read>): boolean {
    const mine = [...this.orders.alive, ...this.orders.vanished].filter(({ request }) => request.instrument === instrument);
    if (mine.length === 0 && !this.waits) return false;
    const { quote: coin } = instrument;
    const changed = snapshots.get(coin)?.snapshot.version !== this.#books.snapshot(coin)?.version;
    return changed || this.waits || mine.some(({ lookAt }) => lookAt <= this.#now);
  }
}

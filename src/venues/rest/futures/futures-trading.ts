import { wireSymbol } from '../../../exchange/symbols.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { ApprovedOrder, CancelRequest } from '../../../model/order.ts';
import { isTerminal } from '../../../model/order-state.ts';
import { differencesOf } from '../differences.ts';
import { newDoubt } from '../doubts.ts';
import { OrderLife } from '../order-life.ts';
import { leftOf, TrackedOrder } from '../tracked-order.ts';
import { TrackedOrders } from '../tracked-orders.ts';
import type { Difference, Resumed, Trading } from '../trading.ts';
import type { AccountPicture } from './account-picture.ts';
import { Attribution } from './attribution.ts';
import { boundMargin } from './bound-margin.ts';
import { FillTelling } from './fill-telling.ts';
import { ForcedOrders } from './forced-orders.ts';
import { FuturesBooks } from './futures-books.ts';
import { FuturesHalts } from './futures-halts.ts';
import { FuturesLooks } from './futures-looks.ts';
import type { FuturesParts } from './futures-parts.ts';
import { FuturesSending } from './futures-sending.ts';
import { FuturesWallet } from './futures-wallet.ts';
import { hiddenOpeners } from './hidden-openers.ts';
import { Lately } from './lately.ts';
import { OrderEnds } from './order-ends.ts';
import { PictureReader, type Read } from './picture-reader.ts';
import { Sights } from './sights.ts';
import { Triggers } from './triggers.ts';

/**
 * The futures half of the exchange. Its pictures of the account say what was traded and what it cost, its lists which orders
 * did it: sizes and money come from the differences of the one, and are told as fills by the other.
 */
export class FuturesTrading implements Trading {
  readonly #parts: FuturesParts;
  readonly #bySymbol: ReadonlyMap<string, Instrument>;
  readonly #orders = new TrackedOrders();
  readonly #life: OrderLife;
  readonly #sights: Sights;
  readonly #looks: FuturesLooks;
  readonly #reader: PictureReader;
  readonly #triggers: Triggers;
  readonly #sending: FuturesSending;
  readonly #wallet: FuturesWallet;
  readonly #forced = new ForcedOrders();
  readonly #books: FuturesBooks;
  readonly #attribution: Attribution;
  readonly #ends: OrderEnds;
  readonly #halts: FuturesHalts;
  readonly #lately = new Lately();
  #resumed: Resumed | undefined;
  /** There is a picture that differences go on from. */
  #based = false;
  /** The run has started: what is remembered from here is durable with what was told. */
  #opened = false;
  /** Epoch ms of the last look. */
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: FuturesParts) {
    this.#parts = parts;
    const { client, lane, settings, outlets, instruments, isOwn } = parts;
    const now = () => outlets.clock.now();
    const [orders, forced, bySymbol] = [this.#orders, this.#forced, new Map(instruments.map((one) => [wireSymbol(one.symbol), one]))];
    this.#bySymbol = bySymbol;
    const life = new OrderLife(orders, settings, outlets);
    const sights = new Sights(settings.visibilityLagMs, now);
    const triggers = new Triggers(outlets);
    const wallet = new FuturesWallet((event) => outlets.tell(event), now);
    this.#reader = new PictureReader(parts);
    this.#looks = new FuturesLooks({ client, outlets, orders, life, sights, forced, isOwn });
    this.#sending = new FuturesSending(client, lane, life, outlets, {
      answered: (order) => sights.answered(order),
      provedAbsent: (order) => this.#ends.provedAbsent(order),
    });
    this.#ends = new OrderEnds({ life, settings, outlets, sights, triggers, sending: this.#sending, forced });
    this.#books = new FuturesBooks({
      instruments: bySymbol,
      outlets,
      wallet,
      forced,
      lately: this.#lately,
      find: (clientOrderId) => orders.find(clientOrderId),
      lagMs: settings.visibilityLagMs,
      openersOf: (unseen) => hiddenOpeners({ ...unseen, orders: orders.alive, sights }),
      unexplained: (coin, amount) => this.#halts.unexplained(coin, amount),
    });
    const held = (symbol: string, side: 'long' | 'short') => this.#books.held(symbol, side);
    const foreign = (instrument: Instrument) => this.#halts.foreign(instrument);
    const telling = new FillTelling({ life, outlets, triggers, wallet, forced, held, foreign });
    this.#attribution = new Attribution({ orders, life, sights, telling, instruments: bySymbol, lately: this.#lately, held });
    this.#life = life;
    this.#sights = sights;
    this.#triggers = triggers;
    this.#wallet = wallet;
    this.#halts = new FuturesHalts(settings, outlets);
  }

  get nextDue(): number {
    const soon = this.#books.waits ? this.#lookedAt + 2 * this.#parts.settings.lookupMinMs : Number.POSITIVE_INFINITY;
    return this.#orders.alive.reduce((due, { lookAt }) => Math.min(due, lookAt), soon);
  }

  get idle(): boolean {
    const calm = (order: TrackedOrder) => order.phase === 'open' && !order.wish && !this.#sights.isAbsent(order);
    return this.#parts.lane.idle && !this.#books.waits && this.#orders.alive.every(calm);
  }

  place(orders: readonly ApprovedOrder[]): void {
    for (const request of orders) {
      const order = new TrackedOrder(request);
      this.#orders.add(order);
      this.#sights.placed(order);
      this.#sending.place(order);
    }
  }

  cancel({ clientOrderId, reason }: CancelRequest): void {
    const order = this.#orders.find(clientOrderId);
    const { outlets } = this.#parts;
    if (order?.alive !== true) {
      outlets.tell({ kind: 'cancelRejected', time: this.#now, clientOrderId });
      outlets.settled();
      return;
    }
    this.#life.wished(order, reason);
    this.#sending.cancel(order);
  }

  resume(resumed: Resumed): void {
    const { settings, outlets } = this.#parts;
    const now = this.#now;
    for (const each of resumed.orders) {
      const order = this.#orders.resume(each, isTerminal(each.status));
      if (each.triggered) this.#triggers.known(order);
      this.#sights.answered(order);
      if (!order.alive) continue;
      // No request of a process that is gone can still leave.
      if (order.phase === 'unknown') {
        order.doubt = newDoubt(settings, each.status === 'unknown' ? (each.unknownSince ?? now) : now, false);
        if (each.status !== 'unknown') outlets.tell({ kind: 'orderUnknown', time: now, clientOrderId: order.clientOrderId });
      }
      if (each.cancelRequested) order.wish = { reason: 'requested', stage: 'doubtful', since: now };
      this.#life.lookIn(order, 0);
    }
    this.#wallet.resume(resumed.balances);
    this.#based = this.#books.resume();
    this.#resumed = resumed;
  }

  async open(): Promise<readonly Difference[]> {
    const before = new Map(this.#reader.coins.map((coin) => [coin, this.#wallet.total(coin)]));
    const known = this.#based;
    if (!known) await this.#begin();
    await this.round(true);
    this.#opened = true;
    const moved = [...before].flatMap(([coin, journal]): Difference[] => {
      const exchange = this.#wallet.total(coin);
      if (!known || exchange.equals(journal)) return [];
      return [{ what: 'balance', subject: coin, journal: journal.toFixed(), exchange: exchange.toFixed(), cause: 'moved while away' }];
    });
    return [...differencesOf(this.#resumed?.orders ?? [], this.#orders), ...moved];
  }

  async round(full: boolean): Promise<void> {
    try {
      if (!full && !this.#hot) return;
      this.#lookedAt = this.#now;
      const first = await this.#reader.read();
      const due = this.#parts.instruments.filter((instrument) => full || this.#isDue(instrument, first));
      for (const instrument of due) await this.#looks.look(instrument);
      // Asked for after the lists, a picture shows at least what they do: no fill is listed before its money is there.
      const pictures = due.length > 0 ? await this.#reader.read() : first;
      this.#commit(pictures);
    } finally {
      this.#parts.outlets.settled();
    }
  }

  get #now(): number {
    return this.#parts.outlets.clock.now();
  }

  /** Something may happen: an order works, a position is open, or something is seen and not told. */
  get #hot(): boolean {
    return (
      this.#orders.size > 0 || this.#books.waits || this.#books.pictures.some(({ positions }) => positions.some(({ steps }) => steps > 0))
    );
  }

  /** The very first start. @throws TidegateError START_REFUSED where orders of others would be in the way. */
  async #begin(): Promise<void> {
    const pictures = await this.#reader.read();
    for (const instrument of this.#parts.instruments) await this.#looks.look(instrument);
    const { strangers } = this.#looks;
    if (this.#parts.settings.foreign === 'block' && strangers.size > 0) {
      throw new TidegateError(
        'START_REFUSED',
        `futures orders that no journal of this bot knows (${[...strangers].join(', ')}): cancel them, or set live.foreign to ignore`,
      );
    }
    this.#forced.baseline();
    for (const { picture } of pictures.values()) this.#books.baseline(picture);
    this.#books.remember();
    this.#based = true;
  }

  #isDue(instrument: Instrument, pictures: ReadonlyMap<string, Read>): boolean {
    const mine = this.#orders.alive.filter(({ request }) => request.instrument === instrument);
    if (mine.length === 0 && !this.#books.waits) return false;
    const { quote: coin } = instrument;
    const changed = pictures.get(coin)?.picture.version !== this.#books.picture(coin)?.version;
    return changed || this.#books.waits || mine.some(({ lookAt }) => lookAt <= this.#now);
  }

  /** Everything that was read becomes events, and what they were told from is remembered, in one step. */
  #commit(pictures: ReadonlyMap<string, Read>): void {
    const alive = this.#orders.alive;
    for (const [coin, { picture, askedAt }] of pictures) {
      if (picture.version === this.#books.picture(coin)?.version) this.#books.same(coin, askedAt);
      else this.#books.take(picture, askedAt);
    }
    this.#attribution.run(this.#books.pools);
    for (const order of alive) {
      const { quote } = order.request.instrument;
      const pictureAt = pictures.get(quote)?.askedAt ?? Number.NaN;
      this.#ends.judge(order, { pools: this.#books.pools, pictureAt, hides: this.#books.hides(quote), acts: this.#opened });
    }
    for (const order of alive) if (!order.alive && leftOf(order) > 0) this.#lately.add(order, this.#now);
    for (const [coin, { picture }] of pictures) this.#bind(coin, picture);
    this.#halts.review(this.#parts.instruments, this.#orders.alive);
    this.#lately.forget(this.#books.since);
    this.#books.remember();
  }

  #bind(coin: string, picture: AccountPicture): void {
    this.#books.tellMargins(picture);
    const fired = this.#orders.alive.filter(
      (order) => order.phase === 'open' && this.#triggers.has(order) && order.request.instrument.quote === coin,
    );
    const bound = boundMargin(picture, fired, ({ request }) => {
      const margin = this.#parts.expected?.find(({ instrument }) => instrument === request.instrument)?.margin;
      if (margin !== undefined) return request.positionSide === 'long' ? margin.longLeverage : margin.shortLeverage;
      return picture.positions.find(
        (one) => this.#bySymbol.get(one.symbol) === request.instrument && one.positionSide === request.positionSide,
      )?.leverage;
    });
    this.#wallet.freeze(coin, bound);
  }
}

import { wireSymbol } from '../../../exchange/symbols.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { OrderRequest } from '../../../model/order.ts';
import { Adoption, OrderLife } from '../order-life.ts';
import { leftOf, TrackedOrder, TrackedOrders } from '../tracked-orders.ts';
import { type Difference, type LostOrders, NOTHING_LOST, type Outlets, type RestSettings, type Resumed } from '../trading.ts';
import { Attribution } from './attribution/attribution.ts';
import { FillTelling, ForcedOrders } from './attribution/fill-telling.ts';
import { hiddenOpeners } from './attribution/hidden-openers.ts';
import { Lately, Sights, Triggers } from './attribution/sights.ts';
import { FuturesBooks } from './futures-books.ts';
import { FuturesLists } from './futures-lists.ts';
import type { FuturesSending } from './futures-sending.ts';
import { FuturesWallet } from './futures-wallet.ts';
import { type ExpectedContract, MarginBinding } from './margin-binding.ts';
import { FuturesAdoption, FuturesHalts, OrderEnds } from './order-ends.ts';
import type { Read } from './picture/account-picture.ts';

export interface WatchParts {
  readonly instruments: readonly Instrument[];
  readonly settings: RestSettings;
  readonly outlets: Outlets;
  /** Whether a client id is one of this bot's. */
  readonly isOwn: (clientOrderId: string) => boolean;
  /** Which strategy adopts orders of others on an instrument; `undefined` where none does. */
  readonly adopterOf: (instrument: Instrument) => string | undefined;
  /** Nothing is looked for where it is left out. */
  readonly lost?: LostOrders | undefined;
  /** What the exchange's settings must agree with. */
  readonly expected?: readonly ExpectedContract[] | undefined;
  /** Requests that judging orders asks for. */
  readonly sending: Pick<FuturesSending, 'cancel' | 'probe' | 'takeBack'>;
}

/**
 * What is known of a futures account from pictures and lists, whoever has read them: what was traded and what it cost comes
 * from the differences of the ones, which orders did it from the others, and what follows is told. It waits for nothing,
 * and asks for nothing but what judging an order needs.
 */
export class FuturesWatch {
  readonly orders = new TrackedOrders();
  readonly life: OrderLife;
  readonly sights: Sights;
  readonly lists: FuturesLists;
  /** The run has started: what is remembered from here is durable with what was told. */
  opened = false;
  /** There is a picture that differences go on from. */
  based = false;
  /** An earlier run has left one. */
  #wasBased = false;
  readonly #parts: WatchParts;
  readonly #triggers: Triggers;
  readonly #wallet: FuturesWallet;
  readonly #forced = new ForcedOrders();
  readonly #books: FuturesBooks;
  readonly #attribution: Attribution;
  readonly #ends: OrderEnds;
  readonly #halts: FuturesHalts;
  readonly #lately = new Lately();
  readonly #adoption: FuturesAdoption;
  readonly #binding: MarginBinding;
  readonly #found: Difference[] = [];
  /** Epoch ms of the last look. */
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    const { settings, outlets, instruments, isOwn, sending, lost = NOTHING_LOST } = parts;
    const now = () => outlets.clock.now();
    const { orders } = this;
    const [forced, bySymbol] = [this.#forced, new Map(instruments.map((one) => [wireSymbol(one.symbol), one]))];
    const life = new OrderLife(orders, settings, outlets);
    const sights = new Sights(settings.visibilityLagMs, now);
    const triggers = new Triggers(outlets);
    const wallet = new FuturesWallet((event) => outlets.tell(event), now);
    this.lists = new FuturesLists({ outlets, orders, life, sights, forced, isOwn, lost });
    this.#ends = new OrderEnds({ life, settings, outlets, sights, triggers, sending, forced });
    this.#books = new FuturesBooks({
      instruments: bySymbol,
      outlets,
      wallet,
      forced,
      lately: this.#lately,
      find: (clientOrderId) => orders.find(clientOrderId),
      lagMs: settings.visibilityLagMs,
      openersOf: (sought) => hiddenOpeners({ ...sought, orders: orders.alive, sights }),
      unexplained: (coin, amount) => this.#halts.unexplained(coin, amount),
    });
    const held = (symbol: string, side: 'long' | 'short') => this.#books.held(symbol, side);
    const foreign = (instrument: Instrument, what: string) => this.#foreign(instrument, what);
    const telling = new FillTelling({ life, outlets, sights, triggers, wallet, forced, held, foreign });
    this.#attribution = new Attribution({ orders, sights, telling, instruments: bySymbol, lately: this.#lately, forced, held });
    const books = this.#books;
    this.#adoption = new FuturesAdoption({ adoption: new Adoption({ ...parts, orders, life }), sights, books });
    this.#binding = new MarginBinding({ expected: parts.expected, orders, sights, triggers, books, wallet, instruments: bySymbol });
    this.life = life;
    this.sights = sights;
    this.#triggers = triggers;
    this.#wallet = wallet;
    this.#halts = new FuturesHalts(settings, outlets);
  }

  /** Epoch ms at which the next look is due; `Infinity` where none. */
  get nextDue(): number {
    const soon = this.waits ? this.#lookedAt + 2 * this.#parts.settings.lookupMinMs : Number.POSITIVE_INFINITY;
    return this.orders.alive.reduce((due, { lookAt }) => Math.min(due, lookAt), soon);
  }

  /** Something is seen and not told. */
  get waits(): boolean {
    return this.#books.waits;
  }

  /** Nothing is in doubt or about to end. */
  get calm(): boolean {
    const calm = (order: TrackedOrder) => order.phase === 'open' && !order.wish && !this.sights.isAbsent(order);
    return !this.waits && this.orders.alive.every(calm);
  }

  /** Money of the wallet, as told. */
  total(coin: string) {
    return this.#wallet.total(coin);
  }

  /** An order is about to leave. */
  place(request: OrderRequest): TrackedOrder {
    const order = new TrackedOrder(request);
    this.orders.add(order);
    this.sights.placed(order);
    return order;
  }

  /** The cancel of an order that no list shows found nothing either. */
  provedAbsent(order: TrackedOrder): void {
    this.#ends.provedAbsent(order);
  }

  /** The journal knows that it has fired. */
  knownFired(order: TrackedOrder): void {
    this.#triggers.known(order);
  }

  /** Goes on from what was remembered, if anything was. */
  resume({ balances, halts }: Pick<Resumed, 'balances' | 'halts'>): void {
    this.#wallet.resume(balances);
    this.#halts.resume(this.#parts.instruments, halts);
    this.based = this.#books.resume();
    this.#wasBased = this.based;
  }

  /** Nothing opens a position there until a person resets it. */
  doubt(instruments: readonly Instrument[], reason: string): void {
    for (const instrument of instruments) this.#halts.stick(instrument, reason);
  }

  /** What was traded while the bot did not run, and by no order that the journal knows. */
  get found(): readonly Difference[] {
    return this.#found;
  }

  /** At the start nobody can say whose it is: the journal may lack the order, so that the strategy would do it again. */
  #foreign(instrument: Instrument, what: string): void {
    this.#halts.foreign(instrument);
    if (this.opened || !this.#wasBased) return;
    const { symbol } = instrument;
    this.#found.push({ what: 'position', subject: symbol, journal: 'no order', exchange: what, cause: 'the journal does not explain it' });
    this.#halts.stick(instrument, `${what} while the bot did not run, and no order of the journal explains it`);
  }

  /** A person has said that trading may go on. */
  lift(): void {
    this.#halts.lift();
  }

  /** The very first look: what is there belongs to no strategy. @throws TidegateError START_REFUSED where orders of others would be in the way. */
  begin(pictures: ReadonlyMap<string, Read>): void {
    const { strangers } = this.lists;
    if (this.#parts.settings.foreign === 'block' && strangers.size > 0) {
      throw new TidegateError(
        'START_REFUSED',
        `futures orders that no journal of this bot knows (${[...strangers.keys()].join(', ')}): cancel them, or set live.foreign to ignore or adopt`,
      );
    }
    this.#forced.baseline();
    for (const { picture } of pictures.values()) this.#books.baseline(picture);
    this.#books.remember();
    this.based = true;
  }

  /** A look begins. @returns false where there is nothing to look for. */
  look(full: boolean): boolean {
    if (!full && !this.#hot && this.#now < this.#lookedAt + this.#parts.settings.idleMs) return false;
    this.#lookedAt = this.#now;
    return true;
  }

  /** Contracts whose lists are to be read in this look, by the pictures that it began with. */
  due(full: boolean, pictures: ReadonlyMap<string, Read>): Instrument[] {
    return this.#parts.instruments.filter((instrument) => full || this.#isDue(instrument, pictures));
  }

  /**
   * Everything that was read becomes events, and what they were told from is remembered, in one step.
   * @param pictures asked for after the lists: such a one shows at least what they do, so that no fill is listed before its
   * money is there.
   */
  commit(pictures: ReadonlyMap<string, Read>): void {
    const { alive } = this.orders;
    for (const [coin, { picture, askedAt }] of pictures) {
      if (picture.version === this.#books.picture(coin)?.version) this.#books.same(coin, askedAt);
      else this.#books.take(picture, askedAt);
    }
    this.#attribution.run(this.#books.pools);
    for (const order of alive) {
      const { quote } = order.request.instrument;
      const pictureAt = pictures.get(quote)?.askedAt ?? Number.NaN;
      this.#ends.judge(order, { pools: this.#books.pools, pictureAt, hides: this.#books.hides(quote), acts: this.opened });
    }
    if (this.opened) for (const order of this.lists.risen(this.#parts.settings.visibilityLagMs)) this.#parts.sending.takeBack(order);
    for (const order of alive) if (!order.alive && leftOf(order) > 0) this.#lately.add(order, this.#now);
    this.#adoption.run([...this.lists.strangers.values()].filter(({ askedAt }) => askedAt >= this.#lookedAt));
    for (const [coin, { picture }] of pictures) this.#binding.bind(coin, picture);
    this.#halts.review(this.#parts.instruments, this.orders.alive);
    this.#lately.forget(this.#books.since);
    this.#books.remember();
  }

  get #now(): number {
    return this.#parts.outlets.clock.now();
  }

  /** Something may happen: an order works, a position is open, or something is seen and not told. */
  get #hot(): boolean {
    return this.orders.size > 0 || this.waits || this.#books.pictures.some(({ positions }) => positions.some(({ steps }) => steps > 0));
  }

  #isDue(instrument: Instrument, pictures: ReadonlyMap<string, Read>): boolean {
    const mine = this.orders.alive.filter(({ request }) => request.instrument === instrument);
    if (mine.length === 0 && !this.waits) return false;
    const { quote: coin } = instrument;
    const changed = pictures.get(coin)?.picture.version !== this.#books.picture(coin)?.version;
    return changed || this.waits || mine.some(({ lookAt }) => lookAt <= this.#now);
  }
}

import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { statusOf } from '../../../exchange/mapping/order-status.ts';
import type { PayloadOf } from '../../../exchange/operations/operations.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { ApprovedOrder, CancelRequest } from '../../../model/order.ts';
import { isTerminal } from '../../../model/order-state.ts';
import { newDoubt } from '../doubts.ts';
import { Halts } from '../halts.ts';
import { OrderLife } from '../order-life.ts';
import type { Outlets } from '../outlets.ts';
import type { SendLane } from '../send-lane.ts';
import type { RestSettings } from '../settings.ts';
import { TrackedOrder } from '../tracked-order.ts';
import { TrackedOrders } from '../tracked-orders.ts';
import type { Difference, Resumed, Trading } from '../trading.ts';
import { type AccountPicture, pictureOf } from './account-picture.ts';
import { Attribution, leftOf } from './attribution.ts';
import { boundMargin } from './bound-margin.ts';
import { checkSettings, type ExpectedContract } from './expected-settings.ts';
import { ForcedOrders } from './forced-orders.ts';
import { FuturesBooks } from './futures-books.ts';
import { FuturesSending } from './futures-sending.ts';
import { FuturesWallet } from './futures-wallet.ts';
import { hiddenOpeners } from './hidden-openers.ts';
import { OrderEnds } from './order-ends.ts';
import { type FuturesOrderRecord, Sights } from './sights.ts';
import { Triggers } from './triggers.ts';

export interface FuturesParts {
  readonly client: ExchangeClient;
  readonly instruments: readonly Instrument[];
  readonly lane: SendLane;
  readonly settings: RestSettings;
  readonly outlets: Outlets;
  /** Whether a client id is one of this bot's. */
  readonly isOwn: (clientOrderId: string) => boolean;
  /** What the exchange's settings must agree with. */
  readonly expected?: readonly ExpectedContract[] | undefined;
  /** The exchange's ids of quote coins. */
  readonly coinIds?: ReadonlyMap<string, string> | undefined;
}

/** Ids that are known of the exchange. */
const COIN_IDS: ReadonlyMap<string, string> = new Map([
  ['BTC', '1'],
  ['USDT', '2'],
]);
/** How many orders that ended unfilled stay in mind: a fill that came before may show after. */
const LATELY = 100;

/**
 * The futures half of the exchange. Its pictures of the account say what was traded and what it cost, its lists which orders
 * did it: sizes and money come from the differences of the one, and are told as fills by the other.
 */
export class FuturesTrading implements Trading {
  readonly #parts: FuturesParts;
  readonly #bySymbol: ReadonlyMap<string, Instrument>;
  readonly #coins: readonly string[];
  readonly #orders = new TrackedOrders();
  readonly #life: OrderLife;
  readonly #sights: Sights;
  readonly #triggers: Triggers;
  readonly #sending: FuturesSending;
  readonly #wallet: FuturesWallet;
  readonly #forced = new ForcedOrders();
  readonly #books: FuturesBooks;
  readonly #attribution: Attribution;
  readonly #ends: OrderEnds;
  readonly #halts: Halts;
  readonly #pictureAt = new Map<string, number>();
  readonly #foreign = new Set<Instrument>();
  readonly #strangers = new Set<string>();
  #lately: TrackedOrder[] = [];
  #halted: string | undefined;

  constructor(parts: FuturesParts) {
    this.#parts = parts;
    const { client, lane, settings, outlets, instruments } = parts;
    const now = () => outlets.clock.now();
    const [orders, forced, bySymbol] = [this.#orders, this.#forced, new Map(instruments.map((one) => [wireSymbol(one.symbol), one]))];
    this.#bySymbol = bySymbol;
    this.#coins = [...new Set(instruments.map(({ quote }) => quote))].sort();
    const life = new OrderLife(orders, settings, outlets);
    const sights = new Sights(client, now);
    const triggers = new Triggers(outlets);
    const wallet = new FuturesWallet((event) => outlets.tell(event), now);
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
      lagMs: settings.visibilityLagMs,
      openersOf: (picture, side, value, sure) => hiddenOpeners(orders.alive, picture, sights, value, side, sure),
      unexplained: (coin, amount) => this.#unexplained(coin, amount.toFixed()),
    });
    this.#attribution = new Attribution({
      ...{ orders, life, settings, outlets, sights, triggers, wallet, forced, instruments: bySymbol },
      lately: () => this.#lately,
      remains: (symbol, side) =>
        this.#books.pictures.some(({ positions }) =>
          positions.some((one) => one.symbol === symbol && one.positionSide === side && one.steps > 0),
        ),
      foreign: (instrument) => this.#foreign.add(instrument),
    });
    this.#life = life;
    this.#sights = sights;
    this.#triggers = triggers;
    this.#wallet = wallet;
    this.#halts = new Halts(outlets);
  }

  get nextDue(): number {
    const soon = this.#books.waits ? this.#now + this.#parts.settings.lookupMinMs : Number.POSITIVE_INFINITY;
    return this.#orders.alive.reduce((due, { lookAt }) => Math.min(due, lookAt), soon);
  }

  get idle(): boolean {
    const calm = (order: TrackedOrder) => order.phase === 'open' && !order.wish && Number.isNaN(this.#sights.of(order).absentSince);
    return this.#parts.lane.idle && !this.#books.waits && this.#orders.alive.every(calm);
  }

  place(orders: readonly ApprovedOrder[]): void {
    for (const request of orders) {
      const order = new TrackedOrder(request);
      this.#orders.add(order);
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
    order.wish = { reason, stage: 'queued' };
    this.#sending.cancel(order);
  }

  async open(resumed: Resumed): Promise<readonly Difference[]> {
    for (const each of resumed.orders) this.#resume(each);
    this.#wallet.resume(resumed.balances);
    const before = new Map(this.#coins.map((coin) => [coin, this.#wallet.total(coin).toFixed()]));
    const known = this.#books.resume();
    const accounts = await this.#readPictures();
    for (const { account } of accounts.values()) checkSettings(this.#parts.expected ?? [], account);
    if (!known) await this.#begin(accounts);
    await this.round(true);
    return this.#differences(resumed, known ? before : new Map());
  }

  async round(full: boolean): Promise<void> {
    try {
      if (!full && !this.#hot) return;
      const pictures = await this.#readPictures();
      for (const instrument of this.#parts.instruments) if (full || this.#isDue(instrument, pictures)) await this.#look(instrument);
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

  #resume(each: Resumed['orders'][number]): void {
    const { settings, outlets } = this.#parts;
    const order = this.#orders.resume(each, isTerminal(each.status));
    if (each.triggered) this.#triggers.known(order);
    this.#sights.answered(order);
    if (!order.alive) {
      if (leftOf(order) > 0 && (each.status === 'canceled' || each.status === 'expired')) this.#lately.push(order);
      return;
    }
    // No request of a process that is gone can still leave.
    if (order.phase === 'unknown') {
      order.doubt = newDoubt(settings, this.#now, false);
      if (each.status !== 'unknown') outlets.tell({ kind: 'orderUnknown', time: this.#now, clientOrderId: order.clientOrderId });
    }
    if (each.cancelRequested) order.wish = { reason: 'requested', stage: 'doubtful' };
    this.#life.lookIn(order, 0);
  }

  /** The very first start. @throws TidegateError START_REFUSED where orders of others would be in the way. */
  async #begin(accounts: Pictures): Promise<void> {
    for (const instrument of this.#parts.instruments) await this.#look(instrument);
    if (this.#parts.settings.foreign === 'block' && this.#strangers.size > 0) {
      const ids = [...this.#strangers].join(', ');
      throw new TidegateError(
        'START_REFUSED',
        `futures orders that no journal of this bot knows (${ids}): cancel them, or set live.foreign to ignore`,
      );
    }
    this.#forced.baseline();
    for (const { picture } of accounts.values()) this.#books.baseline(picture);
    this.#books.remember();
  }

  async #readPictures(): Promise<Pictures> {
    const { client, instruments, coinIds = COIN_IDS, expected = [] } = this.#parts;
    const symbols = new Map(expected.map(({ contractId, instrument }) => [contractId, wireSymbol(instrument.symbol)]));
    const found: Pictures = new Map();
    for (const coin of this.#coins) {
      const coinId = coinIds.get(coin);
      if (coinId === undefined)
        throw new TidegateError('START_REFUSED', `the config names no id of the coin ${coin}, which futures are settled in`);
      const askedAt = this.#now;
      const payload = await client.futuresAccount({ coinId });
      found.set(coin, { askedAt, account: payload.account, picture: pictureOf(coin, payload, instruments, symbols) });
    }
    return found;
  }

  #isDue(instrument: Instrument, pictures: Pictures): boolean {
    const mine = this.#orders.alive.filter(({ request }) => request.instrument === instrument);
    if (mine.length === 0 && !this.#books.waits) return false;
    const { quote: coin } = instrument;
    const changed = pictures.get(coin)?.picture.version !== this.#books.picture(coin)?.version;
    return changed || this.#books.waits || mine.some(({ lookAt }) => lookAt <= this.#now);
  }

  async #look(instrument: Instrument): Promise<void> {
    const askedAt = this.#now;
    const asked = this.#orders.alive.filter(({ request, phase }) => request.instrument === instrument && phase !== 'sending');
    const records = await this.#sights.read(instrument);
    const byClientId = new Map(records.map((record) => [record.client_oid, record]));
    for (const record of records) {
      const order = this.#orders.find(record.client_oid);
      if (order === undefined) this.#stranger(record, instrument);
      else if (order.phase !== 'sending') this.#life.accepted(order, record.order_id);
    }
    for (const order of asked) if (order.alive) this.#sights.note(order, byClientId.get(order.clientOrderId), askedAt);
  }

  #stranger(record: FuturesOrderRecord, instrument: Instrument): void {
    if (this.#forced.note(record, instrument) || this.#strangers.has(record.order_id)) return;
    // Of orders that are over the journal need not know any more.
    const status = statusOf(record.status);
    if (status === 'filled' || status === 'canceled') return;
    this.#strangers.add(record.order_id);
    const whose = this.#parts.isOwn(record.client_oid) ? 'bears an id of this bot that the journal does not know' : 'is not ours';
    this.#parts.outlets.log.warn(`order ${record.order_id} ${whose}`, { orderId: record.order_id, clientOrderId: record.client_oid });
  }

  /** Everything that was read becomes events, and what they were told from is remembered, in one step. */
  #commit(pictures: Pictures): void {
    const alive = this.#orders.alive;
    for (const [coin, { picture, askedAt }] of pictures) {
      this.#pictureAt.set(coin, askedAt);
      if (picture.version !== this.#books.picture(coin)?.version) this.#books.take(picture);
    }
    this.#attribution.run(this.#books.pools);
    for (const order of alive) {
      const { quote } = order.request.instrument;
      this.#ends.judge(order, this.#books.pools, this.#pictureAt.get(quote) ?? Number.NaN, this.#books.hides(quote));
    }
    this.#lately = [...this.#lately, ...alive.filter((order) => !order.alive && leftOf(order) > 0)].slice(-LATELY);
    for (const [coin, { picture }] of pictures) this.#bind(coin, picture);
    this.#judge();
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

  #unexplained(coin: string, amount: string): void {
    const reason = `${amount} ${coin} of the futures wallet that nothing explains`;
    this.#parts.outlets.log.warn(reason, { coin, amount });
    if (this.#parts.settings.unexplained === 'halt') this.#halted ??= reason;
  }

  /** What stays unexplained for too long stops its contract. */
  #judge(): void {
    const { settings, instruments } = this.#parts;
    const now = this.#now;
    this.#halts.review(instruments, (instrument) => {
      if (this.#halted !== undefined) return this.#halted;
      if (settings.foreign === 'block' && this.#foreign.has(instrument)) return 'orders that are not ours trade it';
      for (const { doubt, gapSince, request, clientOrderId } of this.#orders.alive) {
        if (request.instrument !== instrument) continue;
        if (doubt !== undefined && now - doubt.since > settings.unknownLimitMs) return `nobody knows what became of order ${clientOrderId}`;
        if (now - gapSince > settings.fillGapMs) return `order ${clientOrderId} reports fills that the position does not show`;
      }
      return undefined;
    });
  }

  /** How what the exchange says differs from what the journal said. */
  #differences({ orders }: Resumed, balances: ReadonlyMap<string, string>): Difference[] {
    const moved = [...balances].flatMap(([coin, journal]): Difference[] => {
      const exchange = this.#wallet.total(coin).toFixed();
      return exchange === journal ? [] : [{ what: 'balance', subject: coin, journal, exchange, cause: 'moved while away' }];
    });
    const found = orders.flatMap(({ request, status, filledSteps }): Difference[] => {
      const order = this.#orders.find(request.clientOrderId);
      if (order === undefined || isTerminal(status)) return [];
      const { step } = request.instrument;
      const was = { subject: request.clientOrderId, journal: `${status} ${step.toText(filledSteps)}` };
      if (order.toldSteps > filledSteps) {
        return [{ ...was, what: 'fill', exchange: `${order.phase} ${step.toText(order.toldSteps)}`, cause: 'filled while away' }];
      }
      const cause = order.phase === 'unknown' ? 'no answer was heard' : 'ended while away';
      return order.phase === 'open' ? [] : [{ ...was, what: 'order', exchange: order.phase, cause }];
    });
    return [...found, ...moved];
  }
}

type Pictures = Map<
  string,
  { readonly askedAt: number; readonly account: PayloadOf<'futuresAccount'>['account']; readonly picture: AccountPicture }
>;

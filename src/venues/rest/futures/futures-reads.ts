// Long because every list of contracts is read and translated here.
import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../../exchange/errors.ts';
import { directionOfRecord, statusOf, termsOf, type WireTerms } from '../../../exchange/mapping.ts';
import type { PayloadOf } from '../../../exchange/operations/operations.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { Decimal, ZERO } from '../../../model/decimal.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type {
  OfContracts,
  Question,
  Reads,
  SeenBill,
  SeenFill,
  SeenOrder,
  SeenPicture,
  SeenPosition,
  Since,
} from '../../reconcile/records.ts';
import { BackwardPages } from './backward-pages.ts';
import { ContractSettings, type ExpectedContract } from './contract-settings.ts';

/** Records on one page, and more pages than any list can have. */
const PAGE = 100;
const MAX_PAGES = 1_000;
/** Most pages of ended triggers that the search for one reads. */
const MOST_HISTORY = 20;
/** The exchange's code for an order that it does not know. */
const NOT_FOUND = '50007';

type FuturesClient = Pick<
  ExchangeClient,
  | 'futuresAccount'
  | 'futuresBills'
  | 'futuresFills'
  | 'futuresHistory'
  | 'futuresOrder'
  | 'futuresOrders'
  | 'serverTime'
  | 'triggerHistory'
  | 'triggers'
>;
type OrderRecord = PayloadOf<'futuresOrders'>[number];
type TriggerRecord = PayloadOf<'triggers'>[number];
type Account = PayloadOf<'futuresAccount'>;

/** The orders and triggers of a contract that are over, as far as they were read. */
interface Ended {
  /** Epoch ms. */
  readonly requestedAt: number;
  readonly orders: readonly OrderRecord[];
  readonly triggers: BackwardPages<TriggerRecord>;
}

type OfSymbol = SeenFill & { readonly symbol: string };

interface OpenLists {
  /** Epoch ms. */
  readonly requestedAt: number;
  readonly waiting: readonly TriggerRecord[];
  readonly orders: readonly OrderRecord[];
}

interface FuturesReadsParts {
  readonly client: FuturesClient;
  /** Epoch ms on the clock of questions. */
  readonly now: () => number;
  readonly instruments: readonly Instrument[];
  /** The exchange's ids of quote coins. A coin that is left out has a built-in id, or is refused. */
  readonly coinIds?: ReadonlyMap<string, string> | undefined;
  /** The contracts of the config: records of positions need not name their symbol, only the id of the contract. */
  readonly expected?: readonly ExpectedContract[] | undefined;
  /** Whether the exchange must have their settings; true by default. */
  readonly checksSettings?: boolean | undefined;
}

/** @throws every error that a later try cannot cure. */
function laterPerhaps(error: unknown): undefined {
  if (!(error instanceof ExchangeError) || !error.retryable) throw error;
}

/** Asks the futures half of the exchange, to the last page, and translates its records. */
export class FuturesReads implements Reads<OfContracts> {
  readonly #parts: FuturesReadsParts;
  readonly #bySymbol: ReadonlyMap<string, Instrument>;
  readonly #byContract: ReadonlyMap<string, Instrument>;
  readonly #endedLists = new Map<string, Ended>();
  /** Epoch ms of the newest fill that any page of a list has shown, by the symbol of the list; of all contracts under an empty one. */
  readonly #newestFills = new Map<string, number>();
  /** The newest lists of all contracts. */
  #fillsOfAll: { readonly requestedAt: number; readonly records: readonly OfSymbol[]; readonly whole: boolean } | undefined;
  #listsOfAll: OpenLists | undefined;
  /** The settings of the account, as compared with the config's. */
  readonly settings: ContractSettings;

  constructor(parts: FuturesReadsParts) {
    this.#parts = parts;
    this.#bySymbol = new Map(parts.instruments.map((instrument) => [wireSymbol(instrument.symbol), instrument]));
    this.settings = new ContractSettings(parts.checksSettings === false ? [] : (parts.expected ?? []));
    this.#byContract = new Map((parts.expected ?? []).map(({ contractId, instrument }) => [contractId, instrument]));
  }

  /** An order by its id, or by its client id in every list that may have it. */
  async order({ id, instrument, since = Number.POSITIVE_INFINITY, waits = false }: Question<'order'>): Promise<SeenOrder | undefined> {
    const symbol = instrument === undefined ? undefined : wireSymbol(instrument.symbol);
    if ('orderId' in id) {
      const { orderId } = id;
      const waiting = async () =>
        symbol === undefined
          ? undefined
          : (await this.#parts.client.triggers({ symbol, orderId })).find(({ order_id: one }) => one === orderId);
      const first = waits ? await waiting() : undefined;
      if (first !== undefined) return this.#trigger(first);
      const order = await this.#detail(orderId);
      if (order !== undefined || symbol === undefined) return order;
      const trigger = waits ? undefined : await waiting();
      if (trigger !== undefined) return this.#trigger(trigger);
      return this.#ended(symbol, since, ({ order_id: one }) => one === orderId);
    }
    if (instrument === undefined || symbol === undefined) return undefined;
    const open = (await this.openOrders({ ask: 'openOrders', instrument })).find(({ clientOrderId }) => clientOrderId === id.clientOrderId);
    return open ?? (await this.#ended(symbol, since, ({ client_oid: clientOrderId }) => clientOrderId === id.clientOrderId));
  }

  async fills({ instrument, from, shared }: Question<'fills'>): Promise<Since<SeenFill>> {
    const symbol = wireSymbol(instrument.symbol);
    if (shared === undefined) return { ...(await this.#fills({ symbol }, from)), from };
    if (this.#fillsOfAll === undefined || this.#fillsOfAll.requestedAt < shared.since) {
      const requestedAt = this.#parts.now();
      this.#fillsOfAll = { requestedAt, ...(await this.#fills({}, shared.from)) };
    }
    const { records, whole } = this.#fillsOfAll;
    return { records: records.filter((record) => record.symbol === symbol), from, whole };
  }

  async fillsOf({ instrument, orderId }: Question<'fillsOf'>): Promise<readonly SeenFill[]> {
    const { records } = await this.#fills({ symbol: wireSymbol(instrument.symbol), orderId }, undefined);
    // A cache may answer with those of another order.
    return records.filter((fill) => fill.orderId === orderId);
  }

  async openOrders({ instrument, since }: Question<'openOrders'>): Promise<readonly SeenOrder[]> {
    const symbol = wireSymbol(instrument.symbol);
    let lists = this.#listsOfAll;
    if (since === undefined) lists = await this.#openLists(symbol);
    else if (lists === undefined || lists.requestedAt < since) {
      lists = await this.#openLists();
      this.#listsOfAll = lists;
    }
    const isIt = (record: { readonly symbol: string }) => record.symbol === symbol;
    const found = new Map<string, SeenOrder>();
    for (const record of lists.waiting.filter(isIt)) found.set(record.order_id, this.#trigger(record));
    for (const record of lists.orders.filter(isIt)) {
      const seen = this.#order(record);
      if (seen.status === 'filled' || seen.status === 'canceled') continue;
      // Some exchanges list triggers here too: the list of triggers knows more of them.
      if (seen.status !== 'untriggered' || !found.has(seen.orderId)) found.set(seen.orderId, seen);
    }
    return [...found.values()];
  }

  /** @param symbol all contracts without one. */
  async #openLists(symbol?: string): Promise<OpenLists> {
    const { client, now } = this.#parts;
    const requestedAt = now();
    const of = { ...(symbol !== undefined && { symbol }), limit: PAGE };
    const waiting = await paged((page) => client.triggers({ ...of, page }));
    return { requestedAt, waiting, orders: await paged((page) => client.futuresOrders({ ...of, page })) };
  }

  async picture({ coin }: Question<'picture'>): Promise<SeenPicture> {
    const { client, coinIds } = this.#parts;
    const payload = await client.futuresAccount({ coinId: coinIdOf(coin, coinIds) });
    this.settings.compare(coin, payload.account);
    const cash = payload.collateral.reduce((sum, { amount }) => sum.plus(amount), ZERO);
    const positions = payload.position.map((record) => this.#position(record));
    const total = positions.reduce(
      (sum, { positionSide, openValue }) => (positionSide === 'long' ? sum.plus(openValue) : sum.minus(openValue)),
      cash,
    );
    return { version: payload.version, total, positions };
  }

  async bills({ coin, from, partly }: Question<'bills'>): Promise<Since<SeenBill>> {
    const { client } = this.#parts;
    const pages = new BackwardPages({
      operation: 'futuresBills',
      from: Math.floor(from),
      read: async (endTime) => {
        const period = endTime === undefined ? {} : { endTime };
        const { items, hasNextPage } = await client.futuresBills({ coin, startTime: Math.floor(from), limit: PAGE, ...period });
        return { list: items, more: hasNextPage };
      },
      of: ({ billId, ctime }) => [billId, ctime],
    });
    while (!pages.whole && pages.pages < MAX_PAGES) {
      // The newest bills explain most, and are on the first page: a later one that cannot be read leaves the answer in part.
      const isRead = pages.next().then(() => true);
      if (!(await (pages.pages === 0 || !partly ? isRead : isRead.catch(laterPerhaps)))) break;
    }
    const { found, whole } = pages;
    const records = [...found.values()].flatMap((item): SeenBill[] => {
      const { billId, businessType, symbol, amount, transferReason, ctime: time } = item;
      const type = businessType.toLowerCase();
      const isFunding = type === 'position_funding';
      if (!isFunding && !TRANSFERS.has(type)) return [];
      const text = transferReason === '' ? type.replaceAll('_', ' ') : `${type.replaceAll('_', ' ')}: ${transferReason}`;
      const kind = isFunding ? 'funding' : transferReason === 'insurance_fund' ? 'insurance' : 'transfer';
      return [{ billId, kind, amount: new Decimal(amount), instrument: this.#bySymbol.get(symbol), text, time }];
    });
    return { records: records.sort((a, b) => a.time - b.time), from, whole };
  }

  async #detail(orderId: string): Promise<SeenOrder | undefined> {
    try {
      return this.#order(await this.#parts.client.futuresOrder({ orderId }));
    } catch (error) {
      if (error instanceof ExchangeError && error.exchangeCode === NOT_FOUND) return undefined;
      throw error;
    }
  }

  /** In the records of what is over: orders, and triggers that have fired or were canceled. @param since see the question. */
  async #ended(symbol: string, since: number, isIt: (record: OrderRecord | TriggerRecord) => boolean): Promise<SeenOrder | undefined> {
    const ended = await this.#endedOf(symbol, since);
    const order = ended.orders.find(isIt);
    if (order !== undefined) return this.#order(order);
    const { triggers } = ended;
    const find = () => [...triggers.found.values()].find(isIt);
    let trigger = find();
    for (; trigger === undefined && !triggers.whole && triggers.pages < MOST_HISTORY; trigger = find()) await triggers.next();
    if (trigger === undefined) return undefined;
    const { client_oid: clientId } = trigger;
    const seen = this.#trigger(trigger);
    // The order that it became may have another id.
    const became = seen.isTriggered ? ended.orders.find(({ client_oid: id }) => id !== '' && id === clientId) : undefined;
    return became === undefined ? seen : this.#order(became);
  }

  /** The lists of what is over are long and cost much weight: look-ups that were due before they were requested share them. */
  async #endedOf(symbol: string, since: number): Promise<Ended> {
    const known = this.#endedLists.get(symbol);
    if (known !== undefined && known.requestedAt > since) return known;
    const { client, now } = this.#parts;
    const requestedAt = now();
    const orders = await client.futuresHistory({ symbol, pageSize: PAGE });
    const triggers = new BackwardPages({
      operation: 'triggerHistory',
      read: async (endTime) => {
        const period = endTime === undefined ? {} : { endTime };
        const { list, nextPage } = await client.triggerHistory({ symbol, pageSize: PAGE, ...period });
        return { list, more: nextPage };
      },
      of: ({ order_id: orderId, createTime }) => [orderId, createTime],
    });
    const ended = { requestedAt, orders, triggers };
    this.#endedLists.set(symbol, ended);
    return ended;
  }

  async #fills(of: { readonly symbol?: string; readonly orderId?: string }, from: number | undefined) {
    const { client } = this.#parts;
    const key = of.orderId === undefined ? (of.symbol ?? '') : undefined;
    const newest = key === undefined ? undefined : this.#newestFills.get(key);
    const pages = new BackwardPages({
      operation: 'futuresFills',
      from: from === undefined ? undefined : Math.floor(from),
      // No page has it that begins later.
      newest: newest !== undefined && newest >= (from ?? 0) ? newest : undefined,
      read: async (endTime) => {
        const period = { ...(from !== undefined && { startTime: Math.floor(from) }), ...(endTime !== undefined && { endTime }) };
        const { list, nextFlag } = await client.futuresFills({ ...of, ...period, limit: PAGE });
        if (key !== undefined) this.#newestFills.set(key, Math.max(this.#newestFills.get(key) ?? 0, ...list.map((one) => one.createdTime)));
        return { list, more: nextFlag };
      },
      // Ids may repeat across contracts, and two records with one id may be of two fills: all are shown.
      of: ({ tradeId, createdTime, symbol, orderId, orderSide, fillSize }) => [
        `${tradeId} ${symbol} ${orderId} ${orderSide} ${fillSize}`,
        createdTime,
      ],
    });
    while (!pages.whole && pages.pages < MAX_PAGES) await pages.next();
    const { found, whole } = pages;
    // All answers have said that nothing is newer.
    if (key !== undefined) this.#newestFills.set(key, Math.max(0, ...[...found.values()].map((one) => one.createdTime)));
    const records = [...found.values()].sort((a, b) => a.createdTime - b.createdTime || compareIds(a.tradeId, b.tradeId));
    return { records: records.map(seenFill), whole };
  }

  #order(record: OrderRecord): SeenOrder {
    const { order_id: orderId, client_oid: clientOrderId, symbol, size, price, price_avg: average, filled_qty: filled } = record;
    const direction = directionOfRecord(record.type);
    const status = statusOf(record.status);
    const terms = WIRE_TERMS.find((one) => one === record.order_type);
    return {
      orderId,
      clientOrderId,
      symbol: this.#bySymbol.get(symbol)?.symbol ?? symbol,
      side: direction?.side ?? '',
      positionSide: direction?.positionSide,
      type: '',
      price: amountOf(price),
      quantity: amountOf(size),
      filled: new Decimal(filled),
      average: amountOf(average),
      status,
      createdAt: record.createTime,
      forced: direction?.forced,
      isTriggered: status !== 'untriggered',
      ...(terms === undefined ? {} : termsOf(terms)),
    };
  }

  #trigger(record: TriggerRecord): SeenOrder {
    const {
      order_id: orderId,
      client_oid: clientOrderId,
      symbol,
      size,
      price,
      triggerPrice,
      status,
      type,
      createTime,
      triggerTime,
    } = record;
    const isTriggered = status === '1' || status === '2';
    return {
      orderId,
      clientOrderId,
      symbol: this.#bySymbol.get(symbol)?.symbol ?? symbol,
      ...(directionOfRecord(type) ?? { side: '', positionSide: undefined }),
      type: '',
      price: amountOf(price),
      triggerPrice: amountOf(triggerPrice),
      quantity: amountOf(size),
      filled: ZERO,
      status: status === '-1' ? 'canceled' : isTriggered ? 'pending' : 'untriggered',
      createdAt: createTime,
      isTriggered,
      triggeredAt: isTriggered ? triggerTime : undefined,
    };
  }

  #position(record: Account['position'][number]): SeenPosition {
    const instrument = this.#bySymbol.get(record.symbol ?? '') ?? this.#byContract.get(record.contract_id);
    const isIsolated = record.margin_mode.toUpperCase() === 'ISOLATED';
    return {
      instrument,
      positionSide: record.side.toUpperCase() === 'SHORT' ? 'short' : 'long',
      steps: instrument?.step.floorUnits(new Decimal(record.size)) ?? 0,
      openValue: new Decimal(record.open_value),
      leverage: new Decimal(record.leverage),
      isolatedMargin: isIsolated ? new Decimal(record.isolated_margin) : undefined,
      orderId: record.separated_mode.toUpperCase() === 'SEPARATED' ? record.separated_open_order_id : '',
      funding: new Decimal(record.cum_funding_fee),
      id: `${record.id} ${record.created_match_sequence_id}`,
    };
  }
}

const WIRE_TERMS: readonly WireTerms[] = ['normal', 'postOnly', 'fok', 'ioc'];

/** Bills that move money of the owner. */
const TRANSFERS: ReadonlySet<string> = new Set(['transfer_in', 'transfer_out', 'deposit', 'withdraw']);

/**
 * The records of all pages. Pages may be shorter than was asked, so the last one is the first without news. A list with several pages may
 * shift while it is read: it is read twice then, and both readings are merged.
 */
async function paged<T extends { readonly order_id: string }>(pageOf: (page: number) => Promise<readonly T[]>): Promise<T[]> {
  const found = new Map<string, T>();
  const readAll = async () => {
    for (let page = 0; page < MAX_PAGES; page++) {
      const records = await pageOf(page);
      const isNews = records.some(({ order_id: orderId }) => !found.has(orderId));
      for (const record of records) found.set(record.order_id, record);
      if (!isNews) return page;
    }
    return MAX_PAGES;
  };
  if ((await readAll()) > 1) await readAll();
  return [...found.values()];
}

/** An empty field or a zero says nothing. */
function amountOf(text: string): Decimal | undefined {
  const value = text === '' ? ZERO : new Decimal(text);
  return value.isZero() ? undefined : value;
}

/** A role in the place of a fee says nothing. */
function feeOf(text: string): Decimal {
  return /^[a-z]*$/i.test(text) ? ZERO : new Decimal(text);
}

/** Ids are integers as text: the longer one is greater. */
function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

function seenFill(record: PayloadOf<'futuresFills'>['list'][number]): OfSymbol {
  const { symbol, tradeId, orderId, orderSide, positionSide, fillSize, fillValue, fillFee, liquidateFee, realizePnl, createdTime } = record;
  const quantity = new Decimal(fillSize);
  const notional = new Decimal(fillValue);
  const side = orderSide.toLowerCase();
  const isSound = (side === 'buy' || side === 'sell') && quantity.greaterThan(0);
  return {
    symbol,
    fillId: tradeId,
    orderId,
    side: isSound ? side : undefined,
    positionSide: positionSide.toUpperCase() === 'SHORT' ? 'short' : 'long',
    price: isSound ? notional.div(quantity) : ZERO,
    quantity,
    notional,
    fee: feeOf(fillFee),
    liquidationFee: feeOf(liquidateFee),
    profit: feeOf(realizePnl),
    time: createdTime,
  };
}

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

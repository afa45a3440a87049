import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../../exchange/errors.ts';
import { type SpotFillRecord, spotFillFigures, statusOf } from '../../../exchange/mapping.ts';
import type { PayloadOf } from '../../../exchange/operations/operations.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { Decimal, ZERO } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { isoTime } from '../../../model/time.ts';
import type { Log } from '../../../ports/log.ts';
import type { OfSpot, Question, Reads, SeenBalance, SeenFill, SeenOrder, SeenTransfer, Since } from '../../reconcile/records.ts';

/** Fills on one page, and more pages than any window can have. */
const PAGE = 100;
const MAX_PAGES = 1_000;
/** Most readings of a list of several pages. */
const MAX_ROUNDS = 5;
/** Most transfers in one reply. */
const TRANSFERS = 500;
/** The exchange's code for an order that does not exist. */
const NOT_FOUND = '43001';
/** The exchange's name of the spot wallet in transfer records. */
const SPOT = 'SPOT';

type SpotClient = Pick<ExchangeClient, 'orderInfo' | 'fills' | 'accountAssets' | 'transferRecords' | 'serverTime'>;

/** Asks the spot half of the exchange, to the last page, and translates its records. */
export class SpotReads implements Reads<OfSpot> {
  readonly #symbols: ReadonlyMap<string, string>;

  /** @param instruments those of the run. */
  constructor(
    private readonly client: SpotClient,
    instruments: readonly Instrument[],
    private readonly log: Log,
  ) {
    this.#symbols = new Map(instruments.map(({ symbol }) => [wireSymbol(symbol).toUpperCase(), symbol]));
  }

  async order({ id }: Question<'order'>): Promise<SeenOrder | undefined> {
    try {
      const [record] = await this.client.orderInfo(id);
      return record === undefined ? undefined : this.#seenOrder(record);
    } catch (error) {
      if (error instanceof ExchangeError && error.exchangeCode === NOT_FOUND) return undefined;
      throw error;
    }
  }

  async fills({ instrument, from }: Question<'fills'>): Promise<Since<SeenFill>> {
    const { client, log } = this;
    const period = { from, now: client.serverTime(), what: `fills of ${instrument.symbol}`, log };
    const { answer, from: since } = await lookBack(period, (after) => this.#pages(instrument, { after }));
    return { ...answer, from: since };
  }

  async fillsOf({ instrument, orderId }: Question<'fillsOf'>): Promise<readonly SeenFill[]> {
    const { records } = await this.#pages(instrument, { orderId });
    // A cache may answer with those of another order.
    return records.filter((fill) => fill.orderId === orderId);
  }

  async balances(): Promise<readonly SeenBalance[]> {
    const assets = await this.client.accountAssets();
    return assets.map(({ coinName, available, frozen }) => {
      const reserved = new Decimal(frozen);
      return { asset: coinName.toUpperCase(), total: new Decimal(available).plus(reserved), frozen: reserved };
    });
  }

  async transfers({ from }: Question<'transfers'>): Promise<Since<SeenTransfer>> {
    const { client, log } = this;
    // This operation swaps the names: `before` is the start of the period.
    const ask = (before: number) => client.transferRecords({ before, limit: TRANSFERS });
    const { answer, from: since } = await lookBack({ from, now: client.serverTime(), what: 'transfers', log }, ask);
    const records = [...answer].reverse().flatMap(({ coinName, fromType, toType, status, amount, tradeTime: time }): SeenTransfer[] => {
      const isFrom = fromType.toUpperCase() === SPOT;
      const isTo = toType.toUpperCase() === SPOT;
      if (status.toUpperCase() !== 'SUCCESS' || !(isFrom || isTo)) return [];
      return [{ asset: coinName.toUpperCase(), amount: new Decimal(amount), from: fromType, to: toType, isFrom, isTo, time }];
    });
    return { records, from: since, whole: true };
  }

  #seenOrder(record: PayloadOf<'orderInfo'>[number]): SeenOrder {
    const { orderId, clientOrderId, symbol, side, orderType, price, quantity, fillQuantity, status, cTime } = record;
    return {
      orderId,
      clientOrderId,
      symbol: this.#symbols.get(symbol.toUpperCase()) ?? symbol,
      side: side.toLowerCase(),
      type: orderType.toLowerCase(),
      price: amountOf(price),
      quantity: amountOf(quantity),
      filled: fillQuantity === '' ? ZERO : new Decimal(fillQuantity),
      status: statusOf(status),
      createdAt: Number(cTime),
    };
  }

  /**
   * Reads pages until none of flag, page size and total says that there are more. An empty page is the last. One that repeats pages before
   * it ends the reading, and the answer is in part: an exchange may say for ever that there are more.
   */
  async #pages(
    { symbol }: Instrument,
    of: { readonly after: number } | { readonly orderId: string },
  ): Promise<Pick<Since<SeenFill>, 'records' | 'whole'>> {
    const found: SpotFillRecord[] = [];
    const read = new Set<string>();
    let whole = false;
    // A list that grows between two of its pages may move a record from one to the other: it is read until nothing new comes.
    for (let before = -1, round = 0; before < read.size && round < MAX_ROUNDS; round++) {
      before = read.size;
      let pageIndex = 0;
      const shown = new Set<string>();
      for (whole = false; pageIndex < MAX_PAGES && !whole; pageIndex++) {
        const answer = await this.client.fills({ symbol: wireSymbol(symbol), ...of, pageIndex, pageSize: PAGE });
        const { fillsOrderResultList: page, nextPage, totals } = answer;
        const shownBefore = shown.size;
        for (const record of page) {
          // Two records with one id may be of two fills: both are shown.
          const key = `${record.fillId} ${record.orderId} ${record.side} ${record.fillQuantity}`;
          shown.add(key);
          if (read.has(key)) continue;
          read.add(key);
          found.push(record);
        }
        whole = page.length === 0 || (!nextPage && page.length < PAGE && !(read.size < totals));
        if (!whole && shown.size === shownBefore) break;
      }
      if (pageIndex === 1) break;
    }
    return { records: oldestFirst(found).map(seenFill), whole };
  }
}

/** An empty field or a zero says nothing. */
function amountOf(text: string): Decimal | undefined {
  const value = text === '' ? ZERO : new Decimal(text);
  return value.isZero() ? undefined : value;
}

/** For fills of one instant the list's own order counts, whichever direction it has. */
function oldestFirst(records: readonly SpotFillRecord[]): SpotFillRecord[] {
  const [first, last] = [records[0]?.cTime ?? 0, records.at(-1)?.cTime ?? 0];
  const rising = first < last ? [...records] : [...records].reverse();
  return rising.sort((a, b) => a.cTime - b.cTime);
}

function seenFill(record: SpotFillRecord): SeenFill {
  const { fillId, orderId, cTime: time } = record;
  const { side, price, quantity, notional, fee } = spotFillFigures(record) ?? NO_FILL;
  return { fillId, orderId, time, side, price, quantity, notional, fee };
}

const NO_FILL = { side: undefined, price: ZERO, quantity: ZERO, notional: ZERO, fee: ZERO };

/** The exchange's code for a period that begins too long ago. The reply does not contain the allowed length. */
const TOO_OLD = '40704';

const HOUR_MS = 3_600_000;

/** Half a year to one hour, longest first: most exchanges allow one of these. */
const HOURS = [4_320, 2_160, 1_440, 720, 336, 168, 72, 24, 1];

/** Subtracted from each period: a request takes time, and clocks differ. */
const SHORT_BY_MS = 120_000;

interface LookBack {
  /** Epoch ms on the exchange's clock. */
  readonly from: number;
  readonly now: number;
  /** Name of the requested data, for the log. */
  readonly what: string;
  readonly log: Log;
}

/**
 * Requests all data since `from`. If the exchange refuses that as too long ago, requests the longest period it allows and logs the gap.
 * @returns the answer and its start.
 */
async function lookBack<T>({ from, now, what, log }: LookBack, ask: (from: number) => Promise<T>): Promise<{ answer: T; from: number }> {
  const shorter = HOURS.map((hours) => now - hours * HOUR_MS + SHORT_BY_MS).filter((time) => time > from);
  for (let since = from; ; ) {
    try {
      const answer = await ask(since);
      if (since > from) {
        const uncovered = { from: isoTime(from), to: isoTime(since) };
        log.warn(`the exchange no longer lists ${what} of so long ago: a difference that they made shows in balances only`, uncovered);
      }
      return { answer, from: since };
    } catch (error) {
      const next = shorter.shift();
      if (next === undefined || !(error instanceof ExchangeError) || error.exchangeCode !== TOO_OLD) throw error;
      since = next;
    }
  }
}

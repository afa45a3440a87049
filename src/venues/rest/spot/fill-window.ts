import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../../exchange/errors.ts';
import { type SpotFillRecord, spotFillFigures } from '../../../exchange/mapping.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import type { Decimal } from '../../../model/decimal.ts';
import { Fill, type Liquidity } from '../../../model/fill.ts';
import type { OrderRequest } from '../../../model/order.ts';
import { isoTime } from '../../../model/time.ts';
import type { Log } from '../../../ports/log.ts';

const PAGE = 100;

/** More pages than any window can have. */
const MAX_PAGES = 1_000;

export interface FillWindowOptions {
  readonly client: Pick<ExchangeClient, 'fills' | 'serverTime'>;
  readonly symbol: string;
  readonly log: Log;
  /** How long a fill may stay invisible, in ms. */
  readonly overlapMs: number;
  /** Error of our estimate of the exchange's time, in ms. */
  readonly clockSlackMs: number;
  /** Epoch ms on the exchange's clock, as estimated: all earlier fills are known. */
  readonly from: number;
  /** Ids of the fills known at the start. */
  readonly seen: Iterable<string>;
}

/**
 * Finds the new fills of one pair. Windows overlap by the time that a fill may stay invisible, and are read
 * to their last page. Fills that were seen before are skipped.
 *
 * A window begins `overlapMs` before a time up to which every visible fill is known. There are two such
 * times. One is the newest stamp seen, which is the exchange's own. The other, for a pair without fills, is the time of the
 * last request that was answered completely: a later fill had not happened then, or was still invisible. The
 * second is on our estimate of the exchange's clock, hence `clockSlackMs` earlier: the exchange answers no request whose
 * stamp is off by half of it. Without the second time, the window of a quiet pair would grow for ever, in the end
 * beyond the period that the exchange allows.
 */
export class FillWindow {
  readonly #seen = new Map<string, number>();
  /** Every fill with an earlier stamp that was visible at the last request is known. */
  #readTo: number;
  /** Fills of the last poll. */
  #found: readonly SpotFillRecord[] = [];
  /** How far the last poll alone allows the window to move. */
  #lookedTo = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: FillWindowOptions) {
    const { from, clockSlackMs, seen } = options;
    this.#readTo = from - clockSlackMs;
    // The stamps of these fills are unknown: the latest possible one, so that none is forgotten while a window covers it.
    for (const fillId of seen) this.#seen.set(fillId, from + clockSlackMs);
  }

  /** New fills, oldest first. They count as seen after `keep`. */
  async news(): Promise<SpotFillRecord[]> {
    const { client, symbol, log, overlapMs, clockSlackMs } = this.options;
    const now = client.serverTime();
    const from = Math.max(0, Math.floor(this.#readTo - overlapMs));
    const looked = await lookBack({ from, now, what: `fills of ${symbol}`, log }, (after) => this.#pages({ after }));
    const { whole } = looked.answer;
    // A late reply to an earlier request may hold older fills than requested. They were seen, and are forgotten by now.
    const records = looked.answer.records.filter(({ cTime }) => cTime >= looked.from);
    this.#readTo = Math.max(this.#readTo, looked.from + overlapMs);
    this.#found = records;
    this.#lookedTo = whole ? now - clockSlackMs : Number.NEGATIVE_INFINITY;
    this.#forget(looked.from - overlapMs);
    return records;
  }

  /** The new fills of one order. */
  async ofOrder(orderId: string): Promise<SpotFillRecord[]> {
    return (await this.#pages({ orderId })).records;
  }

  /** All fills of one order. `reported`: kept before, or older than the window. */
  async allOf(orderId: string): Promise<{ readonly record: SpotFillRecord; readonly reported: boolean }[]> {
    const { records } = await this.#pages({ orderId }, true);
    const from = this.#readTo - this.options.overlapMs;
    return records.map((record) => ({ record, reported: this.#seen.has(record.fillId) || record.cTime < from }));
  }

  /** @returns false if it was seen before. */
  keep({ fillId, cTime }: SpotFillRecord): boolean {
    if (this.#seen.has(fillId)) return false;
    this.#seen.set(fillId, cTime);
    return true;
  }

  /** Every fill found has been handled. A fill that was not kept holds the window where it is. */
  advance(): void {
    const isLeft = ({ fillId }: SpotFillRecord) => !this.#seen.has(fillId);
    const read = Math.max(this.#readTo, this.#lookedTo);
    const newest = this.#found.reduce((time, record) => (isLeft(record) ? time : Math.max(time, record.cTime)), read);
    const oldestLeft = this.#found.reduce((time, record) => (isLeft(record) ? Math.min(time, record.cTime) : time), newest);
    this.#readTo = Math.max(this.#readTo, Math.min(newest, oldestLeft));
    this.#found = [];
    this.#lookedTo = Number.NEGATIVE_INFINITY;
  }

  /** Reads pages until none of flag, page size and total says that there are more. An empty page is the last. */
  async #pages(of: { after: number } | { orderId: string }, evenSeen = false): Promise<Pages> {
    const { client, symbol } = this.options;
    const found: SpotFillRecord[] = [];
    const read = new Set<string>();
    let whole = false;
    for (let pageIndex = 0; pageIndex < MAX_PAGES && !whole; pageIndex++) {
      const answer = await client.fills({ symbol: wireSymbol(symbol), ...of, pageIndex, pageSize: PAGE });
      const { fillsOrderResultList: page, nextPage, totals } = answer;
      for (const record of page) {
        if (read.has(record.fillId)) continue;
        read.add(record.fillId);
        if (evenSeen || !this.#seen.has(record.fillId)) found.push(record);
      }
      whole = page.length === 0 || (!nextPage && page.length < PAGE && !(read.size < totals));
    }
    return { records: oldestFirst(found), whole };
  }

  #forget(before: number): void {
    for (const [fillId, time] of this.#seen) if (time < before) this.#seen.delete(fillId);
  }
}

interface Pages {
  readonly records: SpotFillRecord[];
  /** All pages were read. */
  readonly whole: boolean;
}

/** For fills of one instant the list's own order counts, whichever direction it has. */
function oldestFirst(records: readonly SpotFillRecord[]): SpotFillRecord[] {
  const [first, last] = [records[0]?.cTime ?? 0, records.at(-1)?.cTime ?? 0];
  const rising = first < last ? [...records] : [...records].reverse();
  return rising.sort((a, b) => a.cTime - b.cTime);
}

/**
 * Makes a fill from a record of one of our orders. The exchange sends neither sequence nor liquidity: the sequence is that of the data
 * on which the order was decided; the liquidity follows from the fee rate.
 * @returns undefined if the record cannot be a fill of the order.
 */
export function fillOfRecord(record: SpotFillRecord, request: OrderRequest): Fill | undefined {
  const figures = spotFillFigures(record);
  const { instrument, side } = request;
  if (figures === undefined || figures.side !== side) return undefined;
  const { price, quantity, notional, fee } = figures;
  const steps = instrument.step.floorUnits(quantity);
  // The exchange spells coins in a case of its own.
  const feeAsset = side === 'buy' ? instrument.base : instrument.quote;
  const rate = fee.div(side === 'buy' ? quantity : notional);
  const time = record.cTime;
  return new Fill(
    record.fillId,
    record.orderId,
    request.clientOrderId,
    request.strategyId,
    instrument,
    side,
    request.positionSide,
    price.div(instrument.tick.toDecimal(1)).round().toNumber(),
    steps,
    notional,
    fee,
    feeAsset,
    liquidityOf(rate, request),
    request.tag,
    time,
    request.decidedSequence,
    request.seenSequence,
    time,
  );
}

function liquidityOf(rate: Decimal, { instrument: { makerFee, takerFee }, type, timeInForce, postOnly }: OrderRequest): Liquidity {
  if (postOnly) return 'maker';
  if (type === 'market' || timeInForce !== 'GTC') return 'taker';
  return rate.minus(makerFee).abs().lessThan(rate.minus(takerFee).abs()) ? 'maker' : 'taker';
}

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
export async function lookBack<T>(
  { from, now, what, log }: LookBack,
  ask: (from: number) => Promise<T>,
): Promise<{ answer: T; from: number }> {
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

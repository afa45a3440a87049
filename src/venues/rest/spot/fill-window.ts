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

/** More pages than any window can honestly hold. */
const MAX_PAGES = 1_000;

export interface FillWindowOptions {
  readonly client: Pick<ExchangeClient, 'fills' | 'serverTime'>;
  readonly symbol: string;
  readonly log: Log;
  /** How long a fill may stay invisible, in ms. */
  readonly overlapMs: number;
  /** How far our idea of the exchange's time may be off, in ms. */
  readonly clockDoubtMs: number;
  /** Epoch ms by that idea: all before is known. */
  readonly from: number;
  /** Ids of fills that were known by then. */
  readonly seen: Iterable<string>;
}

/**
 * The fills of one pair as they come to be known. Windows overlap by the time that a fill may stay invisible, and are read
 * to their last page; what was seen before is left out.
 *
 * A window begins `overlapMs` before a time up to which all is known but for what was invisible then. There are two such
 * times: the newest stamp that was seen, which is the exchange's own, and, where nothing is filled, the time at which an
 * answer was asked for that was read to its end: what is stamped later had not happened, or was still invisible. That
 * second one is by our idea of the exchange's clock, hence `clockDoubtMs` earlier: the exchange answers no request whose
 * stamp, by that idea, is off by half of it. Without it a quiet pair would be asked about an ever longer period, in the end
 * a longer one than the exchange allows.
 */
export class FillWindow {
  readonly #seen = new Map<string, number>();
  /** All fills are known that are stamped before this, and were visible when they were asked for. */
  #readTo: number;
  /** What the last look found. */
  #found: readonly SpotFillRecord[] = [];
  /** Up to where the last look alone would let the window move. */
  #lookedTo = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: FillWindowOptions) {
    const { from, clockDoubtMs, seen } = options;
    this.#readTo = from - clockDoubtMs;
    // Stamps of what was known before are not: the latest possible ones, so that none is forgotten while a window holds it.
    for (const fillId of seen) this.#seen.set(fillId, from + clockDoubtMs);
  }

  /** Fills that are news, oldest first; they count as seen once they have been kept. */
  async news(): Promise<SpotFillRecord[]> {
    const { client, symbol, log, overlapMs, clockDoubtMs } = this.options;
    const now = client.serverTime();
    const from = Math.max(0, Math.floor(this.#readTo - overlapMs));
    const looked = await lookBack({ from, now, what: `fills of ${symbol}`, log }, (after) => this.#pages({ after }));
    const { records, whole } = looked.answer;
    this.#readTo = Math.max(this.#readTo, looked.from + overlapMs);
    this.#found = records;
    this.#lookedTo = whole ? now - clockDoubtMs : Number.NEGATIVE_INFINITY;
    this.#forget(looked.from - overlapMs);
    return records;
  }

  /** The fills of one order that are news. */
  async ofOrder(orderId: string): Promise<SpotFillRecord[]> {
    return (await this.#pages({ orderId })).records;
  }

  /** All fills of one order, with whether each is dealt with: kept, or older than the window. */
  async allOf(orderId: string): Promise<{ readonly record: SpotFillRecord; readonly told: boolean }[]> {
    const { records } = await this.#pages({ orderId }, true);
    const from = this.#readTo - this.options.overlapMs;
    return records.map((record) => ({ record, told: this.#seen.has(record.fillId) || record.cTime < from }));
  }

  /** @returns false where it was seen before. */
  keep({ fillId, cTime }: SpotFillRecord): boolean {
    if (this.#seen.has(fillId)) return false;
    this.#seen.set(fillId, cTime);
    return true;
  }

  /** All that was found is dealt with. What has not been kept holds the window where it is. */
  advance(): void {
    const isLeft = ({ fillId }: SpotFillRecord) => !this.#seen.has(fillId);
    const read = Math.max(this.#readTo, this.#lookedTo);
    const newest = this.#found.reduce((time, record) => (isLeft(record) ? time : Math.max(time, record.cTime)), read);
    const oldestLeft = this.#found.reduce((time, record) => (isLeft(record) ? Math.min(time, record.cTime) : time), newest);
    this.#readTo = Math.max(this.#readTo, Math.min(newest, oldestLeft));
    this.#found = [];
    this.#lookedTo = Number.NEGATIVE_INFINITY;
  }

  /** Reads on until nothing says that there is more: not the flag, not a full page, not the total. An empty page is the last. */
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
  /** They were read to the last one. */
  readonly whole: boolean;
}

/** Of one instant, the list's own order counts, whichever way it goes. */
function oldestFirst(records: readonly SpotFillRecord[]): SpotFillRecord[] {
  const [first, last] = [records[0]?.cTime ?? 0, records.at(-1)?.cTime ?? 0];
  const rising = first < last ? [...records] : [...records].reverse();
  return rising.sort((a, b) => a.cTime - b.cTime);
}

/**
 * A fill record of one of our orders. The exchange names neither sequence nor liquidity: the first is that of the data the
 * order was decided on, the second is told by the rate that was charged.
 * @returns undefined for a record that cannot be a fill of the order.
 */
export function fillOfRecord(record: SpotFillRecord, request: OrderRequest): Fill | undefined {
  const figures = spotFillFigures(record);
  const { instrument, side } = request;
  if (figures === undefined || figures.side !== side) return undefined;
  const { price, quantity, notional, fee } = figures;
  const steps = instrument.step.floorUnits(quantity);
  // Records name coins in their own case.
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

/** The exchange's word for a period that begins too long ago. How long that is it does not say. */
const TOO_OLD = '40704';

const HOUR_MS = 3_600_000;

/** Half a year to an hour, longest first: what exchanges allow is mostly one of these. */
const HOURS = [4_320, 2_160, 1_440, 720, 336, 168, 72, 24, 1];

/** By how much less is asked for: a request takes its time, and clocks differ. */
const SHORT_BY_MS = 120_000;

interface LookBack {
  /** Epoch ms; both are the exchange's time. */
  readonly from: number;
  readonly now: number;
  /** What is asked for, as the log calls it. */
  readonly what: string;
  readonly log: Log;
}

/**
 * Asks for all since `from`; where that is too long ago for the exchange, for as long as it allows, and tells what is not covered.
 * @returns the answer, and from when it is.
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
        log.warn(`the exchange tells ${what} of so long ago no more: a difference that they made shows in balances alone`, uncovered);
      }
      return { answer, from: since };
    } catch (error) {
      const next = shorter.shift();
      if (next === undefined || !(error instanceof ExchangeError) || error.exchangeCode !== TOO_OLD) throw error;
      since = next;
    }
  }
}

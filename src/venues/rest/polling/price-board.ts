import { markEvent } from '../../../exchange/mapping/mark-event.ts';
import { tickerEvent } from '../../../exchange/mapping/ticker-event.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Mark, MarketEvent, Ticker } from '../../../model/market-events.ts';
import type { Price } from './price-source.ts';

/** A stamp this much older than our clock, in ms, is no time of a live price: the clock's is taken. */
const OLDEST_MS = 60_000;

interface Newest {
  /** Time of the newest event, epoch ms. */
  time: number;
  /** The exchange's own newest stamp, where it was a sound one. */
  stamp: number;
  ticker: Ticker | undefined;
  mark: Mark | undefined;
}

/**
 * Makes events of the prices that have changed, numbers and times them.
 *
 * - An event bears the exchange's stamp; where that lies ahead of our clock or far behind it, the clock's time. Times
 *   of an instrument never go back.
 * - A picture older than the newest of its instrument (a replica that lags) is no answer at all.
 */
export class PriceBoard {
  readonly #newest = new Map<Instrument, Newest>();

  /** @param sequence of the last market event before this run. */
  constructor(private sequence: number) {}

  /** Sequence of the newest event. */
  get lastSequence(): number {
    return this.sequence;
  }

  /** @returns what has changed, ticker first; `undefined` where the price is none, or an older one. */
  take(price: Price, now: number): readonly MarketEvent[] | undefined {
    const { instrument, stamp } = price;
    const newest = this.#of(instrument);
    const isSound = stamp <= now && stamp >= now - OLDEST_MS;
    if (isSound && stamp < newest.stamp) return undefined;
    const time = Math.max(newest.time, isSound ? stamp : now);
    const ticker = tickerEvent(instrument, price.last, time, this.sequence + 1);
    if (ticker === undefined) return undefined;
    if (isSound) newest.stamp = stamp;
    const events: MarketEvent[] = [];
    if (ticker.lastTicks !== newest.ticker?.lastTicks) {
      newest.ticker = ticker;
      events.push(ticker);
      this.sequence++;
    }
    const mark = price.mark === undefined ? undefined : markEvent(instrument, price.mark, time, this.sequence + 1);
    if (mark !== undefined && (mark.units !== newest.mark?.units || mark.decimals !== newest.mark.decimals)) {
      newest.mark = mark;
      events.push(mark);
      this.sequence++;
    }
    if (events.length > 0) newest.time = time;
    return events;
  }

  #of(instrument: Instrument): Newest {
    const known = this.#newest.get(instrument);
    if (known !== undefined) return known;
    const newest = { time: Number.NEGATIVE_INFINITY, stamp: Number.NEGATIVE_INFINITY, ticker: undefined, mark: undefined };
    this.#newest.set(instrument, newest);
    return newest;
  }
}

import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../../exchange/errors.ts';
import { markEvent, tickerEvent } from '../../../exchange/mapping.ts';
import { OPERATION_TABLE } from '../../../exchange/operations/operation-table.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { Funding, type Mark, type MarketEvent, type Ticker } from '../../../model/market-events.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Payment } from './funding-reads.ts';
import { BackOff, type BackOffOptions } from './poll.ts';

export type TickerClient = Pick<ExchangeClient, 'ticker' | 'tickers' | 'futuresTicker'>;

/** The ticker of one instrument, as the exchange sent it. */
export interface Price {
  readonly instrument: Instrument;
  readonly last: string;
  /** Futures only, if given. */
  readonly mark: string | undefined;
  /** The exchange's time stamp, epoch ms. */
  readonly stamp: number;
}

export interface Answers {
  readonly prices: readonly Price[];
  /** Instruments without an answer this time, with the reason. */
  readonly missing: readonly { readonly instrument: Instrument; readonly reason: string }[];
}

/** Requests the prices of some instruments from one host. */
interface PriceSource {
  readonly instruments: readonly Instrument[];
  /** @throws the cause, if no instrument got an answer. */
  request(): Promise<Answers>;
}

/**
 * The sources for these instruments: one for each host, so that a failure of one host does not affect the other. Spot pairs are
 * requested one by one, or all at once if that has less weight.
 */
export function priceSources(
  client: TickerClient,
  instruments: readonly Instrument[],
  clock: Clock,
  backOff: BackOffOptions,
): readonly PriceSource[] {
  const spot = instruments.filter(({ kind }) => kind === 'spot');
  const futures = instruments.filter(({ kind }) => kind === 'futures');
  const { ticker, tickers } = OPERATION_TABLE;
  const allAtOnce = spot.length * ticker.weight.ip > tickers.weight.ip;
  const sources = [
    allAtOnce ? new AllAtOnce(client, spot) : new OneByOne(spot, clock, backOff, (one) => spotPrice(client, one)),
    new OneByOne(futures, clock, backOff, (one) => futuresPrice(client, one)),
  ];
  return sources.filter((source) => source.instruments.length > 0);
}

async function spotPrice(client: TickerClient, instrument: Instrument): Promise<Price> {
  const { lastPrice, ts } = await client.ticker({ symbol: wireSymbol(instrument.symbol) });
  return { instrument, last: lastPrice, mark: undefined, stamp: ts };
}

async function futuresPrice(client: TickerClient, instrument: Instrument): Promise<Price> {
  const { last, markPrice, timestamp } = await client.futuresTicker({ symbol: wireSymbol(instrument.symbol) });
  return { instrument, last, mark: markPrice, stamp: timestamp };
}

class AllAtOnce implements PriceSource {
  constructor(
    private readonly client: Pick<TickerClient, 'tickers'>,
    readonly instruments: readonly Instrument[],
  ) {}

  async request(): Promise<Answers> {
    const records = new Map((await this.client.tickers()).map((record) => [record.symbol.toUpperCase(), record]));
    const prices: Price[] = [];
    const missing: Answers['missing'][number][] = [];
    for (const instrument of this.instruments) {
      const record = records.get(wireSymbol(instrument.symbol).toUpperCase());
      if (record === undefined) missing.push({ instrument, reason: 'it is not among the tickers' });
      else prices.push({ instrument, last: record.lastPrice, mark: undefined, stamp: record.ts });
    }
    return { prices, missing };
  }
}

/** Concurrent requests. An instrument that alone fails is paused for a while; if all fail, the host has failed. */
class OneByOne implements PriceSource {
  readonly #rests = new Map<Instrument, { readonly backOff: BackOff; until: number; reason: string }>();

  constructor(
    readonly instruments: readonly Instrument[],
    private readonly clock: Clock,
    backOff: BackOffOptions,
    private readonly requestOne: (instrument: Instrument) => Promise<Price>,
  ) {
    for (const one of instruments) this.#rests.set(one, { backOff: new BackOff(backOff), until: Number.NEGATIVE_INFINITY, reason: '' });
  }

  async request(): Promise<Answers> {
    const now = this.clock.now();
    const resting = this.instruments.filter((one) => now < this.#rests.get(one)!.until);
    const requested = this.instruments.filter((one) => !resting.includes(one));
    const replies = await Promise.allSettled(requested.map((one) => this.requestOne(one)));
    const prices = replies.flatMap((reply) => (reply.status === 'fulfilled' ? [reply.value] : []));
    const errors = replies.flatMap((reply) => (reply.status === 'rejected' ? [reply.reason as unknown] : []));
    const strange = errors.find((error) => !(error instanceof ExchangeError));
    if (strange !== undefined) throw strange;
    // A retry soon is useful if one of the errors may pass.
    if (prices.length === 0 && errors.length > 0) throw errors.find((error) => (error as ExchangeError).retryable) ?? errors[0];
    requested.forEach((one, index) => {
      const reply = replies[index]!;
      const rest = this.#rests.get(one)!;
      if (reply.status === 'fulfilled') rest.backOff.succeed();
      else {
        rest.until = this.clock.now() + rest.backOff.fail(reply.reason);
        rest.reason = String(reply.reason);
        resting.push(one);
      }
    });
    return { prices, missing: resting.map((instrument) => ({ instrument, reason: this.#rests.get(instrument)!.reason })) };
  }
}

/** A time stamp this much older than our clock, in ms, cannot belong to a live price: the clock's time is used. */
const OLDEST_MS = 60_000;

interface Newest {
  /** Time of the newest event, epoch ms. */
  time: number;
  /** The exchange's newest valid time stamp. */
  stamp: number;
  ticker: Ticker | undefined;
  mark: Mark | undefined;
}

/**
 * Makes events of the prices that have changed, numbers them and gives them a time.
 *
 * - An event has the exchange's time stamp, or the clock's time if the stamp is ahead of our clock or far behind it. Times
 *   of an instrument never go back.
 * - A price older than the newest of its instrument (from a replica that lags) is no answer.
 */
export class PriceBoard {
  readonly #newest = new Map<Instrument, Newest>();

  /** @param sequence of the last market event before this run. */
  constructor(private sequence: number) {}

  /** Sequence of the newest event. */
  get lastSequence(): number {
    return this.sequence;
  }

  /** @returns the changes, ticker first; `undefined` if the price is invalid or an older one. */
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

  /** A payment as an event, at the time of its settlement. */
  pay({ instrument, time, rate }: Payment): Funding {
    return new Funding(instrument, time, ++this.sequence, rate);
  }

  #of(instrument: Instrument): Newest {
    const known = this.#newest.get(instrument);
    if (known !== undefined) return known;
    const newest = { time: Number.NEGATIVE_INFINITY, stamp: Number.NEGATIVE_INFINITY, ticker: undefined, mark: undefined };
    this.#newest.set(instrument, newest);
    return newest;
  }
}

import { Observable, Subject } from 'rxjs';
import type { ExchangeClient } from '../exchange/client/exchange-client.ts';
import { markEvent, tickerEvent } from '../exchange/mapping.ts';
import { wireSymbol } from '../exchange/symbols.ts';
import { Decimal } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import { Funding, type MarketEvent, Trade } from '../model/market-events.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { FeedItem, MarketFeed } from '../ports/market-feed.ts';
import { SynthStream } from '../recording/synth/synth-stream.ts';
import { type DayReport, futuresReport, spotReport } from './core/market-view.ts';

/** The source of a local exchange's prices. */
export interface PriceFeed extends MarketFeed {
  /** The source's 24-hour figures, if it has them: they are shown, and are no part of this exchange's own events. */
  readonly reports$?: Observable<DayReport> | undefined;
}

const MINUTE_MS = 60_000;

/** The first synthetic price of an instrument. */
interface SyntheticStart {
  readonly instrument: Instrument;
  /** Decimal text. */
  readonly price: string;
}

/**
 * Random trades without end, one to three seconds apart, the same for the same seed. They move like the synthetic
 * recordings do (a perpetual follows its spot).
 */
export function* syntheticTrades(starts: readonly SyntheticStart[], seed: number, startMs: number): Generator<Trade, never> {
  const start = Math.floor(startMs / MINUTE_MS) * MINUTE_MS;
  const streams = starts.map(({ instrument, price }) => ({
    instrument,
    stream: new SynthStream({ symbol: instrument.symbol, tick: instrument.tick.text, price }, seed, start),
  }));
  for (let sequence = 1; ; sequence++) {
    const { instrument, stream } = streams.reduce((first, other) => (other.stream.time < first.stream.time ? other : first));
    const quantity = stream.quantity / 10 ** stream.quantityDecimals;
    const steps = Math.max(1, instrument.step.snap(quantity, 'down') ?? 1);
    yield new Trade(instrument, stream.time, sequence, stream.last, steps, stream.side > 0 ? 'buy' : 'sell');
    stream.next();
  }
}

interface Pace {
  /** Ms of the recording per ms of the clock. */
  readonly speed: number;
  /** Start again at the end. */
  readonly loop: boolean;
  /** Number of instruments that must have a price from the start; default 1. */
  readonly instruments?: number | undefined;
}

/** Gap between the end of a recording and its next start, in ms of the recording. */
const LOOP_GAP_MS = 1_000;
/** Events processed at once before others get their turn: a clock that lags must not block the servers. */
const BURST = 1_000;
/** The part of a recording that is played at once, in its ms, so that each instrument has a price from the start. */
const HEAD_START_MS = 60_000;

/**
 * Plays recorded events on a clock: at once until each instrument has a price, every later one with its recorded distance from the last of
 * these, divided by the speed. Events of one recorded time are delivered together. Cold: every subscription
 * plays from the start.
 */
export class PacedFeed implements MarketFeed {
  readonly events$: Observable<FeedItem>;

  /** @param open the events from the start, in order of their times. */
  constructor(open: () => Iterator<MarketEvent>, clock: Clock, { speed, loop, instruments = 1 }: Pace) {
    this.events$ = new Observable((out) => {
      let events = open();
      let next = events.next();
      if (next.done === true) {
        out.complete();
        return undefined;
      }
      /** Clock time of the recording's time 0. */
      let origin = clock.now() - next.value.time / speed;
      const start = next.value.time;
      const priced = new Set<unknown>();
      let cancel = () => {};
      const again = (last: number): boolean => {
        if (!loop) return false;
        const restart = origin + (last + LOOP_GAP_MS) / speed;
        events = open();
        next = events.next();
        if (next.done === true) return false;
        origin = restart - next.value.time / speed;
        return true;
      };
      const play = () => {
        for (let played = 0; next.done !== true && !out.closed; ) {
          const { value } = next;
          if (priced.size < instruments && value.time <= start + HEAD_START_MS) origin = Math.min(origin, clock.now() - value.time / speed);
          const due = origin + value.time / speed;
          if (due > clock.now() || played++ >= BURST) {
            cancel = clock.schedule(due, later);
            return;
          }
          const instant = [value];
          for (next = events.next(); next.done !== true && next.value.time === value.time; next = events.next()) instant.push(next.value);
          for (const { instrument } of instant) priced.add(instrument);
          out.next(instant.length === 1 ? value : { kind: 'together', events: instant });
          if (next.done === true && !again(value.time)) out.complete();
        }
      };
      // An error in reading a recording ends the feed, not the process whose clock calls.
      const later = () => {
        try {
          play();
        } catch (error) {
          out.error(error);
        }
      };
      later();
      return () => {
        cancel();
        events.return?.();
      };
    });
  }
}

export interface PolledTickersOptions {
  readonly client: Pick<ExchangeClient, 'ticker' | 'futuresTicker' | 'fundingRate' | 'fundingHistory' | 'close'>;
  readonly instruments: readonly Instrument[];
  readonly clock: Clock;
  /** From the end of one round to the start of the next, in ms. */
  readonly everyMs: number;
  readonly log: Log;
}

/** How soon a funding payment that is due is requested again, and after a failure, in ms. */
const DUE_AGAIN_MS = 10_000;
const FAILED_AGAIN_MS = 60_000;

/** The funding payments of a contract at another exchange, from now on. */
class PolledFunding {
  /** Epoch ms of the newest payment at that exchange; undefined before the first request. */
  #newest: number | undefined;
  #dueAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly client: Pick<ExchangeClient, 'fundingRate' | 'fundingHistory'>,
    private readonly instrument: Instrument,
  ) {}

  /** The rate of a new payment. Requests nothing before one can be due. */
  async ask(now: number): Promise<Decimal | undefined> {
    if (now < this.#dueAt) return undefined;
    this.#dueAt = now + FAILED_AGAIN_MS;
    const symbol = wireSymbol(this.instrument.symbol);
    const history = await this.client.fundingHistory({ symbol, limit: 1 });
    const [present] = await this.client.fundingRate({ symbol });
    // The order of the list is not documented.
    const [newest] = history.sort((a, b) => b.fundingTime - a.fundingTime);
    const isFirst = this.#newest === undefined;
    const before = this.#newest ?? 0;
    this.#newest = Math.max(before, newest?.fundingTime ?? 0);
    this.#dueAt = Math.max(
      now + (newest === undefined ? FAILED_AGAIN_MS : DUE_AGAIN_MS),
      this.#newest + (present?.collectCycle ?? 0) * MINUTE_MS,
    );
    return newest === undefined || isFirst || newest.fundingTime <= before ? undefined : new Decimal(newest.fundingRate);
  }
}

/**
 * Another exchange's public tickers as a feed: a price is published when it has changed, for contracts with the mark price, their
 * 24-hour figures every time, and the funding that its contracts pay, when it is listed; a failed request is logged.
 */
export class PolledTickers implements PriceFeed {
  readonly reports$ = new Subject<DayReport>();
  readonly events$: Observable<FeedItem>;

  constructor({ client, instruments, clock, everyMs, log }: PolledTickersOptions) {
    this.events$ = new Observable((out) => {
      const newest = new Map<Instrument, string>();
      let cancel = () => {};
      let sequence = 0;
      const spot = async (instrument: Instrument) => {
        const ticker = await client.ticker({ symbol: wireSymbol(instrument.symbol) });
        return { last: ticker.lastPrice, mark: undefined, report: spotReport(instrument, ticker) };
      };
      const futures = async (instrument: Instrument) => {
        const ticker = await client.futuresTicker({ symbol: wireSymbol(instrument.symbol) });
        return { last: ticker.last, mark: ticker.markPrice, report: futuresReport(instrument, ticker) };
      };
      const ask = async (instrument: Instrument) => {
        const { last, mark, report } = instrument.kind === 'spot' ? await spot(instrument) : await futures(instrument);
        if (out.closed) return;
        this.reports$.next(report);
        const prices = `${last} ${mark}`;
        if (newest.get(instrument) === prices) return;
        newest.set(instrument, prices);
        // The mark with every last price: an older one than \`markMaxAge\` would no longer count.
        const ticker = tickerEvent(instrument, last, clock.now(), ++sequence);
        const marked = mark === undefined ? undefined : markEvent(instrument, mark, clock.now(), ++sequence);
        const events = [ticker, marked].filter((event) => event !== undefined);
        if (events.length > 0) out.next(events.length === 1 ? events[0]! : { kind: 'together', events });
      };
      const fundings = new Map(
        instruments.filter(({ kind }) => kind === 'futures').map((one) => [one, new PolledFunding(client, one)] as const),
      );
      const askFunding = async (instrument: Instrument) => {
        const rate = await fundings.get(instrument)?.ask(clock.now());
        if (rate !== undefined && !out.closed) out.next(new Funding(instrument, clock.now(), ++sequence, rate));
      };
      const round = async () => {
        for (const instrument of instruments) {
          if (out.closed) return;
          await ask(instrument).catch((error: unknown) => {
            // The client was closed: nobody reads the prices, or the log, any more.
            if (out.closed) return;
            log.warn('a public ticker could not be read: the last price remains', { symbol: instrument.symbol, error: String(error) });
          });
          await askFunding(instrument).catch((error: unknown) => {
            if (!out.closed) log.warn('funding could not be read: none is charged', { symbol: instrument.symbol, error: String(error) });
          });
        }
        if (!out.closed) cancel = clock.schedule(clock.now() + everyMs, () => void round());
      };
      void round();
      return () => {
        cancel();
        void client.close();
      };
    });
  }
}

import type { MatchingEngine } from '../../../matching/matching-engine.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { Funding, Mark, type MarketEvent, Ticker } from '../../../model/market-events.ts';
import { fundingRead, SETTLED } from '../../../ports/market-feed.ts';
import { type FeedOutlet, LOOK_EVERY, NEVER_WANTED, type Replay, type ReplayMonitor } from '../replay.ts';
import type { DataSource } from '../row-source.ts';
import type { SimulatedClock } from '../simulated-clock.ts';
import type { PolledVenue } from './polled-venue.ts';

interface ShownPrices {
  readonly instrument: Instrument;
  ticker: Ticker | undefined;
  mark: Mark | undefined;
  shownTicks: number;
  shownMark: Mark | undefined;
}

/** Tickers, marks and funding of each instrument have separate sequence numbers at each poll. */
const KINDS = 3;

/**
 * The data that polls return: the last price and the last mark of each instrument, where they have changed, and new funding payments.
 *
 * The sequence number of an event comes from the first poll that can return it, then from instrument and kind. So a returned event is never
 * newer than the exchange's, and a fill never uses an older price than its order's decision.
 */
class PollBoard {
  readonly #shown: readonly ShownPrices[];
  #polls = 0;
  /** Payments that no poll has shown yet. */
  #unread: Funding[] = [];
  #read = Number.NaN;

  constructor(instruments: readonly Instrument[]) {
    this.#shown = instruments.map((instrument) => ({
      instrument,
      ticker: undefined,
      mark: undefined,
      shownTicks: Number.NaN,
      shownMark: undefined,
    }));
  }

  /** The sequence number of an event that happens now. */
  sequence({ index }: Instrument, kind: 'ticker' | 'mark' | 'funding'): number {
    return this.#polls * this.#shown.length * KINDS + index * KINDS + (kind === 'ticker' ? 1 : kind === 'mark' ? 2 : 3);
  }

  /** The exchange has it from now on. */
  take(event: MarketEvent): void {
    const shown = this.#shown[event.instrument.index]!;
    if (event.kind === 'ticker') shown.ticker = event;
    else if (event.kind === 'mark') shown.mark = event;
    else if (event.kind === 'funding') this.#unread.push(event);
  }

  /** A poll at `time`: the changes, with its time. */
  poll(time: number): MarketEvent[] {
    const events: MarketEvent[] = [];
    for (const shown of this.#shown) {
      const { instrument, ticker, mark, shownTicks, shownMark } = shown;
      if (ticker !== undefined && ticker.lastTicks !== shownTicks) {
        shown.shownTicks = ticker.lastTicks;
        events.push(new Ticker(instrument, time, this.sequence(instrument, 'ticker'), ticker.lastTicks));
      }
      if (mark !== undefined && (mark.units !== shownMark?.units || mark.decimals !== shownMark.decimals)) {
        shown.shownMark = mark;
        events.push(new Mark(instrument, time, this.sequence(instrument, 'mark'), mark.units, mark.decimals));
      }
    }
    events.push(...this.#payments(time));
    this.#polls++;
    return events;
  }

  /** Once a minute: the payments since the read before, each at the time of its settlement. */
  #payments(time: number): readonly MarketEvent[] {
    if (fundingRead(time) === this.#read) return [];
    this.#read = fundingRead(time);
    const payments = this.#unread.splice(0).sort((a, b) => a.instrument.index - b.instrument.index || a.time - b.time);
    return payments.map(
      ({ instrument, time, exactRate }) => new Funding(instrument, time, this.sequence(instrument, 'funding'), exactRate),
    );
  }
}

interface PolledTimelineParts {
  readonly clock: SimulatedClock;
  /** In the declared order of kinds, then of instruments; tickers, marks and funding. */
  readonly sources: readonly PolledSource[];
  readonly instruments: readonly Instrument[];
  readonly matching: MatchingEngine;
  readonly venue: PolledVenue;
  readonly pollMs: number;
  readonly monitor: ReplayMonitor | undefined;
}

/** A source whose instrument and kind are known before it delivers. */
export interface PolledSource {
  readonly instrument: Instrument;
  readonly kind: 'ticker' | 'mark' | 'funding';
  readonly source: DataSource;
}

/** At the end of the data, unreported changes are awaited for at most this many ms. */
const TELLING_MS = 60_000;

/**
 * A replay as a poller sees it. At one time T:
 *
 * 1. tickers and marks at T reach matching, by (nanoseconds, declared order), and positions that lack margin are liquidated, independent
 * of polls;
 * 2. at a multiple of the period the account is polled, at other times where a query is due; a turn;
 * 3. the requests of the turn leave, one by one, with a turn after each reply; then orders that end at once are queried, a turn; this
 *   repeats until there is no news;
 * 4. at a multiple of the period prices are polled, and once a minute funding payments; where there is news, a turn; then 3;
 * 5. timers at T, one by one, each followed by 3;
 * 6. funding at T is charged, and liquidation.
 *
 * It begins at the first multiple after the first price, and ends with the first that shows the last price.
 */
export class PolledTimeline implements Replay {
  marketEvents = 0;
  /** Epoch ms of the first and of the newest poll; `NaN` before the first. */
  firstTime = Number.NaN;
  lastTime = Number.NaN;
  interrupted = false;
  readonly #parts: PolledTimelineParts;
  readonly #board: PollBoard;
  readonly #prices: readonly PolledSource[];
  #nextLook = LOOK_EVERY;
  /** Epoch ms of the next poll, and of the first one that shows the last price. */
  #nextPoll = Number.POSITIVE_INFINITY;
  #lastPoll = Number.POSITIVE_INFINITY;

  constructor(parts: PolledTimelineParts) {
    this.#parts = parts;
    this.#board = new PollBoard(parts.instruments);
    this.#prices = parts.sources.filter(({ source }) => !source.follows);
  }

  /** Time of the first price; `Infinity` when there is none. */
  get startTime(): number {
    return Math.min(...this.#prices.map(({ source }) => source.time));
  }

  begin(): void {
    const { startTime } = this;
    for (const { source } of this.#parts.sources) if (source.follows) source.skipTo(startTime);
    this.#nextPoll = this.#onGrid(startTime);
    this.#lastPoll = this.#nextPoll;
  }

  advance(out: FeedOutlet): boolean {
    const { clock, sources, venue, pollMs, monitor } = this.#parts;
    const wanted = monitor?.wanted ?? NEVER_WANTED;
    while (this.#nextPoll < Number.POSITIVE_INFINITY) {
      const poll = this.#nextPoll;
      const price = this.startTime;
      if (price < Number.POSITIVE_INFINITY) this.#lastPoll = this.#onGrid(price);
      const data = price === Number.POSITIVE_INFINITY ? price : Math.min(...sources.map(({ source }) => source.time));
      const time = Math.min(data, poll, venue.nextDue, clock.timers.nextTime);
      if (time > this.#lastPoll) return false;
      clock.advanceTo(time);
      if (data <= time) this.#takePrices(time);
      if (time === poll) {
        this.#poll(time, out);
        this.#nextPoll += pollMs;
      } else this.#settle(out);
      while (clock.timers.nextTime <= time) {
        clock.timers.runNext();
        out.next(SETTLED);
        this.#settle(out);
      }
      if (data <= time) this.#fund(time, out);
      if (wanted[0] !== 0 || this.marketEvents >= this.#nextLook) return this.#look();
    }
    return false;
  }

  #onGrid(time: number): number {
    const { pollMs } = this.#parts;
    return Math.ceil(time / pollMs) * pollMs;
  }

  #poll(time: number, out: FeedOutlet): void {
    this.#parts.venue.look();
    out.next(SETTLED);
    this.#settle(out);
    const events = this.#board.poll(time);
    if (this.marketEvents > 0 && Number.isNaN(this.firstTime)) this.firstTime = time;
    this.lastTime = time;
    if (events.length === 0) return;
    out.next(events.length === 1 ? events[0]! : { kind: 'together', events });
    this.#settle(out);
  }

  /** Settles everything that a turn, or the time, has made due, with all consequences. */
  #settle(out: FeedOutlet): void {
    while (this.#parts.venue.step()) out.next(SETTLED);
  }

  #takePrices(time: number): void {
    const { matching } = this.#parts;
    for (let next = this.#nextAt(time); next !== undefined; next = this.#nextAt(time)) this.#board.take(this.#deliver(next));
    if (matching.marginDue) matching.liquidate(time);
  }

  #fund(time: number, out: FeedOutlet): void {
    const { matching, sources } = this.#parts;
    const due = sources.filter(({ source }) => source.funds && source.time <= time);
    if (due.length === 0) return;
    for (const one of due) while (one.source.time <= time) this.#board.take(this.#deliver(one));
    this.#settle(out);
    if (matching.marginDue) matching.liquidate(time);
  }

  #deliver({ source, instrument, kind }: PolledSource): MarketEvent {
    this.marketEvents++;
    return source.deliver(this.#parts.matching, this.#board.sequence(instrument, kind))!;
  }

  /** The source whose price or mark at `time` comes first. */
  #nextAt(time: number): PolledSource | undefined {
    let found: PolledSource | undefined;
    for (const one of this.#parts.sources) {
      const { source } = one;
      if (source.time !== time || source.funds) continue;
      if (found === undefined || source.nanos < found.source.nanos) found = one;
    }
    return found;
  }

  #look(): boolean {
    const { monitor, clock } = this.#parts;
    this.#nextLook = this.marketEvents + LOOK_EVERY;
    this.interrupted = monitor?.look(this.marketEvents, clock.now()) === false;
    return !this.interrupted;
  }

  /** The data has ended: strategies stop, messages on their way still arrive, then open orders end. */
  end(out: FeedOutlet): void {
    const { sources, matching, venue, clock, monitor } = this.#parts;
    for (const { source } of sources) source.close();
    out.next({ kind: 'ending' });
    this.#settle(out);
    // Changes that were seen and not reported yet are reported a few looks later.
    for (const until = clock.now() + TELLING_MS; venue.waits && venue.nextDue <= until; this.#settle(out)) clock.advanceTo(venue.nextDue);
    matching.expireAll(clock.now());
    venue.finish();
    out.next(SETTLED);
    monitor?.look(this.marketEvents, clock.now());
  }
}

import { Observable, Subject } from 'rxjs';
import type { AccountEvent } from '../model/account-events.ts';
import type { Instrument } from '../model/instrument.ts';
import type { MarketEvent, QuoteRows } from '../model/market-events.ts';
import type { ReadonlyState } from '../state/state.ts';

/** Takes the market events of one instrument. */
export interface MarketSink {
  add(event: MarketEvent): void;
  /** Quotes of a run, [from, to), before any later event. */
  addQuotes(rows: QuoteRows, from: number, to: number): void;
}

/** Receives market events of all instruments, and the quotes of a run together. */
interface RowWatcher {
  see(event: MarketEvent): void;
  seeQuotes(instrument: Instrument, rows: QuoteRows, from: number, to: number): void;
}

/** Publishes the events of a run to observers, on hot streams, only while there is a subscriber. */
export class Broadcast {
  /** Number of observers of any of the three: a single check for each market event. */
  observers = 0;
  /** The same, including watchers that receive the quotes of a run one by one. */
  #listeners = 0;
  readonly #market = new Subject<MarketEvent>();
  readonly #account = new Subject<AccountEvent>();
  readonly #state = new Subject<ReadonlyState>();
  readonly market$ = this.#counted(this.#market);
  readonly account$ = this.#counted(this.#account);
  readonly state$ = this.#counted(this.#state);

  readonly #watchers: ((event: MarketEvent) => void)[] = [];
  readonly #rowWatchers: RowWatcher[] = [];

  /**
   * Like a subscription to `market$`, at a small part of its cost.
   * @param seeQuotes receives the quotes of a run, [from, to), before any later event; by default `see` receives each.
   */
  readonly watch = (see: (event: MarketEvent) => void, seeQuotes?: RowWatcher['seeQuotes']): void => {
    if (seeQuotes !== undefined) {
      this.#rowWatchers.push({ see, seeQuotes });
      return;
    }
    this.#watchers.push(see);
    this.#listeners++;
  };

  /** By the index of the instrument. */
  readonly #sinks: MarketSink[][] = [];

  /** Like `watch`, with one sink for each instrument: for observers of every event of every run. */
  readonly watchEach = (instruments: readonly Instrument[], sinkOf: (instrument: Instrument) => MarketSink): void => {
    for (const instrument of instruments) this.sinksOf(instrument).push(sinkOf(instrument));
  };

  /** A sink that joins later is in the same list. */
  sinksOf({ index }: Instrument): MarketSink[] {
    this.#sinks[index] ??= [];
    return this.#sinks[index];
  }

  /** There is a receiver of each quote of a run. */
  get isObserved(): boolean {
    return this.#listeners > 0;
  }

  /** To all but the sinks of its instrument. */
  market(event: MarketEvent): void {
    for (let at = 0; at < this.#rowWatchers.length; at++) this.#rowWatchers[at]!.see(event);
    this.quote(event);
  }

  /** To those that receive the quotes of a run together. */
  quotes(instrument: Instrument, rows: QuoteRows, from: number, to: number): void {
    for (let at = 0; at < this.#rowWatchers.length; at++) this.#rowWatchers[at]!.seeQuotes(instrument, rows, from, to);
  }

  /** To those that receive each quote of a run. */
  quote(event: MarketEvent): void {
    for (let at = 0; at < this.#watchers.length; at++) this.#watchers[at]!(event);
    if (this.#market.observed) this.#market.next(event);
  }

  account(event: AccountEvent): void {
    if (this.#account.observed) this.#account.next(event);
  }

  state(state: ReadonlyState): void {
    if (this.#state.observed) this.#state.next(state);
  }

  #counted<T>(subject: Subject<T>): Observable<T> {
    return new Observable((subscriber) => {
      this.observers++;
      this.#listeners++;
      const subscription = subject.subscribe(subscriber);
      return () => {
        this.observers--;
        this.#listeners--;
        subscription.unsubscribe();
      };
    });
  }
}

import { Observable, Subject } from 'rxjs';
import type { AccountEvent } from '../model/account-events.ts';
import type { Instrument } from '../model/instrument.ts';
import type { MarketEvent, QuoteRows } from '../model/market-events.ts';
import type { ReadonlyState } from '../state/state.ts';

/** Takes the market events of one instrument. */
export interface MarketSink {
  add(event: MarketEvent): void;
  /** Quotes of a run, [from, to), before anything that comes after them. */
  addQuotes(rows: QuoteRows, from: number, to: number): void;
}

/** Publishes the events of a run to observers, on hot streams, only while somebody subscribes. */
export class Broadcast {
  /** How many observe any of the three: one look at every market event. */
  observers = 0;
  /** With those who watch. */
  #listeners = 0;
  readonly #market = new Subject<MarketEvent>();
  readonly #account = new Subject<AccountEvent>();
  readonly #state = new Subject<ReadonlyState>();
  readonly market$ = this.#counted(this.#market);
  readonly account$ = this.#counted(this.#account);
  readonly state$ = this.#counted(this.#state);

  readonly #watchers: ((event: MarketEvent) => void)[] = [];

  /** As a subscriber of `market$`, at a small part of the stream's cost. */
  readonly watch = (see: (event: MarketEvent) => void): void => {
    this.#watchers.push(see);
    this.#listeners++;
  };

  /** By the index of the instrument. */
  readonly #sinks: MarketSink[][] = [];

  /** As `watch`, with a sink for each instrument: for who looks at every event of every run. */
  readonly watchEach = (instruments: readonly Instrument[], sinkOf: (instrument: Instrument) => MarketSink): void => {
    for (const instrument of instruments) this.sinksOf(instrument).push(sinkOf(instrument));
  };

  /** Whoever joins later is in the same list. */
  sinksOf({ index }: Instrument): MarketSink[] {
    this.#sinks[index] ??= [];
    return this.#sinks[index];
  }

  /** Somebody observes or watches. */
  get heard(): boolean {
    return this.#listeners > 0;
  }

  /** To all but the sinks of its instrument. */
  market(event: MarketEvent): void {
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

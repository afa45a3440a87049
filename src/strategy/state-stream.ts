import { distinctUntilChanged, map, Observable, Subject } from 'rxjs';
import { Decimal } from '../model/decimal.ts';
import type { ReadonlyState } from '../state/state.ts';

/** The states that one strategy follows. It costs nothing while nobody subscribes. @internal */
export class StateStream {
  readonly #states = new Subject<ReadonlyState>();
  /** Called when a subscription begins or ends. */
  changed: () => void = () => {};

  readonly state$ = new Observable<ReadonlyState>((subscriber) => {
    const subscription = this.#states.subscribe(subscriber);
    this.changed();
    return () => {
      subscription.unsubscribe();
      this.changed();
    };
  });

  get observed(): boolean {
    return this.#states.observed;
  }

  next(state: ReadonlyState): void {
    this.#states.next(state);
  }
}

const STREAMS = new WeakMap<object, StateStream>();

/** The one stream of a strategy. @internal */
export function stateStreamOf(strategy: object): StateStream {
  let stream = STREAMS.get(strategy);
  if (stream === undefined) {
    stream = new StateStream();
    STREAMS.set(strategy, stream);
  }
  return stream;
}

/**
 * One figure of the state as a stream: emits the first value, and then each value that differs from the one before. Two `Decimal`s are
 * equal if their values are; other values as by `Object.is`. The state is one object that changes, so `part` returns a number, a text, a
 * truth value or a `Decimal`, not an object of the state.
 *
 * ```ts
 * import { type AccountEvent, cancel, type Intent, type MarketEvent, type ReadonlyState, select$, Strategy } from 'tidegate';
 * import { filter, map, type Observable } from 'rxjs';
 *
 * export class Careful extends Strategy {
 *   static needs = { bars: '1m' };
 *
 *   intents$(_market$: Observable<MarketEvent>, _account$: Observable<AccountEvent>, state$: Observable<ReadonlyState>): Observable<Intent> {
 *     const deep$ = select$(state$, () => this.account.drawdown > 0.05);
 *     return deep$.pipe(filter((deep) => deep), map(() => cancel()));
 *   }
 * }
 * ```
 */
export function select$<T>(state$: Observable<ReadonlyState>, part: (state: ReadonlyState) => T): Observable<T> {
  return state$.pipe(map(part), distinctUntilChanged<T>(isSame));
}

function isSame(before: unknown, now: unknown): boolean {
  return before instanceof Decimal && now instanceof Decimal ? before.equals(now) : Object.is(before, now);
}

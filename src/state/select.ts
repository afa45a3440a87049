import { distinctUntilChanged, map, type Observable } from 'rxjs';
import type { ReadonlyState } from './state.ts';

/** One part of the state as a stream that emits only when that part changes. */
export function select$<T>(state$: Observable<ReadonlyState>, part: (state: ReadonlyState) => T): Observable<T> {
  return state$.pipe(map(part), distinctUntilChanged());
}

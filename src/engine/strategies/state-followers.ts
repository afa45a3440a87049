import { Subscription } from 'rxjs';
import type { ReadonlyState } from '../../state/state.ts';
import { type StateStream, stateStreamOf } from '../../strategy/state-stream.ts';
import type { Broadcast } from '../broadcast.ts';
import type { Waiting } from '../inbox.ts';
import { aloud, type StrategyHost } from './strategy-host.ts';

interface FollowerParts {
  readonly state: ReadonlyState;
  readonly broadcast: Broadcast;
  readonly waiting: Waiting;
  /** Runs code of a strategy: an error names it. */
  call(host: StrategyHost, doing: string, act: () => void): void;
}

/**
 * Publishes the state to the strategies that follow it: at the end of each turn in which a market or an account event happened, when
 * nothing else is left to do. Intents that a strategy emits then belong to the same turn, and what they cause is published in turn.
 * While no strategy follows, no event passes here.
 */
export class StateFollowers {
  readonly #streams: readonly (readonly [StrategyHost, StateStream])[];
  /** The subscription to the events of the run, while a strategy follows. */
  #events: Subscription | undefined;
  /** Something has happened since the last state. */
  #due = false;
  #showing = false;

  constructor(
    hosts: readonly StrategyHost[],
    private readonly parts: FollowerParts,
  ) {
    this.#streams = hosts.map((host) => [host, stateStreamOf(host.strategy)]);
    for (const [, stream] of this.#streams) stream.changed = () => this.#changed();
    this.#changed();
  }

  /** @returns false if nothing has happened since the last state, or no strategy follows. */
  show(): boolean {
    if (!this.#due) return false;
    this.#due = false;
    this.parts.waiting.count--;
    this.#showing = true;
    for (const [host, stream] of this.#streams) {
      if (stream.observed) this.parts.call(host, 'state$', () => aloud(() => stream.next(this.parts.state)));
    }
    this.#showing = false;
    return true;
  }

  /** A first follower receives the state at the end of the present turn; one that joins because of a state, the next state. */
  #changed(): void {
    const followed = this.#streams.some(([, stream]) => stream.observed);
    if (followed === (this.#events !== undefined)) return;
    this.#events?.unsubscribe();
    this.#events = undefined;
    if (!followed) return;
    const { market$, account$ } = this.parts.broadcast;
    this.#events = new Subscription();
    this.#events.add(market$.subscribe(this.#mark));
    this.#events.add(account$.subscribe(this.#mark));
    if (!this.#showing) this.#mark();
  }

  readonly #mark = (): void => {
    if (this.#due) return;
    this.#due = true;
    this.parts.waiting.count++;
  };
}

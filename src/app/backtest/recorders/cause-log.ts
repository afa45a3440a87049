import type { AccountEvent } from '../../../model/account-events.ts';
import type { MarketEvent } from '../../../model/market-events.ts';
import type { Journal } from '../../../ports/journal.ts';
import { eventWords } from '../../base/event-words.ts';

/** What strategies were told right before they asked for something. */
export interface Cause {
  /** Epoch ms. */
  readonly time: number;
  readonly words: string;
}

/** Lines that are written at once. */
const LINES = 1_000;

/** Writes the cause of each intent in their order, a line of JSON each (`null` where nothing had been told yet): `causes.jsonl`. */
export class CauseLog implements Journal {
  #last: MarketEvent | AccountEvent | undefined;
  #lines: string[] = [];

  constructor(private readonly write: (text: string) => void) {}

  /** Called for each market event, before the strategies see it. */
  readonly see = (event: MarketEvent): void => {
    this.#last = event;
  };

  intent(): void {
    const last = this.#last;
    const cause: Cause | null = last === undefined ? null : { time: last.time, words: eventWords(last) };
    if (this.#lines.push(`${JSON.stringify(cause)}\n`) >= LINES) this.flush();
  }

  event(_sequence: number, event: AccountEvent): void {
    this.#last = event;
  }

  commit(): void {}

  flush(): void {
    this.write(this.#lines.join(''));
    this.#lines = [];
  }
}

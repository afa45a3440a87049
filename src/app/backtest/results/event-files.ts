import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountEvent } from '../../../model/account-events.ts';
import type { MarketEvent } from '../../../model/market-events.ts';
import type { Journal } from '../../../ports/journal.ts';
import { writeWhole } from '../../../recording/files.ts';
import { eventWords } from '../../base/text.ts';

/** The file with the cause of each intent of `events.jsonl`, one line for each, in their order. */
export const CAUSES_FILE = 'causes.jsonl';

/** The files that are written during the run: `events.jsonl`, and `causes.jsonl` with the causes of its intents. */
export class EventFiles {
  readonly causes: CauseLog;
  readonly #events: number;
  readonly #causes: number;

  constructor(out: string) {
    this.#events = openSync(join(out, 'events.jsonl'), 'w');
    this.#causes = openSync(join(out, CAUSES_FILE), 'w');
    this.causes = new CauseLog((text) => writeWhole(this.#causes, text));
  }

  readonly writeEvents = (bytes: Uint8Array): void => {
    writeWhole(this.#events, bytes);
  };

  close(): void {
    this.causes.flush();
    closeSync(this.#events);
    closeSync(this.#causes);
  }
}

/** The last event that strategies received before an intent. */
export interface Cause {
  /** Epoch ms. */
  readonly time: number;
  readonly words: string;
}

/** The number of lines that are written at once. */
const LINES = 1_000;

/** Writes `causes.jsonl`: a line of JSON for each intent, `null` if no event came before it. */
class CauseLog implements Journal {
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

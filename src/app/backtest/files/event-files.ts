import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { CauseLog } from '../recorders/cause-log.ts';

/** Files of a run's out folder that are written while it goes on: `events.jsonl`, and beside it what caused its intents. */
export class EventFiles {
  readonly causes: CauseLog;
  readonly #events: number;
  readonly #causes: number;

  constructor(out: string) {
    this.#events = openSync(join(out, 'events.jsonl'), 'w');
    this.#causes = openSync(join(out, CAUSES_FILE), 'w');
    this.causes = new CauseLog((text) => writeSync(this.#causes, text));
  }

  readonly writeEvents = (bytes: Uint8Array): void => {
    writeSync(this.#events, bytes);
  };

  close(): void {
    this.causes.flush();
    closeSync(this.#events);
    closeSync(this.#causes);
  }
}

/** A line for each intent of `events.jsonl`, in their order. */
export const CAUSES_FILE = 'causes.jsonl';

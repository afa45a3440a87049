import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** What stands in the file beside a journal. */
interface Mark {
  /** Epoch ms of the journal's first opening: which journal it is of. */
  readonly journal: number;
  /** Id of its newest record that was durable. */
  readonly records: number;
}

/** What makes a journal doubtful. `lost`: it has had more records. `unsure`: it should have a mark, and has none of its own. */
export interface JournalDoubt {
  readonly kind: 'lost' | 'unsure';
  /** For a person. */
  readonly text: string;
}

/** All marks are of this length, so that a shorter one never leaves the end of a longer one. */
const LENGTH = 80;

export function markPath(journal: string): string {
  return `${journal}.mark`;
}

/**
 * A file beside the journal that says how many records it has. A copy of the journal that is put back, and a write-ahead log that
 * lost its end, leave fewer: SQLite finds nothing wrong with either. It is written after each commit and never waited for, so
 * that after a loss of power it may be behind, and never ahead of a journal that is whole.
 */
export class JournalMark {
  #file: number | undefined;

  constructor(
    private readonly path: string,
    private readonly journal: number,
  ) {}

  /** Trouble with it stops nothing: the journal is what counts. */
  write(records: number): void {
    try {
      this.#file ??= openSync(markPath(this.path), 'w', 0o600);
      const text = JSON.stringify({ journal: this.journal, records } satisfies Mark);
      writeSync(this.#file, `${text.padEnd(LENGTH - 1)}\n`, 0);
    } catch {}
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

/** The mark beside a journal; `undefined` where there is none that can be read. */
function markOf(path: string): Mark | undefined {
  try {
    const { journal, records } = JSON.parse(readFileSync(markPath(path), 'utf8')) as Partial<Mark>;
    return Number.isSafeInteger(journal) && Number.isSafeInteger(records) ? { journal: journal!, records: records! } : undefined;
  } catch {
    return undefined;
  }
}

/** How a journal is compared with the mark beside it. */
export interface MarkedJournal {
  readonly path: string;
  readonly createdAt: number;
  /** It has had a mark before; journals of earlier versions have none. */
  readonly isMarked: boolean;
}

/** Reads the mark, and compares it with the records that are read after it. @returns what speaks against the journal. */
export function doubtOf({ path, createdAt, isMarked }: MarkedJournal, lastId: () => number): JournalDoubt | undefined {
  const mark = markOf(path);
  const records = lastId();
  if (mark?.journal === createdAt && mark.records > records) {
    const text = `it has ${records} records and has had ${mark.records}: it is an older copy, or has lost its end`;
    return { kind: 'lost', text };
  }
  if (!isMarked || mark?.journal === createdAt) return undefined;
  return {
    kind: 'unsure',
    text: 'the file that says how many records it has is missing, or is of another journal: it may be an older copy',
  };
}

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** The content of the mark file of a journal. */
interface Mark {
  /** Epoch ms of the journal's first opening: identifies the journal. */
  readonly journal: number;
  /** Id of its newest record that was durable. */
  readonly records: number;
}

/** Why a journal may have lost its end. `lost`: it once had more records. `unsure`: its mark is missing, or belongs to another journal. */
export interface JournalLoss {
  readonly kind: 'lost' | 'unsure';
  /** For a person. */
  readonly text: string;
}

/** All marks have this length, so that a shorter one never leaves the end of a longer one. */
const LENGTH = 80;

export function markPath(journal: string): string {
  return `${journal}.mark`;
}

/**
 * A file next to the journal with its number of records. A restored copy of the journal, and a write-ahead log that
 * lost its end, have fewer records, and SQLite detects neither. It is written after each commit without waiting, so
 * that after a loss of power it may be behind, but never ahead of a complete journal.
 */
export class JournalMark {
  #file: number | undefined;

  constructor(
    private readonly path: string,
    private readonly journal: number,
  ) {}

  /** Its errors are ignored: only the journal counts. */
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

/** The mark of a journal; `undefined` if there is none that can be read. */
function markOf(path: string): Mark | undefined {
  try {
    const { journal, records } = JSON.parse(readFileSync(markPath(path), 'utf8')) as Partial<Mark>;
    return Number.isSafeInteger(journal) && Number.isSafeInteger(records) ? { journal: journal!, records: records! } : undefined;
  } catch {
    return undefined;
  }
}

/** A journal to compare with its mark. */
export interface MarkedJournal {
  readonly path: string;
  readonly createdAt: number;
  /** It has had a mark before; journals of earlier versions have none. */
  readonly isMarked: boolean;
}

/** Reads the mark, and compares it with the records that are read after it. @returns why the journal may have lost its end. */
export function lossOf({ path, createdAt, isMarked }: MarkedJournal, lastId: () => number): JournalLoss | undefined {
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

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { RecordedJournal } from '../../journal/journal-reader.ts';
import { TidegateError } from '../../model/errors.ts';

/** Opens the journal at a path: the file itself, or the folder of its bot. @throws TidegateError JOURNAL_FAILED, JOURNAL_DAMAGED */
export function journalAt(path: string): RecordedJournal {
  const file = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, 'journal.sqlite') : path;
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return RecordedJournal.open(file);
  throw new TidegateError(
    'JOURNAL_FAILED',
    `${path}: there is no journal: expected the folder of a bot, or its journal.sqlite (\`tidegate status\` says where it is)`,
  );
}

import { existsSync } from 'node:fs';
import { inspectJournal } from '../../../journal/inspect-journal.ts';
import { type Check, ok, skipped } from '../check.ts';

export const journal: Check = {
  id: 'journal',
  title: 'the journal is whole, and of this bot',
  modes: ['paper', 'live'],
  needs: ['folder'],
  mend: 'put the journal aside and start with a copy that is whole, or with none: the exchange is then asked what is open',
  run({ folder, loaded, instruments }) {
    if (!existsSync(folder.journal)) return skipped('there is none yet');
    const { records } = inspectJournal(folder.journal, { bot: loaded.config.name, instruments });
    return ok(`${records} records, each as it was written`);
  },
};

// Run by the tests as a process of its own: writes a journal, and ends as a crash would.
// node filler.mjs <path> <commits>; says as JSON how many commits there were, and the code of the error that ended them.
import { writeSync } from 'node:fs';
import { BotJournal } from '../../../dist/journal/bot-journal.js';

const [path, commits] = process.argv.slice(2);
let count = 0;
let code;
try {
  const journal = BotJournal.open(path, { bot: 'b', now: () => 1, instruments: [] });
  for (; count < Number(commits); count++) {
    journal.append('note', { count, padding: 'x'.repeat(5000) });
    journal.commit();
  }
} catch (error) {
  ({ code } = error);
}
writeSync(1, `${JSON.stringify({ count, code })}\n`);
process.kill(process.pid, 'SIGKILL');

// Run by the tests as a process of its own: writes to a journal until it is killed, saying what was committed.
// node writer.mjs <path> <seed>
import { writeSync } from 'node:fs';
import { BotJournal } from '../../../dist/journal/bot-journal.js';

const [path, seed] = process.argv.slice(2);
const journal = BotJournal.open(path, { bot: 'b', now: () => 1, instruments: [] });
let random = Number(seed);
const next = (below) => {
  random = (random * 48271) % 2147483647;
  return random % below;
};
let count = [...journal.records()].length;
for (;;) {
  for (let left = 1 + next(5); left > 0; left--) journal.append('note', { count: ++count, padding: 'x'.repeat(next(3000)) });
  journal.remember('count', count);
  if (next(2) === 0) journal.request('placeOrder', [`c${++count}`], { count });
  else journal.commit();
  writeSync(1, `${count}\n`);
}

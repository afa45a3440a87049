// Run by the tests as a process of its own: opens a journal and writes until told to stop, or until it fails.
// node opener.mjs <path> <commits>; says "open", then "done" or the error as JSON.
import { BotJournal } from '../../../dist/journal/bot-journal.js';

const [path, commits] = process.argv.slice(2);
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const told = ({ code, message }) => ({ code, message });
try {
  const journal = BotJournal.open(path, { bot: 'b', now: () => 1, instruments: [] });
  say('open');
  let count = 0;
  try {
    for (; count < Number(commits); count++) {
      journal.append('note', { count, padding: 'x'.repeat(5000) });
      journal.commit();
    }
  } catch (first) {
    const again = [];
    for (const call of [
      () => journal.heartbeat(1),
      () => journal.commit(),
      () => journal.request('o', [], {}),
      () => journal.recall('k'),
    ]) {
      try {
        call();
      } catch (error) {
        again.push(error === first);
      }
    }
    say({ ...told(first), count, again });
    process.exit(0);
  }
  say('done');
  setInterval(() => {}, 1000);
} catch (error) {
  say(told(error));
}

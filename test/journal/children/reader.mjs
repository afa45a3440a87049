// Run by the tests as a process of its own, which no other handle of the file is left in: opens a journal.
// node reader.mjs <path>; says as JSON how many records there are, and whether its end may be lost; or the error.
import { BotJournal } from '../../../dist/journal/bot-journal.js';

const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
try {
  const journal = BotJournal.open(process.argv[2], { bot: 'b', now: () => 1, instruments: [] });
  say({ kept: [...journal.records()].length, doubt: journal.possibleLoss !== undefined });
  journal.close();
} catch ({ code, message }) {
  say({ code, message });
}

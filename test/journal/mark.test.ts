import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { BotJournal } from '../../src/journal/bot-journal.ts';
import { copyJournal } from '../../src/journal/copy-journal.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Two records, a copy of them, and one more. */
function marked() {
  const path = join(temporaryFolder('journal'), 'journal.sqlite');
  const clock = { now: 1_000 };
  const open = () => BotJournal.open(path, { bot: 'b', now: () => clock.now, instruments: [] });
  const write = (notes: number) => {
    const journal = open();
    for (let note = 0; note < notes; note++) journal.append('note', note);
    journal.commit();
    journal.close();
  };
  write(2);
  copyFileSync(path, `${path}.copy`);
  write(1);
  clock.now = 5_000;
  return { path, open, restore: () => copyFileSync(`${path}.copy`, path) };
}

const LOST = { kind: 'lost', text: 'it has 2 records and has had 3: it is an older copy, or has lost its end' };

test('a journal with fewer records than its mark has a possible loss until that is settled, and a new era of client ids', () => {
  const { open, restore } = marked();
  restore();
  const first = open();
  expect([first.possibleLoss, first.era]).toEqual([LOST, 1_000]);
  // Told by a process that died before it had dealt with it.
  first.append('note', 'more');
  first.commit();
  first.close();
  const second = open();
  expect(second.possibleLoss).toEqual(LOST);
  second.renewEra();
  second.settleLoss();
  second.commit();
  second.close();
  const third = open();
  expect([third.possibleLoss, third.era, third.createdAt]).toEqual([undefined, 5_000, 1_000]);
  third.close();
});

test.each([
  ['missing', (path: string) => rmSync(`${path}.mark`)],
  ['unreadable', (path: string) => writeFileSync(`${path}.mark`, '{"jour')],
  ['of another journal', (path: string) => writeFileSync(`${path}.mark`, '{"journal":7,"records":9}')],
])('where the mark is %s, the journal is unsure, not lost', (_, spoil) => {
  const { path, open } = marked();
  spoil(path);
  const journal = open();
  expect(journal.possibleLoss).toMatchObject({ kind: 'unsure' });
  journal.close();
});

test('uncommitted records are not in the mark, and a new journal ignores the mark of an older one', () => {
  const { path, open } = marked();
  const journal = open();
  journal.append('note', 'dropped');
  journal.close();
  const again = open();
  expect(again.possibleLoss).toBeUndefined();
  again.close();
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
  const fresh = open();
  expect([fresh.possibleLoss, fresh.era]).toEqual([undefined, 5_000]);
  fresh.close();
});

test('a copy to act by begins an era of its own, and has no doubt', () => {
  const { path, open } = marked();
  const journal = open();
  journal.renewEra();
  journal.commit();
  journal.close();
  copyJournal(path, `${path}.acting`, 9_000);
  const copy = BotJournal.open(`${path}.acting`, { bot: 'b', now: () => 9_500, instruments: [] });
  expect([copy.era, copy.possibleLoss]).toEqual([9_000, undefined]);
  copy.close();
});

import { expect, test } from '@jest/globals';
import { readBot } from '../../../src/app/compare/read-bot.ts';
import type { JournalValues } from '../../../src/journal/journal-record.ts';
import { newPath, open } from '../../journal/builders.ts';

const RUN: JournalValues['run'] = { now: 0, strategies: [] };

/** A process of the bot, from its start to its last record. */
function life(path: string, from: number, to: number, end: 'stop' | 'cut', act: (journal: ReturnType<typeof open>) => void = () => {}) {
  let time = from;
  const journal = open(path, { now: () => time });
  journal.append('run', RUN);
  act(journal);
  time = to;
  if (end === 'stop') journal.append('stop', {});
  else journal.heartbeat(to);
  journal.commit();
  journal.close();
}

test('a bot is absent before its first start, between its processes, after its last record, and from a kill to its reset', () => {
  const path = newPath();
  const latch = { rule: 'kill', drawdown: 0, limit: 0 } as const;
  life(path, 1_000, 2_000, 'stop');
  life(path, 3_000, 4_000, 'cut', (journal) => journal.event(1, { kind: 'riskLatched', time: 3_500, ...latch }));
  life(path, 6_000, 7_000, 'cut', (journal) => {
    journal.event(1, { kind: 'riskLatched', time: 6_100, ...latch });
    journal.event(2, { kind: 'latchReset', time: 6_500, rule: 'kill' });
  });
  expect(readBot(path, 'bot', 'USDT').absences).toEqual([
    { cause: 'stopped', from: Number.NEGATIVE_INFINITY, to: 1_000 },
    { cause: 'stopped', from: 2_000, to: 3_000 },
    { cause: 'killed', from: 3_500, to: 6_500 },
    { cause: 'stopped', from: 4_000, to: 6_000 },
    { cause: 'stopped', from: 7_000, to: Number.POSITIVE_INFINITY },
  ]);
});

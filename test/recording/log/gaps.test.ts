import { expect, test } from '@jest/globals';
import { type Gap, GapFinder } from '../../../src/recording/log/log-contents.ts';
import type { LogRecord, LogStart } from '../../../src/recording/log/log-record.ts';

const [A, B] = ['AAA-USDT', 'BBB-USDT'];
const start = (after?: LogStart['after']): LogRecord => ({
  kind: 'start',
  version: 1,
  time: 10_000,
  symbols: [A, B],
  silentMs: 5_000,
  after,
});
const poll = (time: number, ...missing: (readonly [string, string])[]): LogRecord =>
  missing.length === 0 ? { kind: 'poll', time } : { kind: 'poll', time, missing };
const both = [A, B];

test.each<[what: string, records: LogRecord[], gaps: Gap[]]>([
  ['an answer at every poll is no gap', [start(), poll(11_000), poll(16_000)], []],
  [
    'polls without an answer lie between the answers before and after',
    [start(), poll(11_000), poll(12_000, [A, 'x']), poll(13_000, [A, 'y']), poll(14_000)],
    [{ symbols: [A], from: 11_000, to: 14_000, reason: 'x', polls: 2 }],
  ],
  [
    'what happens to all is told once',
    [start(), poll(11_000), poll(12_000, [A, 'x'], [B, 'x']), poll(13_000)],
    [{ symbols: both, from: 11_000, to: 13_000, reason: 'x', polls: 1 }],
  ],
  [
    'a gap that is open at the end ends there',
    [start(), poll(11_000), poll(12_000, [B, 'x']), { kind: 'end', time: 12_000, end: 'rotated' }],
    [{ symbols: [B], from: 11_000, to: 12_000, reason: 'x', polls: 1 }],
  ],
  [
    'no poll for longer than silentMs is a gap',
    [start(), poll(11_000), poll(16_001)],
    [{ symbols: both, from: 11_000, to: 16_001, reason: 'nothing polled', polls: 0 }],
  ],
  [
    'the time before a recorder that was killed is one',
    [start({ time: 4_000, end: 'cut' }), poll(11_000)],
    [{ symbols: both, from: 4_000, to: 11_000, reason: 'the recorder was cut off: killed, or without power', polls: 0 }],
  ],
  [
    'the time after a stop is one',
    [start({ time: 9_000, end: 'stopped' }), poll(11_000)],
    [{ symbols: both, from: 9_000, to: 11_000, reason: 'the recorder was stopped', polls: 0 }],
  ],
  ['a rotation is none', [start({ time: 9_000, end: 'rotated' }), poll(11_000)], []],
  [
    'polls that could not be written are one',
    [start(), poll(11_000), { kind: 'lost', time: 14_000, polls: 2, reason: 'ENOSPC' }, poll(14_000)],
    [{ symbols: both, from: 11_000, to: 14_000, reason: 'ENOSPC', polls: 2 }],
  ],
])('%s', (_, records, gaps) => {
  expect(new GapFinder(records).gaps).toEqual(gaps);
});

test('a damaged record is one', () => {
  const { gaps } = new GapFinder([start(), poll(11_000), { kind: 'damaged', at: 9, bytes: 9 }, poll(13_000)]);
  expect(gaps).toEqual([{ symbols: both, from: 11_000, to: 13_000, reason: 'a damaged record', polls: 0 }]);
});

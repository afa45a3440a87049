import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { STUDY_FILE, Study, type Trial } from '../../src/search/study.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('study');

const trial = (number: number, change: Partial<Trial> = {}): Trial => ({
  number,
  point: [0.1 + number, 2],
  params: { fast: '3', file: '"../a.ts"' },
  outcome: 'done',
  reason: undefined,
  statistics: { sharpe: 0.1 + 0.2, netProfit: '12.30', calmar: null },
  returns: Float64Array.of(0.01, -0.02, Number.NaN),
  hash: 'ab',
  durationMs: 12,
  reads: ['Date.now'],
  ...change,
});

test('keeps every trial as it was, in the order of their numbers, while others read it', () => {
  const place = join(folder, 'study');
  const study = Study.create(place, { name: 'x', search: { seed: 3 } });
  const failed = trial(1, { outcome: 'failed', reason: 'no data', statistics: {}, returns: new Float64Array(), hash: undefined });
  study.add(trial(2));
  study.add(failed);
  // The same trial of another process.
  study.add(trial(2, { durationMs: 99 }));
  const reader = Study.open(place);
  expect([...reader.trials()]).toEqual([failed, trial(2)]);
  expect([reader.size, reader.trial(2), reader.trial(3)]).toEqual([2, trial(2), undefined]);
  expect(reader.terms).toEqual({ name: 'x', search: { seed: 3 } });
  reader.close();
  study.close();
});

test('is not begun over another one, and is not read from a file of another kind', () => {
  const place = join(folder, 'twice');
  Study.create(place, {}).close();
  expect(() => Study.create(place, {})).toThrow(expect.objectContaining({ code: 'OUT_NOT_EMPTY' }));
  expect(() => Study.open(join(folder, 'nowhere'))).toThrow(expect.objectContaining({ code: 'DATA_NOT_FOUND' }));
  writeFileSync(join(place, STUDY_FILE), 'no database at all, and long enough to be read as one'.repeat(100));
  expect(() => Study.open(place)).toThrow(expect.objectContaining({ code: 'DATA_CORRUPT' }));
});

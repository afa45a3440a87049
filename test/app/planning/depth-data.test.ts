import { expect, test } from '@jest/globals';
import { DataJudge, RecordedData } from '../../../src/app/planning/recorded-data.ts';
import { instrument } from '../../builders.ts';
import { Workshop } from '../../recording/builders.ts';

const shop = new Workshop();

/** 2025-01-01T00:00:00Z. */
const T0 = 1_735_689_600_000;
const ROWS = 70_000;

test('a book is read from its first row on, wherever a run begins, and problems in the period are warnings', async () => {
  const row = (index: number, more: string) => `${T0 + index * 10},${more}`;
  const numbers = (index: number) => `delta,${index},${index === 69_000 ? 68_999 : index - 1}`;
  const rows = Array.from({ length: ROWS }, (_, index) => row(index, `bid,${90 + (index % 5)},1,${numbers(index)}`));
  // Update 68,000 is lost in the period, update 10 before it.
  const kept = rows.filter((_, index) => index !== 68_000 && index !== 10);
  kept[0] = row(0, 'bid,80,1,snapshot,0,');
  await shop.keep(['time,side,price,qty,kind,last_id,prev_id', ...kept].join('\n'), { kind: 'depth' });
  const data = await RecordedData.open(shop.dataDir, ['r'], ['BTC-USDT']);
  const series = data.find('BTC-USDT', 'depth', []);
  const from = T0 + 67_000 * 10;
  const judge = new DataJudge(Number.POSITIVE_INFINITY);
  const source = judge.watch(series, data.open(series, instrument(), from), from);
  expect(source.rows.next()).toBe(true);
  expect(source.rows.time[0]).toBe(T0);
  while (source.rows.next());
  expect(judge.warnings().map((line) => line.replace(/(?<=--data-dir )[^"]+/, 'DIR'))).toEqual([
    'BTC-USDT depth: the data has changes that do not follow the one before: updates are lost (1, at 2025-01-01T00:11:20.010Z): see "npx tidegate data check r --data-dir DIR"',
  ]);
});

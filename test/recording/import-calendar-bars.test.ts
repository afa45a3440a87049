import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runCli } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { HEADERS, thrown, Workshop } from './builders.ts';

const shop = new Workshop();
const DAY = 86_400_000;
const HOUR = 3_600_000;
const text = (stamps: readonly number[]) => `${HEADERS.bar}\n${stamps.map((stamp) => `${stamp},1,1,1,1,1`).join('\n')}\n`;
/** The first of every so many months from January 2024 on, at an hour of the day. */
const months = (count: number, step: number, day = 1, hour = 0) =>
  Array.from({ length: count }, (_, index) => Date.UTC(2024, index * step, day, hour));

test.each([
  ['months', months(24, 1), 'months', '2024-01-01T00:00:00Z, 2024-02-01T00:00:00Z, 2024-03-01T00:00:00Z'],
  ['months without a February, of 30 and 31 days', [2, 3, 4].map((month) => Date.UTC(2025, month, 1)), 'months', '2025-03-01'],
  ['two months', months(2, 1), 'months', '2024-01-01'],
  ['months with a gap', [...months(3, 1), ...months(9, 1).slice(5)], 'months', '2024-01-01'],
  ['months that are stamped by their last day', months(12, 1, 0), 'months', '2023-12-31'],
  ['months of a city eight hours east', months(12, 1, 0, 16), 'months', '2023-12-31T16:00:00Z'],
  [
    'months of a city with summer time',
    months(12, 1, 1, 5).map((stamp, index) => (index > 2 && index < 10 ? stamp - HOUR : stamp)),
    'months',
    '2024-01-01T05:00:00Z',
  ],
  ['quarters', months(8, 3), 'quarters', '2024-01-01T00:00:00Z, 2024-04-01'],
  ['half years', months(6, 6), 'periods of 6 months', '2024-01-01T00:00:00Z, 2024-07-01'],
  ['years', months(6, 12), 'years', '2024-01-01T00:00:00Z, 2025-01-01'],
])('bars of %s are refused: these have no one length', (_, stamps, named, seen) => {
  for (const intervalMs of [undefined, 28 * DAY]) {
    const { code, message } = thrown(() => shop.import(text(stamps), { intervalMs }));
    expect(code).toBe('DATA_INVALID');
    expect(message).toContain(`in.csv: row 1: bars of calendar ${named}, whose length is not always the same (${seen}`);
    expect(message).toContain('expected bars of one length: import those of 1d, from which strategies get months');
  }
});

test.each([
  ['1w', 7],
  ['2w', 14],
  ['4w', 28],
  ['30d', 30],
  ['13w', 91],
])('bars of %s are imported as they are', (_, days) => {
  const stamps = Array.from({ length: 8 }, (__, index) => Date.UTC(2024, 0, 1) + index * days * DAY);
  expect(shop.import(text(stamps)).intervalMs).toBe(days * DAY);
});

test('the command line refuses bars of months with exit code 3, and 1M as an interval with 2', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'BTCUSDT-1mo.csv'), text(months(24, 1)));
  const args = ['data', 'import', 'BTCUSDT-1mo.csv', '--symbol', 'BTC-USDT', '--kind', 'bar', '--name', 'm'];
  expect((await runCli(folder, args, { code: 3 })).stderr).toMatch(/^error DATA_INVALID: BTCUSDT-1mo\.csv: row 1: bars of calendar months/);
  expect((await runCli(folder, [...args, '--interval', '4w'], { code: 3 })).stderr).toContain('bars of calendar months');
  for (const interval of ['1M', '1mo', '1q', '3M', '1y']) {
    const { stderr } = await runCli(folder, [...args, '--interval', interval], { code: 2 });
    expect(stderr).toBe(
      `error USAGE: --interval "${interval}"; expected a number with s, m, h, d or w, such as 1m; months, quarters and years have no one length: use bars of 1d, from which strategies get months\n`,
    );
  }
});

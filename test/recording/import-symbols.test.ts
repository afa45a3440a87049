import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Quarantine } from '../../src/recording/import/rows.ts';
import { thrown, Workshop } from './builders.ts';

const shop = new Workshop();

const TRADES = ['symbol,time,price,qty', 'BTCUSDT,1735689600,94.2,1', 'ETHUSDT,1735689601,3.3,1', 'BTCUSDT,1735689602,94.3,1'];
const ADVICE = 'expected one symbol in all rows, "BTCUSDT", not "ETHUSDT" too; --only BTCUSDT takes the rows of that one';
const LISTED =
  'expected one symbol in all rows, not 2 (BTCUSDT, ETHUSDT); --only BTCUSDT takes the rows of one, --split makes a series of each';

test('refuses a file whose rows are of several symbols, and lists them', () => {
  const { code, message } = thrown(() => shop.import(TRADES.join('\n'), { kind: 'trade' }));
  expect(code).toBe('DATA_INVALID');
  expect(message).toContain(`in.csv: row 1: column "symbol": ${LISTED}`);
});

test('refuses files of different symbols', () => {
  const btc = shop.write('btc.csv', TRADES.slice(0, 2).join('\n'));
  const eth = shop.write('eth.csv', [TRADES[0], TRADES[2]].join('\n'));
  expect(thrown(() => shop.importFiles([btc, eth], { kind: 'trade' })).message).toContain(
    'its column "symbol" says "ETHUSDT", and --symbol',
  );
  const symbolIs = ['ETHUSDT'];
  expect(thrown(() => shop.importFiles([btc, eth], { kind: 'trade', symbolIs })).message).toContain(
    `eth.csv: row 2: column "symbol": ${ADVICE}`,
  );
});

test.each([
  ['bars, whose length is told from theirs alone', 'bar', 'pair,open_time,open,high,low,close', ',1,2,1,2'],
  ['a last column', 'ticker', 'last,time,instrument', ''],
  ['quoted ones', 'trade', 'price,symbol,time,qty', ''],
] as const)('imports only the rows of the requested symbol: %s', (_, kind, header, rest) => {
  const row = (symbol: string, second: number) => {
    const time = 1_735_689_600 + second;
    if (kind === 'bar') return `${symbol},${time}${rest}`;
    return kind === 'ticker' ? `1.5,${time},${symbol}` : `1.5,"${symbol}",${time},1`;
  };
  const lines = [header, row('A', 0), row('B', 0), row('B', 30), row('A', 60), row('AB', 60), row('A', 120)];
  const meta = shop.import(lines.join('\n'), { kind, only: 'A' });
  expect(shop.read(meta).time).toEqual([0, 60, 120].map((second) => (1_735_689_600 + second) * 1_000));
  expect(meta.intervalMs).toBe(kind === 'bar' ? 60_000 : undefined);
});

test('rows of other symbols are no bad rows; a symbol that no row is of is an error', () => {
  const quarantine = new Quarantine(join(shop.folder, 'bad.csv'), true);
  const meta = shop.import(TRADES.join('\n'), { kind: 'trade', only: 'ETHUSDT', quarantine });
  expect([meta.rows, quarantine.count]).toEqual([1, 0]);
  quarantine.abort();
  expect(thrown(() => shop.import(TRADES.join('\n'), { kind: 'trade', only: 'BTC' })).message).toMatch(/no row is of "BTC"/);
});

test('rows of other symbols are not for a quarantine', () => {
  const quarantine = new Quarantine(join(shop.folder, 'bad.csv'), true);
  expect(thrown(() => shop.import(TRADES.join('\n'), { kind: 'trade', quarantine })).message).toContain(LISTED);
  quarantine.abort();
});

import { describe, expect, test } from '@jest/globals';
import { checkSeries } from '../../src/recording/checks/check-series.ts';
import { readSeriesMeta } from '../../src/recording/columns/series-meta.ts';
import { fundingTime } from '../../src/recording/funding-time.ts';
import type { ImportOptions } from '../../src/recording/import/import-csv.ts';
import { HEADERS, thrown, Workshop } from './builders.ts';

const shop = new Workshop();

const PERP = { symbol: 'BTC-USDT-PERP' } as const;
const marks = (content: string, options: Partial<ImportOptions> = {}) => shop.import(content, { ...PERP, kind: 'mark', ...options });
const funding = (content: string, options: Partial<ImportOptions> = {}) => shop.import(content, { ...PERP, kind: 'funding', ...options });
/** The only column of what was imported. */
const units = (meta: ReturnType<typeof marks>) => shop.read(meta).columns[0];

describe('import', () => {
  test('marks keep the decimals that the file needs', () => {
    const meta = marks(`${HEADERS.mark}\n1746403200000,94240.51430435\n1746403260000,94697.8\n`);
    expect(meta).toMatchObject({ kind: 'mark', rows: 2, priceDecimals: 8, quantityDecimals: 0 });
    expect(meta.intervalMs).toBeUndefined();
    expect(units(meta)).toEqual([9_424_051_430_435, 9_469_780_000_000]);
  });

  test('funding rates have a sign, may be written with an exponent, and keep their stamps', () => {
    const meta = funding(`${HEADERS.funding}\n1746547200000,7.57e-6\n1746576000002,-0.00001218\n1746604800000,-6.12E-6\n1746633600000,0\n`);
    expect(meta).toMatchObject({ kind: 'funding', rows: 4, priceDecimals: 8, lastTime: 1_746_633_600_000 });
    expect(units(meta)).toEqual([757, -1_218, -612, 0]);
    expect(shop.read(meta).time[1]).toBe(1_746_576_000_002);
  });

  test.each([
    ['mark', 'mark'],
    ['markprice', 'mark'],
    ['markPrice', 'mark'],
    ['mark_price', 'mark'],
    ['price', 'mark'],
    ['open', 'mark'],
    ['rate', 'funding'],
    ['fundingRate', 'funding'],
    ['funding_rate', 'funding'],
    ['last_funding_rate', 'funding'],
  ] as const)('the header "%s" is known for the kind %s', (header, kind) => {
    expect(units(shop.import(`time,${header}\n1,0.5\n`, { ...PERP, kind }))).toEqual([5]);
  });

  test('for bars of marks the open is used, at the time of the open', () => {
    const meta = marks('open_time_ms,open,high,low,close\n1746403200000,10.5,12,9,11\n1746432000000,11,13,10,12\n');
    expect(shop.read(meta)).toEqual({ time: [1_746_403_200_000, 1_746_432_000_000], nanos: [0, 0], columns: [[105, 110]] });
  });

  test('a column of marks has precedence over other prices', () => {
    expect(units(marks('time,price,mark_price\n1,1,2\n'))).toEqual([2]);
    expect(units(marks('time,open,close,price\n1,1,2,3\n'))).toEqual([3]);
  });

  test('a headerless Binance file of mark price klines is recognised', () => {
    expect(units(marks('1746403200000,94240.5,94250,94200,94210,0,1746403259999,0,60,0,0,0\n'))).toEqual([942_405]);
  });

  test('Binance’s own funding history is recognised', () => {
    const meta = funding('calc_time,funding_interval_hours,last_funding_rate\n1746403200000,8,-0.00002404\n');
    expect(shop.read(meta)).toMatchObject({ time: [1_746_403_200_000], columns: [[-2_404]] });
  });

  test('the open of a bar is no rate, unless it is named', () => {
    const file = 'date,open,high,low,close\n2025-05-05,0.0001,0,0,0\n';
    expect(thrown(() => funding(file)).message).toMatch(
      /column "rate": no "rate" column for funding; expected one named fundingrate, rate,/,
    );
    expect(units(funding(file, { columns: { rate: 'open' } }))).toEqual([1]);
  });

  test('rates and marks may have 18 decimals, prices 15', () => {
    const rate = `${HEADERS.funding}\n1,0.000000000000000757\n`;
    const meta = funding(rate);
    expect(meta).toMatchObject({ priceDecimals: 18 });
    expect(readSeriesMeta(shop.binPath(meta).replace(/bin$/, 'json')).priceDecimals).toBe(18);
    expect(thrown(() => funding(`${HEADERS.funding}\n1,1e-19\n`)).message).toMatch(/expected at most 18 decimals/);
    expect(thrown(() => shop.import(`${HEADERS.ticker}\n1,1e-16\n`, { kind: 'ticker' })).message).toMatch(/expected at most 15 decimals/);
  });

  test.each([
    ['a percentage', '0.01%', /expected a decimal number, not "0\.01%"/],
    ['nothing', '', /expected a decimal number, not ""/],
  ])('%s is no rate', (_title, text, message) => {
    expect(thrown(() => funding(`${HEADERS.funding}\n1,${text}\n`))).toMatchObject({
      code: 'DATA_INVALID',
      message: expect.stringMatching(message),
    });
  });
});

describe('check', () => {
  const HOUR = 3_600_000;
  /** 2025-01-01T00:00:00Z. */
  const START = 1_735_689_600_000;
  const found = (meta: ReturnType<typeof marks>) => {
    const { findings } = checkSeries(shop.stored(meta));
    return findings.map(({ severity, code, count, text }) => `${severity} ${code} ${count}: ${text}`);
  };
  /** Funding of 0.01 % at these hours, some with a stamp of their own. */
  const at = (...hours: number[]) =>
    found(funding(`${HEADERS.funding}\n${hours.map((hour) => `${START + hour * HOUR},0.0001`).join('\n')}\n`));

  test('marks may be as far apart as they like, but are above zero', () => {
    expect(found(marks(`${HEADERS.mark}\n${START},1.5\n${START + 8 * HOUR},1.6\n`))).toEqual([]);
    expect(found(marks(`${HEADERS.mark}\n${START},1.5\n${START + 60_000},0\n${START + 120_000},-0.1\n`))).toEqual([
      'error nonPositivePrices 2: prices that are not positive (2): row 2 at 2025-01-01T00:01:00Z (price), row 3 at 2025-01-01T00:02:00Z (price)',
    ]);
  });

  test('funding at its usual distance has no findings, jitter or not', () => {
    expect(at(0, 8, 16, 24)).toEqual([]);
    expect(at(0, 8 + 16 / HOUR, 16 - 3 / HOUR, 24)).toEqual([]);
    expect(at(8)).toEqual([]);
  });

  test('a gap in funding is a distance longer than the most frequent one', () => {
    expect(at(0, 8, 16, 32, 40, 64)).toEqual([
      'warning gaps 2: gaps in funding every 8h (2): row 3 at 2025-01-01T16:00:00Z (then nothing for 16h), ' +
        'row 5 at 2025-01-02T16:00:00Z (then nothing for 1d); the longest lasts 1d',
    ]);
  });

  test('a period of more frequent funding is no gap, nor is the time after it', () => {
    expect(at(0, 8, 12, 16, 24, 32)).toEqual([]);
  });

  test('of two equally frequent distances the shorter one is the usual one', () => {
    expect(at(0, 4, 12)).toHaveLength(1);
  });

  test('two rates of one time would both be charged: an error, also where the stamps differ by jitter', () => {
    expect(at(0, 8, 8 + 5 / HOUR, 16)).toEqual(['error duplicates 1: second rates of one funding time (1): row 3 at 2025-01-01T08:00:00Z']);
    expect(at(0, 8, 8, 16)).toHaveLength(1);
  });

  test.each([
    ['0.05', []],
    ['-0.05', []],
    ['0.0500001', ['warning extremeRates 1: funding rates beyond 5 % (1): row 1 at 2025-01-01T00:00:00Z (0.0500001)']],
    ['-1', ['warning extremeRates 1: funding rates beyond 5 % (1): row 1 at 2025-01-01T00:00:00Z (-1)']],
  ])('a rate of %s', (rate, findings) => {
    expect(found(funding(`${HEADERS.funding}\n${START},${rate}\n`))).toEqual(findings);
  });

  test('a rate of zero or below is as good as another', () => {
    expect(found(funding(`${HEADERS.funding}\n${START},0\n${START + 8 * HOUR},-0.0001\n`))).toEqual([]);
  });

  test('funding out of order is refused by the import', () => {
    expect(thrown(() => at(8, 0, 16)).message).toMatch(/is earlier than/);
  });
});

test.each([
  [60_000, 60_000],
  [61_000, 60_000],
  [61_000.001, 61_000.001],
  [59_000, 60_000],
  [58_999.999, 58_999.999],
  [90_000, 90_000],
  [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
])('the funding stamped %d ms is due at %d ms', (stamp, due) => {
  expect(fundingTime(stamp)).toBe(due);
});

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isoTime } from '../../src/model/time.ts';
import { decimalText } from '../../src/recording/columns/decimals.ts';
import { HEADERS, Workshop } from './builders.ts';

const shop = new Workshop();

/** Decimals of up to 13 digits with up to 8 places, in several spellings of one value. */
const decimal = fc
  .record({
    units: fc.integer({ min: 0, max: 9_999_999 }),
    places: fc.integer({ min: 0, max: 8 }),
    spelling: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ units, places, spelling }) => {
    const text = decimalText(units, places);
    const spelled = [text, `${units}e-${places}`, text.includes('.') ? `${text}00` : `${text}.0`, `"${text}"`][spelling]!;
    return { text, spelled };
  });

/** A stamp in epoch ns and one way to write it. */
const stamp = fc
  .record({ ns: fc.bigInt({ min: 10n ** 17n, max: 4n * 10n ** 18n }), spelling: fc.integer({ min: 0, max: 4 }) })
  .map(({ ns, spelling }) => {
    const cut = ns - (ns % [1n, 1_000n, 1_000_000n, 1_000_000_000n, 1_000n][spelling]!);
    const us = Number(cut / 1_000n);
    const spelled = [`${cut}`, `${us}`, `${us / 1_000}`, `${us / 1_000_000}`, isoTime(us / 1_000)][spelling]!;
    return { ns: cut, spelled };
  })
  // Below these sizes a number of ms or us would be read as the next larger unit: the docs say so. Twelve digits that form a date are one.
  .filter(({ ns, spelled }) => !/^\d+$/.test(spelled) || (ns >= 10n ** 17n && !/^(19|20)\d{10}$/.test(spelled)));

const row = fc.record({ stamp, price: decimal, quantity: decimal, side: fc.constantFrom('buy', 'sell', '') });
const end = fc.constantFrom('\n', '\r\n');

test('an imported series has exactly the decimals and times of the file', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 40 }), end, (unsorted, lineEnd) => {
      const rows = unsorted.sort((a, b) => (a.stamp.ns < b.stamp.ns ? -1 : a.stamp.ns > b.stamp.ns ? 1 : 0));
      const lines = rows.map(({ stamp, price, quantity, side }) => [stamp.spelled, price.spelled, quantity.spelled, side].join(','));
      const meta = shop.import([HEADERS.trade, ...lines].join(lineEnd), { kind: 'trade' });
      const read = shop.read(meta);
      expect(read.columns[0]!.map((units) => decimalText(units, meta.priceDecimals))).toEqual(rows.map(({ price }) => price.text));
      expect(read.columns[1]!.map((units) => decimalText(units, meta.quantityDecimals))).toEqual(rows.map(({ quantity }) => quantity.text));
      const ns = read.time.map((ms, index) => BigInt(Math.round(ms * 1_000)) * 1_000n + BigInt(read.nanos[index]!));
      expect(ns).toEqual(rows.map(({ stamp }) => stamp.ns));
      expect(read.columns[2]).toEqual(rows.map(({ side }) => (side === 'buy' ? 1 : side === 'sell' ? -1 : 0)));
    }),
    { numRuns: 150 },
  );
});

/** A signed decimal of up to 15 digits and 18 places, plain or with an exponent. */
const rate = fc
  .record({
    units: fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 }),
    places: fc.integer({ min: 15, max: 18 }),
    exponent: fc.boolean(),
  })
  .map(({ units, places, exponent }) => {
    const text = decimalText(units, places);
    return { text, spelled: exponent ? `${units}e-${places}` : text };
  })
  // Rates of one file that fit an integer of 53 bits at the finest places of all.
  .filter(({ text }) => Math.abs(Number(text)) < 0.009);

test.each(['mark', 'funding'] as const)('values of %s are exact to the last digit, with any sign', (kind) => {
  fc.assert(
    fc.property(fc.array(rate, { minLength: 1, maxLength: 20 }), (rates) => {
      const lines = rates.map(({ spelled }, index) => `${1_735_689_600 + index * 60},${spelled}`);
      const meta = shop.import([HEADERS[kind], ...lines].join('\n'), { kind, symbol: 'BTC-USDT-PERP' });
      expect(shop.read(meta).columns[0]!.map((units) => decimalText(units, meta.priceDecimals))).toEqual(rates.map(({ text }) => text));
    }),
    { numRuns: 50 },
  );
});

test('any bytes at all are imported or refused with a DATA_INVALID, never anything else', () => {
  const pieces = fc.constantFrom(
    'time',
    'last',
    ',',
    '\n',
    '\r',
    '"',
    ';',
    '1',
    '2025-01-01',
    '-',
    '.',
    'e',
    ' ',
    '9'.repeat(17),
    '\t',
    'é',
    '{"time":',
    '{',
    '}',
    '[',
    ']',
    '"last":',
    '\\',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), fc.boolean(), (parts, headed) => {
      try {
        shop.import(`${headed ? 'time,last\n' : ''}${parts.join('')}`, { kind: 'ticker' });
      } catch (error) {
        expect(error).toMatchObject({ code: 'DATA_INVALID' });
      }
    }),
    { numRuns: 500 },
  );
});

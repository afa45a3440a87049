import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { encode, revive } from '../../src/journal/codec.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { TidegateError } from '../../src/model/errors.ts';
import { Fill } from '../../src/model/fill.ts';
import { Bar, CalendarBar, Ticker, Trade } from '../../src/model/market-events.ts';
import { accountEvents, decimals, fills, INSTRUMENTS, marketEvents, plainValues, requests } from './arbitrary.ts';

const BY_SYMBOL = new Map(INSTRUMENTS.map((instrument) => [instrument.symbol, instrument]));
const [BTC] = INSTRUMENTS as [(typeof INSTRUMENTS)[number]];
const back = (value: unknown) => revive(encode(value), BY_SYMBOL);

test.each<[string, fc.Arbitrary<unknown>]>([
  ['account events', accountEvents],
  ['market events', marketEvents],
  ['order requests', requests],
  ['fills', fills],
  ['decimals', decimals],
  ['plain objects, lists and maps of all these', plainValues],
])('%s are equal after a round trip', (_, values) => {
  fc.assert(fc.property(values, (value) => expect(back(value)).toEqual(value)));
});

test('a restored value has its class, and refers to the same instrument', () => {
  fc.assert(
    fc.property(fills, marketEvents, decimals, (fill, event, money) => {
      const [fillAgain, eventAgain, moneyAgain] = back([fill, event, money]) as [Fill, typeof event, Decimal];
      expect(fillAgain).toBeInstanceOf(Fill);
      expect(fillAgain.instrument).toBe(fill.instrument);
      expect(Object.keys(fillAgain)).toEqual(Object.keys(fill));
      expect(eventAgain).toBeInstanceOf(event.constructor);
      expect(eventAgain.instrument).toBe(event.instrument);
      expect(moneyAgain).toBeInstanceOf(Decimal);
      expect(moneyAgain.valueOf()).toBe(money.valueOf());
    }),
  );
});

test('market events are rows, money and instruments are tagged', () => {
  expect(encode(new Ticker(BTC, 1.5, 7, 100))).toBe('{"$e":["ticker","BTC-USDT",1.5,7,100]}');
  expect(encode(new Trade(BTC, 1, 7, 100, 2, undefined))).toBe('{"$e":["trade","BTC-USDT",1,7,100,2,null]}');
  expect(encode({ fee: new Decimal('0.10'), on: BTC, none: undefined, peak: Number.NaN })).toBe(
    '{"fee":{"$d":"0.1"},"on":{"$i":"BTC-USDT"},"peak":{"$n":"NaN"}}',
  );
});

test('a bar has its interval: milliseconds, or a calendar interval as text', () => {
  const end = Date.UTC(2024, 2, 1);
  expect(encode(new Bar(BTC, end, 7, 60_000, 1, 4, 0, 2, 9))).toBe('{"$e":["bar","BTC-USDT",1709251200000,7,60000,1,4,0,2,9]}');
  const month = new CalendarBar(BTC, end, 7, '1M', 1, 4, 0, 2, 9);
  expect(encode(month)).toBe('{"$e":["bar","BTC-USDT",1709251200000,7,"1M",1,4,0,2,9]}');
  expect(back(month)).toBeInstanceOf(CalendarBar);
  expect(back(month)).toEqual(month);
  expect(back(month)).toMatchObject({ openTime: Date.UTC(2024, 1, 1), intervalMs: 29 * 86_400_000, interval: '1M' });
});

class Foreign {
  value = 1;
}
const ring: { own?: unknown } = {};
ring.own = { list: [ring] };

test.each<[string, unknown, RegExp]>([
  ['a function', { a: { b: () => 1 } }, /value\.a\.b: it is a function/],
  ['a big integer', [1, 2n], /value\[1\]: it is a bigint/],
  ['a date', { at: new Date(0) }, /value\.at: it is a Date/],
  ['a set', new Map([['ids', new Set()]]), /it is a Set/],
  ['an instance of another class', new Foreign(), /it is a Foreign/],
  ['a ring', ring, /within itself/],
])('refuses to keep %s, naming the place', (_, value, words) => {
  expect(() => encode(value)).toThrow(expect.objectContaining({ code: 'INVARIANT_BROKEN', message: expect.stringMatching(words) }));
});

test('an instrument that the config has lost is named', () => {
  expect(() => revive('{"$i":"DOGE-USDT"}', BY_SYMBOL)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('DOGE-USDT') }),
  );
});

test.each([
  '',
  '{',
  '{"$d":1}',
  '{"$d":"1.5.2"}',
  '{"$i":5}',
  '{"$f":{"fillId":"x"}}',
  '{"$e":["candle","BTC-USDT",1,2]}',
  '{"$e":5}',
  '{"$m":{}}',
  '{"$m":[5]}',
  '{"$n":"toString"}',
  '{"$o":[]}',
  '{"$x":1}',
  '{"$d":"1","more":1}',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
])('text that the codec never wrote is damage (%#)', (text) => {
  expect(() => revive(text, BY_SYMBOL)).toThrow(expect.objectContaining({ code: 'JOURNAL_DAMAGED', cause: expect.anything() }));
});

test('whatever the text, reading gives a value or a named error', () => {
  const tags = fc.constantFrom('$d', '$i', '$f', '$e', '$m', '$n', '$u', '$o', '$q', 'a');
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constantFrom('BTC-USDT', 'bar', 'NaN', '1.5')),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(tags, tie('value'), { maxKeys: 2 }),
    ),
  })).value;
  const texts = fc.oneof(
    fc.string(),
    json.map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(texts, (text) => {
      try {
        revive(text, BY_SYMBOL);
      } catch (error) {
        expect(error).toBeInstanceOf(TidegateError);
      }
    }),
    { numRuns: 500 },
  );
});

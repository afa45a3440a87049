import { describe, expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import type { TidegateError } from '../../src/model/errors.ts';
import { decodeReport, encodeReport, pageReport } from '../../src/report/page-report.ts';
import { closedTrade, runReport } from './builders.ts';

const page = pageReport(
  runReport({ name: 'mine', trades: [closedTrade({ netProfit: new Decimal('0.1234567890123456789012345678901') })] }),
);
const text = encodeReport(page);

function refusal(damaged: string): { readonly code: string; readonly message: string } {
  try {
    decodeReport(damaged, 'out/report.json');
  } catch (error) {
    const { code, message } = error as TidegateError;
    return { code, message };
  }
  throw new Error('the text was taken');
}

test('a report is the same out of its file, to the last digit', () => {
  const back = decodeReport(text, 'out/report.json');
  expect(back).toEqual(page);
  expect(back.trades[0]?.netProfit).toBeInstanceOf(Decimal);
  expect(back.trades[0]?.netProfit.toFixed()).toBe('0.1234567890123456789012345678901');
  expect(encodeReport(back)).toBe(text);
});

describe('a file that is refused', () => {
  test.each([
    ['cut off', text.slice(0, -100), 'DATA_CORRUPT', /^out\/report\.json: cannot be read to its end \(.+\): run the backtest again$/],
    ['empty', '', 'DATA_CORRUPT', /cannot be read to its end/],
    [
      'changed in one figure',
      text.replace('"maxQuantity":{"$decimal":"1"}', '"maxQuantity":{"$decimal":"2"}'),
      'DATA_CORRUPT',
      /does not match its hash/,
    ],
    ['without its report', '{"format":"tidegate-report","version":1,"sha256":"00"}', 'DATA_CORRUPT', /does not match its hash/],
    [
      'of a later version',
      text.replace('"version":1', '"version":2'),
      'DATA_INVALID',
      /is of version 2, this Tidegate reads version 1: run the backtest again, or use/,
    ],
    ['of a version that is none', text.replace('"version":1', '"version":"old"'), 'DATA_INVALID', /is of version old/],
    ['of something else', '{"name":"mine"}', 'DATA_INVALID', /is not the report of a run; expected a file with "format":"tidegate-report"/],
    ['a list', '[1]', 'DATA_INVALID', /is not the report of a run/],
    ['a word', '"report"', 'DATA_INVALID', /is not the report of a run; expected a JSON object/],
  ])('%s is reported with the expected form', (_, damaged, code, message) => {
    expect(damaged).not.toBe(text);
    expect(refusal(damaged)).toMatchObject({ code, message: expect.stringMatching(message) });
  });
});

import { expect, test } from '@jest/globals';
import { FillsSchema } from '../../../../src/app/config/schema/fills-schema.ts';
import { requireSlippageData } from '../../../../src/app/planning/plan-backtest.ts';

const fills = (slippage: object, halfSpreadTicks = 0) => FillsSchema.parse({ slippage, halfSpreadTicks });
const spread = fills({ spread: 0.5 });
const share = fills({ volumeShare: {} });
const root = fills({ squareRoot: {} });

test('defaults of the models are those of the literature: a tenth of the price at the whole volume, a fortieth of it at most', () => {
  expect(share.slippage).toEqual({ volumeShare: { impact: 0.1, limit: '0.025' } });
  expect(root.slippage).toEqual({ squareRoot: { coefficient: 1, days: 1 } });
});

test.each([
  ['a spread of quotes', spread, ['quote', 'trade']],
  ['a spread that is set', fills({ spread: 0.5 }, 2), ['bar']],
  ['a share of the volume of bars', share, ['bar']],
  ['volumes of bars', root, ['bar']],
  ['volumes of trades', root, ['quote', 'trade']],
  ['no model', FillsSchema.parse({}), ['depth']],
] as const)('takes %s', (_what, settings, kinds) => {
  expect(() => requireSlippageData(settings, kinds)).not.toThrow();
});

test.each([
  ['a spread on tickers', spread, ['ticker'], 'fills.slippage.spread: needs a spread, which quotes tell, or `halfSpreadTicks` above 0'],
  ['a spread on bars', spread, ['bar'], 'is fed by bar data'],
  ['a volume on tickers', share, ['ticker'], 'fills.slippage.volumeShare: needs the volume of bars, and the run is fed by ticker data'],
  ['a share of single trades', share, ['trade'], 'is fed by trade data'],
  ['volumes of tickers', root, ['ticker'], 'fills.slippage.squareRoot: needs volumes, which bars and trades tell'],
  ['volumes of quotes', root, ['quote'], 'is fed by quote data'],
  ['any model on a recorded book', root, ['depth', 'trade'], 'takers walk the levels of a recorded book: leave it out'],
] as const)('refuses %s, with the reason', (_what, settings, kinds, reason) => {
  expect(() => requireSlippageData(settings, kinds)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(reason) }),
  );
});

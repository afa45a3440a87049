import { expect, test } from '@jest/globals';
import { CurrencyRateRecorder } from '../../../../src/app/backtest/recorders/currency-rates.ts';
import { Decimal } from '../../../../src/model/decimal.ts';
import { Instrument } from '../../../../src/model/instrument.ts';
import { fill } from '../../../statistics/builders.ts';

const BTC = new Instrument(0, { symbol: 'BTC-USDT', tickSize: '0.01', stepSize: '0.01' });
const ETH_BTC = new Instrument(1, { symbol: 'ETH-BTC', tickSize: '0.01', stepSize: '0.01' });
const own = fill({ side: 'buy', quantity: '1', price: '100', instrument: BTC });
const foreign = fill({ side: 'buy', quantity: '1', price: '0.05', instrument: ETH_BTC });

function recorder(rates: Record<string, string>, instruments = [BTC, ETH_BTC]) {
  const rateOf = (asset: string) => (rates[asset] === undefined ? undefined : new Decimal(rates[asset]));
  return new CurrencyRateRecorder({ currency: 'USDT', rateOf }, instruments);
}

test('keeps what quote was worth when it happened, and nothing of what is quoted in the currency', () => {
  const now = { BTC: '60000' };
  const recorded = recorder(now);
  recorded.note(own, BTC);
  recorded.note(foreign, ETH_BTC);
  now.BTC = '50000';
  expect([...recorded.rates].map(([of, rate]) => [of === foreign, rate.toFixed()])).toEqual([[true, '60000']]);
  expect(recorded.settle()).toBe(0);
});

test('what came before the first price counts at the last, or nothing where none ever came', () => {
  const now: Record<string, string> = {};
  const recorded = recorder(now);
  recorded.note(foreign, ETH_BTC);
  expect(recorded.rates.size).toBe(0);
  now.BTC = '50000';
  expect(recorded.settle()).toBe(1);
  expect(recorded.rates.get(foreign)?.toFixed()).toBe('50000');

  const never = recorder({});
  never.note(foreign, ETH_BTC);
  never.settle();
  expect(never.rates.get(foreign)?.toFixed()).toBe('0');
});

test('converts only where something is quoted in another currency', () => {
  expect([recorder({}).converts, recorder({}, [BTC]).converts]).toEqual([true, false]);
});

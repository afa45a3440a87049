import { expect, test } from '@jest/globals';
import { CurrencyRateRecorder } from '../../../../src/app/backtest/recorders/currency-rates.ts';
import { Decimal } from '../../../../src/model/decimal.ts';
import { Instrument } from '../../../../src/model/instrument.ts';
import { charge } from '../../../statistics/builders.ts';

const BTC = new Instrument(0, { symbol: 'BTC-USDT', tickSize: '0.01', stepSize: '0.01' });
const ETH_BTC = new Instrument(1, { symbol: 'ETH-BTC', tickSize: '0.01', stepSize: '0.01' });
const parts = { positionSide: 'long', steps: 1, amount: '1', fillsBefore: 0 } as const;
const { charged: own } = charge({ ...parts, instrument: BTC });
const { charged: foreign } = charge({ ...parts, instrument: ETH_BTC });

function recorder(rates: Record<string, string>, instruments = [BTC, ETH_BTC]) {
  const rateOf = (asset: string) => (rates[asset] === undefined ? undefined : new Decimal(rates[asset]));
  const settled: [index: number, rate: string][] = [];
  const fills = { setRate: (index: number, rate: Decimal) => void settled.push([index, rate.toFixed()]) };
  const recorded = new CurrencyRateRecorder({ currency: 'USDT', rateOf }, instruments, fills);
  return Object.assign(recorded, { settled });
}

test('keeps the rate at the time of a charge, and none for instruments quoted in the currency', () => {
  const now = { BTC: '60000' };
  const recorded = recorder(now);
  recorded.noteCharge(own, BTC);
  recorded.noteCharge(foreign, ETH_BTC);
  expect([recorded.rateAt(BTC), recorded.rateAt(ETH_BTC)?.toFixed()]).toEqual([undefined, '60000']);
  now.BTC = '50000';
  expect([...recorded.rates].map(([of, rate]) => [of === foreign, rate.toFixed()])).toEqual([[true, '60000']]);
  expect(recorded.settle()).toBe(0);
});

test('entries before the first price count at the last one, or are worth nothing without any', () => {
  const now: Record<string, string> = {};
  const recorded = recorder(now);
  recorded.noteCharge(foreign, ETH_BTC);
  expect(recorded.rateAt(ETH_BTC)?.isNaN()).toBe(true);
  recorded.settleFill(7, ETH_BTC);
  expect(recorded.rates.size).toBe(0);
  now.BTC = '50000';
  expect(recorded.settle()).toBe(2);
  expect(recorded.rates.get(foreign)?.toFixed()).toBe('50000');
  expect(recorded.settled).toEqual([[7, '50000']]);

  const never = recorder({});
  never.noteCharge(foreign, ETH_BTC);
  never.settle();
  expect(never.rates.get(foreign)?.toFixed()).toBe('0');
});

test('converts only if an instrument is quoted in another currency', () => {
  expect([recorder({}).converts, recorder({}, [BTC]).converts]).toEqual([true, false]);
});

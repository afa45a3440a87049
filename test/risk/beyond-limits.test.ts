import { expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import { Ticker } from '../../src/model/market-events.ts';
import { beyondLimits } from '../../src/risk/beyond-limits.ts';
import type { RiskLimits } from '../../src/risk/limits.ts';
import { applyAccount, applyMarket } from '../../src/state/apply.ts';
import { BTC, state } from '../state/builders.ts';

/** 2 BTC of which no strategy bought any, at 100 each, and 300 USDT: equity 500. */
function holding() {
  const at = state('spot');
  const balance = (asset: string, total: number) => {
    const held = { wallet: 'spot', asset, total: new Decimal(total), frozen: new Decimal(0) } as const;
    applyAccount(at, { kind: 'balanceChanged', time: 0, balance: held, entry: undefined });
  };
  balance('USDT', 300);
  balance('BTC', 2);
  applyMarket(at, new Ticker(BTC, 1, 1, 100));
  return at;
}

const positions = (most: string) => new Map([['BTC-USDT', new Decimal(most)]]);
const beyond = (limits: Partial<RiskLimits>) => beyondLimits(holding(), { maxPosition: new Map(), ...limits });

test.each<[string, Partial<RiskLimits>, object[]]>([
  ['a position', { maxPosition: positions('1') }, [{ limit: 'positions.BTC-USDT', symbol: 'BTC-USDT', value: '2', most: '1' }]],
  ['a position at its limit', { maxPosition: positions('2') }, []],
  ['a strategy that holds nothing', { strategies: new Map([['s', { maxPosition: positions('1') }]]) }, []],
  ['the exposure', { maxExposure: new Decimal(199) }, [{ limit: 'account.maxExposure', value: '200.00', most: '199' }]],
  ['the exposure at its limit', { maxExposure: new Decimal(200) }, []],
  ['a share of equity', { concentration: { symbol: 0.3 } }, [{ limit: 'account.concentration.symbol', value: '0.4000', most: '0.3' }]],
  ['leverage, which spot has none of', { maxLeverage: new Decimal('0.1') }, []],
  ['nothing', {}, []],
])('%s', (_, limits, found) => {
  expect(beyond(limits)).toHaveLength(found.length);
  expect(beyond(limits)).toMatchObject(found);
});

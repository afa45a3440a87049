import { describe, expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import { applyAccount } from '../../src/state/apply.ts';
import type { State } from '../../src/state/state.ts';
import { balance, futures, PERP, perpetual, price, trade } from './builders.ts';

const shown = (target: State, side: 'long' | 'short', id?: string) =>
  target.margin.liquidationPrice(PERP, side, id === undefined ? undefined : target.books.get(id)!.position(PERP, side))?.toFixed(6);

describe('both sides of a contract on shared margin', () => {
  const hedged = (long: number, short: number) => {
    const target = futures({ leverage: '20' });
    balance(target, 'USDT', '1488');
    price(target, 1000);
    trade(target, 'long', long, 1000);
    trade(target, 'short', short, 1000);
    return target;
  };

  test('change with the same mark, wherever it is', () => {
    const target = hedged(15, 5);
    // 1488 + 10 (p - 1000) = 0.01 x 20 p: 8512 / 9.8
    expect([shown(target, 'long'), shown(target, 'short')]).toEqual(['868.571429', undefined]);
    price(target, 900);
    expect([shown(target, 'long'), shown(target, 'short')]).toEqual(['868.571429', undefined]);
  });

  test('the larger short is liquidated by a rise', () => {
    // 1488 + 10 (1000 - p) = 0.2 p: 11488 / 10.2
    expect([shown(hedged(5, 15), 'long'), shown(hedged(5, 15), 'short')]).toEqual([undefined, '1126.274510']);
  });

  test('fully hedged, only the maintenance of both can use up the collateral', () => {
    // 1488 = 0.01 x 20 p
    expect([shown(hedged(10, 10), 'long'), shown(hedged(10, 10), 'short')]).toEqual([undefined, '7440.000000']);
  });
});

test('separated positions on shared margin have one price, each in the tier of its own value', () => {
  const tiered = perpetual(0, {}, { tiers: [{ upTo: '1000', maintenance: '0.1' }, { maintenance: '0.2' }] });
  const target = futures({ separated: true }, [tiered]);
  balance(target, 'USDT', '1980');
  price(target, 450, tiered);
  trade(target, 'long', 2, 900, { instrument: tiered });
  trade(target, 'long', 2, 900, { instrument: tiered, strategyId: 't' });
  // 900 needs 90, twice: 1980 + 1800 - 3600 = 180.
  expect(target.margin.figures('USDT').maintenance.toFixed()).toBe('180');
  expect(target.margin.liquidationPrice(tiered, 'long')?.toFixed()).toBe('450');
});

describe('separated positions on margins of their own', () => {
  const separated = (parts?: readonly [string, string][]) => {
    const target = futures({ mode: 'isolated', separated: true });
    balance(target, 'USDT', '1000');
    price(target, 100);
    trade(target, 'long', 10, 100, { clientOrderId: 'a' });
    trade(target, 'long', 10, 80, { clientOrderId: 'b', strategyId: 't' });
    const told = parts === undefined ? {} : { parts: new Map(parts.map(([id, margin]) => [id, new Decimal(margin)])) };
    const margin = new Decimal(parts === undefined ? 180 : 288);
    applyAccount(target, { kind: 'marginChanged', time: 0, instrument: PERP, positionSide: 'long', margin, ...told });
    return target;
  };

  test('are shown to the strategy that opened them, the nearest one to the account', () => {
    const target = separated();
    // (1000 - 100) / 9.9, (800 - 80) / 9.9
    expect([shown(target, 'long', 's'), shown(target, 'long', 't'), shown(target, 'long')]).toEqual([
      '90.909091',
      '72.727273',
      '90.909091',
    ]);
    trade(target, 'long', 10, 120, { clientOrderId: 'c', strategyId: 't' });
    applyAccount(target, { kind: 'marginChanged', time: 0, instrument: PERP, positionSide: 'long', margin: new Decimal(300) });
    // (1200 - 120) / 9.9
    expect([shown(target, 'long', 't'), shown(target, 'long')]).toEqual(['109.090909', '109.090909']);
  });

  test('have the margins that the venue reports for each', () => {
    const target = separated([
      ['oa', '208'],
      ['ob', '80'],
    ]);
    // (1000 - 208) / 9.9
    expect([shown(target, 'long', 's'), shown(target, 'long', 't'), shown(target, 'long')]).toEqual([
      '80.000000',
      '72.727273',
      '80.000000',
    ]);
  });

  test('remain for a holder whose own positions were closed by others', () => {
    const target = separated([
      ['oa', '208'],
      ['ob', '80'],
    ]);
    // The venue closes the oldest position, which `s` opened.
    trade(target, 'long', -10, 100, { strategyId: 't' });
    expect(shown(target, 'long', 's')).toBe('72.727273');
  });

  test('a short side has the lowest of its prices', () => {
    const target = futures({ mode: 'isolated', separated: true });
    price(target, 100);
    trade(target, 'short', 10, 100);
    trade(target, 'short', 10, 120);
    applyAccount(target, { kind: 'marginChanged', time: 0, instrument: PERP, positionSide: 'short', margin: new Decimal(220) });
    // (1000 + 100) / 10.1 before (1200 + 120) / 10.1
    expect([shown(target, 'short', 's'), shown(target, 'short')]).toEqual(['108.910891', '108.910891']);
  });
});

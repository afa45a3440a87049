import { expect, test } from '@jest/globals';
import { idleLatches, requireClaimed } from '../../../../src/app/live/bot/unclaimed.ts';
import { applyAccount } from '../../../../src/state/apply.ts';
import type { State } from '../../../../src/state/state.ts';
import { filled, futures, instrument, open, PERP, request, state, trade } from '../../../state/builders.ts';

const [BTC, ETH] = [instrument(0, { minQuantity: '3' }), instrument(1, { symbol: 'ETH-USDT' })];
const CONFIG = [
  { id: 's', symbols: ['BTC-USDT'] },
  { id: 't', symbols: ['BTC-USDT', 'ETH-USDT'] },
];

/** Buys and sells so many steps of a strategy, by orders that have ended. */
function traded(target: State, strategyId: string, of: typeof BTC, ...steps: number[]): void {
  for (const [index, size] of steps.entries()) {
    const order = { clientOrderId: `${strategyId}-${of.symbol}-${index}`, strategyId, instrument: of, steps: Math.abs(size) } as const;
    const side = size > 0 ? 'buy' : 'sell';
    open(target, { ...order, side });
    applyAccount(target, filled({ ...order, side }, Math.abs(size), 100, true));
  }
}

test('a journal of strategies that the config has is started from', () => {
  const after = state('spot', [BTC, ETH]);
  traded(after, 's', BTC, 10);
  traded(after, 't', ETH, 10);
  open(after, { clientOrderId: 'c1', strategyId: 't', instrument: ETH, priceTicks: 90 });
  expect(requireClaimed(after, CONFIG)).toEqual([]);
});

test('positions, open and held orders of a strategy that the config does not have refuse the start, each by its name', () => {
  const after = state('spot', [BTC, ETH]);
  traded(after, 'gone', BTC, 10, -4);
  open(after, { clientOrderId: 'c1', strategyId: 'gone', instrument: BTC, side: 'sell', steps: 6 }, true);
  open(after, { clientOrderId: 'c2', strategyId: 'gone', instrument: ETH, priceTicks: 90, steps: 5 });
  const said = () => requireClaimed(after, CONFIG);
  expect(said).toThrow(expect.objectContaining({ code: 'START_REFUSED' }));
  expect(said).toThrow(
    '- BTC-USDT of strategy "gone", which is not in the config: holds 6, held order c1 (sell market 6)\n' +
      '- ETH-USDT of strategy "gone", which is not in the config: open order c2 (buy limit 5)\n',
  );
});

test('so do those of a symbol that a strategy does not trade any more', () => {
  const after = state('spot', [BTC, ETH]);
  traded(after, 's', ETH, 10);
  expect(() => requireClaimed(after, CONFIG)).toThrow('ETH-USDT of strategy "s", which does not trade it any more: holds 10');
});

test('each side of a contract counts for itself', () => {
  const after = futures({}, [PERP]);
  trade(after, 'long', 7, 100, { strategyId: 'gone' });
  trade(after, 'short', 7, 100, { strategyId: 'gone' });
  expect(() => requireClaimed(after, [])).toThrow('BTC-USDT-PERP of strategy "gone", which is not in the config: holds 7, holds -7');
});

test('flat positions and ended orders do not prevent a start; remainders below the smallest order are reported', () => {
  const after = state('spot', [BTC, ETH]);
  traded(after, 'gone', BTC, 10, -10);
  expect(requireClaimed(after, CONFIG)).toEqual([]);
  traded(after, 'less', BTC, 10, -8);
  expect(requireClaimed(after, CONFIG)).toEqual(['BTC-USDT of strategy "less", which is not in the config: holds 2']);
  // Without a minimum every step can be sold.
  traded(after, 'gone', ETH, 10, -9);
  expect(() => requireClaimed(after, CONFIG)).toThrow('holds 1');
});

test('a latch of a strategy that is not in the config is reported, others are not', () => {
  const after = state('spot', [BTC, ETH]);
  const latched = { kind: 'riskLatched', time: 0, rule: 'dailyLoss', drawdown: 0, limit: 0 } as const;
  for (const strategyId of ['gone', 's', undefined]) applyAccount(after, { ...latched, strategyId });
  expect(idleLatches(after, CONFIG)).toEqual([
    expect.stringContaining('strategy "gone", which is not in the config, was latched by dailyLoss'),
  ]);
});

test('an order by amount is shown with its amount', () => {
  const after = state('spot', [BTC, ETH]);
  const quoteQuantity = BTC.notional(100, 2);
  open(after, { ...request({ strategyId: 'gone', instrument: BTC }), steps: undefined, quoteQuantity });
  expect(() => requireClaimed(after, CONFIG)).toThrow('open order c1 (buy market for 200 USDT)');
});

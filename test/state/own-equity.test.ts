import { expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import { Fill } from '../../src/model/fill.ts';
import { applyAccount } from '../../src/state/apply.ts';
import type { State } from '../../src/state/state.ts';
import { BTC, balance, ETH, futures, open, PERP, price, request, state, trade } from './builders.ts';

let count = 0;
function fill(
  target: State,
  strategyId: string,
  side: 'buy' | 'sell',
  steps: number,
  ticks: number,
  fee = '0',
  feeAsset = 'USDT',
  of = BTC,
): void {
  const order = { clientOrderId: `o${++count}`, strategyId, side, steps, instrument: of };
  open(target, order);
  const { clientOrderId, positionSide } = request(order);
  const filled = new Fill(
    ...(['f', 'o', clientOrderId, strategyId, of, side, positionSide, ticks, steps, of.notional(ticks, steps)] as const),
    ...([new Decimal(fee), feeAsset, 'taker', '', 0, 1, 1, 0] as const),
  );
  applyAccount(target, { kind: 'orderFilled', time: 0, clientOrderId, fill: filled, complete: true });
}

const worth = (target: State, id: string) => target.ownEquities.get(id)!.exactEquity().toFixed();

test('it is the capital plus own fills, fees and open positions, without those of others', () => {
  const target = state('netting', [BTC, ETH], {
    equities: new Map([
      ['s', new Decimal(1000)],
      ['t', new Decimal(500)],
    ]),
  });
  balance(target, 'USDT', '100000');
  price(target, 100);
  fill(target, 's', 'buy', 5, 100, '1');
  fill(target, 't', 'sell', 2, 100);
  price(target, 110);
  // s: 1000 + 5 x 10 - 1; t: 500 - 2 x 10.
  expect([worth(target, 's'), worth(target, 't')]).toEqual(['1049', '480']);
  fill(target, 's', 'sell', 5, 108, '2');
  price(target, 50);
  // 5 x 8 - 3 is kept, whatever the price does.
  expect([worth(target, 's'), worth(target, 't')]).toEqual(['1037', '600']);
  expect(target.ownEquities.get('s')!.equity).toBe(1037);
});

test('without a capital of its own a strategy begins with the first equity of the account', () => {
  const target = state('netting', [BTC], { equities: new Map([['s', undefined]]) });
  balance(target, 'USDT', '2000');
  price(target, 100);
  fill(target, 's', 'buy', 10, 100);
  price(target, 90);
  expect([worth(target, 's'), target.ownEquities.get('s')!.drawdown.current]).toEqual(['1900', 0.05]);
});

test('spot: a fee in base makes the position smaller', () => {
  const target = state('spot', [BTC], { equities: new Map([['s', new Decimal(1000)]]) });
  balance(target, 'USDT', '1000');
  price(target, 100);
  fill(target, 's', 'buy', 5, 100, '0.5', 'BTC');
  price(target, 120);
  // 1000 - 500 + 4.5 x 120.
  expect(worth(target, 's')).toBe('1040');
});

test('futures: both sides count at the mark, and funding with them', () => {
  const target = futures({}, [PERP], {});
  expect(target.ownEquities.size).toBe(0);
  const followed = futures({}, [PERP], {}, { equities: new Map([['s', new Decimal(1000)]]) });
  balance(followed, 'USDT', '1000');
  price(followed, 100, PERP);
  trade(followed, 'long', 5, 100);
  trade(followed, 'short', 2, 100);
  price(followed, 110, PERP);
  // 5 x 10 - 2 x 10.
  expect(worth(followed, 's')).toBe('1030');
  const charged = {
    kind: 'fundingCharged',
    time: 0,
    instrument: PERP,
    steps: 5,
    rate: new Decimal('0.01'),
    markPrice: new Decimal(110),
  } as const;
  applyAccount(followed, { ...charged, positionSide: 'long', amount: new Decimal('-5.5') });
  expect(worth(followed, 's')).toBe('1024.5');
});

test('equity and fall count a fill at once; the deepest fall, by which limits latch, is measured at market events', () => {
  const target = state('netting', [BTC, ETH], { day: true, equities: new Map([['s', new Decimal(1000)]]) });
  balance(target, 'USDT', '1000');
  price(target, 100);
  const own = target.ownEquities.get('s')!;
  const { portfolio } = target;
  let latched = 0;
  for (const measure of [own.drawdown, own.day, portfolio.drawdown]) measure.onDeeper = () => latched++;
  fill(target, 's', 'buy', 5, 120, '10');
  // 1000 - 5 x 20 - 10; the cash of the account is not told of it, and so counts 1000 - 0 + 5 x 100.
  expect([own.equity, own.drawdown.current, own.day.current, own.drawdown.observed]).toEqual([890, 0.11, 0.11, 0]);
  expect(portfolio.equity).toBe(1500);
  expect([own.drawdown.depth, latched]).toEqual([0, 0]);
  price(target, 100);
  expect([own.drawdown.depth, own.drawdown.observed, latched]).toEqual([0.11, 0.11, 2]);
});

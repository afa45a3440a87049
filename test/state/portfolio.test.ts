import { expect, test } from '@jest/globals';
import { Subject } from 'rxjs';
import { Decimal, ZERO } from '../../src/model/decimal.ts';
import { Ticker } from '../../src/model/market-events.ts';
import { applyAccount, applyMarket } from '../../src/state/apply.ts';
import { type ReadonlyState, State } from '../../src/state/state.ts';
import { select$ } from '../../src/strategy/state-stream.ts';
import { BTC, balance, ETH, filled, futures, instrument, open, PERP, price, state, submitted } from './builders.ts';

test('a spot account is worth its balances at the newest marks', () => {
  const target = state('spot');
  balance(target, 'USDT', '1000');
  balance(target, 'BTC', '2');
  balance(target, 'ETH', '5');
  price(target, 100);
  expect(target.portfolio.equity).toBeNaN();
  expect(target.portfolio.startEquity).toBeUndefined();
  price(target, 10, ETH);
  expect(target.portfolio.equity).toBe(1250);
  expect(target.portfolio.startEquity?.toFixed()).toBe('1250');
  price(target, 90);
  price(target, 20, ETH);
  expect(target.portfolio.equity).toBe(1280);
  expect(target.portfolio.exactEquity().toFixed()).toBe('1280');
  expect(target.portfolio.startEquity?.toFixed()).toBe('1250');
});

test('holdings in a currency that must be converted count next to the asset priced in ours', () => {
  const rate = instrument(1, { symbol: 'USDT-EUR', tickSize: '0.1' });
  const target = state('spot', [BTC, rate]);
  balance(target, 'USDT', '1000');
  balance(target, 'BTC', '2');
  balance(target, 'EUR', '100');
  price(target, 100);
  price(target, 5, rate);
  // 1000 + 2 x 100 + 100 / 0.5
  expect(target.portfolio.equity).toBe(1400);
  price(target, 110);
  expect(target.portfolio.equity).toBe(1420);
  balance(target, 'EUR', '0');
  price(target, 120);
  expect(target.portfolio.equity).toBe(1240);
});

test('exact equity keeps every digit of a balance and the half tick of a middle', () => {
  const fine = instrument(0, { tickSize: '0.01', stepSize: '0.00000001' });
  const target = state('spot', [fine]);
  balance(target, 'USDT', '0.000000000000000000000000000001');
  balance(target, 'BTC', '0.123456789123456789');
  price(target, 10_000_050, fine);
  // 0.123456789123456789 x 100000.5 + 10^-30, by Python's decimal.
  expect(target.portfolio.exactEquity().toFixed()).toBe('12345.740640740240628394500000000001');
});

test('a netting account is worth its cash and its net positions, long and short', () => {
  const target = state('netting');
  balance(target, 'USDT', '1000');
  price(target, 100);
  price(target, 50, ETH);
  open(target);
  applyAccount(target, filled({}, 10, 100, true));
  balance(target, 'USDT', '0');
  open(target, { clientOrderId: 'c2', instrument: ETH, side: 'sell' });
  applyAccount(target, filled({ clientOrderId: 'c2', instrument: ETH, side: 'sell' }, 10, 50, true));
  balance(target, 'USDT', '500');
  price(target, 110);
  price(target, 60, ETH);
  // 500 + 10 x 110 - 10 x 60
  expect(target.portfolio.equity).toBe(1000);
  expect(target.portfolio.exactEquity().toFixed()).toBe('1000');
});

test('the tradable quantity is the balance floored to the step on spot, the net position on netting', () => {
  const milli = instrument(0, { stepSize: '0.001' });
  const spot = state('spot', [milli]);
  balance(spot, 'BTC', '1.2349');
  expect(spot.heldSteps(milli)).toBe(1234);
  const netting = state('netting');
  applyAccount(netting, submitted({ side: 'sell' }));
  applyAccount(netting, filled({ side: 'sell' }, 10, 100, true));
  expect(netting.heldSteps(BTC)).toBe(-10);
});

test('equity that is no longer a number is reported at each price, and that of a coin without a first price is not', () => {
  const target = state('spot');
  let reported = 0;
  target.portfolio.onUnknown = () => {
    reported += 1;
  };
  const after = (...steps: (() => void)[]) =>
    steps.map((step) => {
      step();
      return reported;
    });
  const at = (total: string) => () => balance(target, 'USDT', total);
  const priced = () => price(target, 100);
  balance(target, 'BTC', '2');
  expect(after(at('1000'), () => price(target, 10, ETH), priced, priced)).toEqual([0, 0, 0, 0]);
  expect(after(at('NaN'), priced, priced)).toEqual([0, 1, 2]);
  expect(after(at('1000'), priced)).toEqual([2, 2]);
  expect(after(at('Infinity'), priced)).toEqual([2, 3]);
  expect(target.portfolio.drawdown.peak).toBe(1200);
});

test('an asset that nothing prices in the currency is refused by name', () => {
  expect(() => balance(state('spot'), 'DOGE', '1')).toThrow(
    "account.balances.DOGE: no instrument DOGE-USDT prices it in the account's currency USDT",
  );
});

test('time in the market counts whole steps held, not dust', () => {
  const milli = instrument(0, { stepSize: '0.001' });
  const target = state('spot', [milli]);
  balance(target, 'USDT', '1000', 0);
  balance(target, 'BTC', '1', 1000);
  balance(target, 'BTC', '2', 3000);
  balance(target, 'BTC', '0.0005', 6000);
  balance(target, 'BTC', '1', 10_000);
  target.portfolio.finish(12_000);
  expect(target.portfolio.timeInMarketMs).toBe(5000 + 2000);
});

test('a sample contains no later fill, though a fill is applied before the price of its time', () => {
  const target = state('netting');
  balance(target, 'USDT', '1000');
  price(target, 100, BTC, 500);
  price(target, 100, BTC, 1000);
  open(target);
  // Bought at 90 inside a bar that closes at 2000; the mark is still 100.
  applyAccount(target, {
    kind: 'balanceChanged',
    time: 2000,
    balance: { wallet: 'spot', asset: 'USDT', total: new Decimal(100), frozen: ZERO },
    entry: { asset: 'USDT', amount: new Decimal(-900), reason: 'trade', fillId: 'f' },
  });
  applyAccount(target, filled({}, 10, 90, true, 2000));
  price(target, 100, BTC, 2000);
  target.portfolio.finish(2000);
  expect(target.portfolio.curve.samples.map(({ time, equity }) => [time, equity.toFixed()])).toEqual([
    [500, '1000'],
    [1000, '1000'],
    [2000, '1100'],
  ]);
});

test('a fill before the first price begins no curve', () => {
  const target = state('netting');
  balance(target, 'USDT', '1000');
  applyAccount(target, submitted());
  applyAccount(target, filled({}, 1, 90, true, 100));
  price(target, 100, BTC, 1500);
  target.portfolio.finish(1500);
  expect(target.portfolio.curve.samples.map(({ time }) => time)).toEqual([1500, 1500]);
});

test('select$ emits a part of the state only when it changes', () => {
  const source = new Subject<ReadonlyState>();
  const seen: number[] = [];
  select$(source, ({ sequence }) => sequence).subscribe((value) => seen.push(value));
  const target = state();
  for (const sequence of [1, 1, 2, 2, 1]) {
    target.sequence = sequence;
    source.next(target);
  }
  expect(seen).toEqual([1, 2, 1]);
});

/** A fill at a price of the market event with this sequence. */
function pricedBy(event: ReturnType<typeof filled>, pricedSequence: number): ReturnType<typeof filled> {
  const fill = Object.assign(Object.create(Object.getPrototypeOf(event.fill)), event.fill, { pricedSequence });
  return { ...event, fill };
}

test('a fill at the open of a bar after a weekend is valued at the prices of that bar, and belongs to its day', () => {
  const DAY = 86_400_000;
  const target = new State([BTC], ['s'], { kind: 'netting', currency: 'USDT', equityEveryMs: DAY / 2 });
  balance(target, 'USDT', '1000');
  price(target, 430, BTC, DAY);
  price(target, 430, BTC, 2 * DAY);
  open(target);
  // Day 3 and 4 have no prices. Bought at 390 at the open of day 5, whose bar closes at 400; the last price is still 430.
  applyAccount(target, {
    kind: 'balanceChanged',
    time: 4 * DAY,
    balance: { wallet: 'spot', asset: 'USDT', total: new Decimal(220), frozen: ZERO },
    entry: { asset: 'USDT', amount: new Decimal(-780), reason: 'trade', fillId: 'f' },
  });
  applyAccount(target, pricedBy(filled({}, 2, 390, true, 4 * DAY), Number.MAX_SAFE_INTEGER));
  expect(target.portfolio.equity).toBe(1080);
  applyMarket(target, new Ticker(BTC, 5 * DAY, Number.MAX_SAFE_INTEGER, 400));
  target.portfolio.finish(5 * DAY);
  const rows = target.portfolio.curve.samples.map(({ time, cash, equity, peak, drawdown, exposure }) => {
    return [time / DAY, cash.toFixed(), equity.toFixed(), peak, drawdown, exposure];
  });
  const flat = [1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5].map((day) => [day, '1000', '1000', 1000, 0, 0]);
  expect(rows).toEqual([...flat, [5, '220', '1020', 1020, 0, 800]]);
  expect(target.portfolio.curve.days.map(({ time, equity, idle }) => [time / DAY, equity.toFixed(), idle])).toEqual([
    [2, '1000', true],
    [5, '1020', false],
  ]);
});

test('coins that cannot be sold are no position: below the least order, or parts of a step that strategies left', () => {
  const milli = instrument(0, { stepSize: '0.001', minNotional: '5' });
  const target = state('spot', [milli]);
  balance(target, 'USDT', '1000', 0);
  balance(target, 'BTC', '0.04', 1000);
  price(target, 100, milli, 1000);
  // 4 USDT are below the least order of 5; 6 USDT are a position.
  balance(target, 'BTC', '0.06', 3000);
  balance(target, 'BTC', '0.04', 5000);
  target.portfolio.finish(9000);
  expect(target.portfolio.timeInMarketMs).toBe(2000);
});

test('two remainders below a step are no position, though both together are a step', () => {
  const milli = instrument(0, { stepSize: '0.001' });
  const target = state('spot', [milli]);
  balance(target, 'USDT', '1000', 0);
  price(target, 100, milli, 0);
  for (const [clientOrderId, strategyId, before, after] of [
    ['a', 's', 0, 0.0006],
    ['b', 't', 0.0006, 0.0012],
  ] as const) {
    const of = { clientOrderId, strategyId, instrument: milli };
    // Buys 0.002 and pays 0.0004 of it as a fee; sells the whole step, so that 0.0006 remain.
    const event = filled(of, 2, 100, true, 1000);
    const fill = Object.assign(Object.create(Object.getPrototypeOf(event.fill)), event.fill, {
      fee: new Decimal('0.0004'),
      feeAsset: 'BTC',
    });
    applyAccount(target, submitted(of));
    balance(target, 'BTC', String(before + 0.0016), 1000);
    applyAccount(target, { ...event, fill });
    const sell = { ...of, clientOrderId: `${clientOrderId}2`, side: 'sell' as const };
    applyAccount(target, submitted(sell));
    balance(target, 'BTC', String(after), 2000);
    applyAccount(target, filled(sell, 1, 100, true, 2000));
  }
  expect(target.heldSteps(milli)).toBe(1);
  target.portfolio.finish(9000);
  expect(target.portfolio.timeInMarketMs).toBe(2000);
  expect(target.portfolio.curve.samples.at(-1)!.exposure).toBe(0);
});

test('the first event with equity at zero or below is kept, with the price that made it so', () => {
  const target = futures();
  balance(target, 'USDT', '100');
  price(target, 100, PERP, 1000);
  open(target, { instrument: PERP, positionSide: 'long' });
  applyAccount(target, filled({ instrument: PERP, positionSide: 'long' }, 10, 100, true, 1000));
  price(target, 95, PERP, 2000);
  expect(target.portfolio.ruin).toBeUndefined();
  price(target, 90, PERP, 3000);
  price(target, 80, PERP, 4000);
  expect(target.portfolio.ruin).toEqual({ time: 3000, symbol: 'BTC-USDT-PERP', price: 90 });
});

test('a drawdown counts from the last event before it, not from the first of a hundred days in cash', () => {
  const own = state();
  balance(own, 'USDT', '1000');
  for (let day = 0; day <= 100; day++) price(own, 100, BTC, day * DAY);
  open(own);
  balance(own, 'USDT', '900', 100 * DAY + 5);
  applyAccount(own, filled({}, 1, 100, true, 100 * DAY + 5));
  price(own, 90, BTC, 101 * DAY);
  price(own, 101, BTC, 102 * DAY);
  expect(own.portfolio.drawdown).toMatchObject({ depthPeakTime: 100 * DAY, longestMs: 2 * DAY, recoveredTime: 102 * DAY });
});

const DAY = 86_400_000;

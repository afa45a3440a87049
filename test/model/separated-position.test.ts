import { expect, test } from '@jest/globals';
import { Decimal, ZERO } from '../../src/model/decimal.ts';
import { Fill } from '../../src/model/fill.ts';
import { Instrument } from '../../src/model/instrument.ts';
import type { Side } from '../../src/model/order.ts';
import { Position, SeparatedPosition } from '../../src/model/position.ts';

const PERP = new Instrument(0, { symbol: 'BTC-USDT-PERP', tickSize: '1', stepSize: '1' });

function fill(orderId: string, side: Side, steps: number, ticks: number): Fill {
  const notional = PERP.notional(ticks, steps);
  return new Fill('f', orderId, 'c', 's', PERP, side, 'long', ticks, steps, notional, ZERO, 'USDT', 'taker', '', 0, 0, 0, 0);
}

function figures({ steps, cost, realizedProfit, costs }: Position) {
  return [steps, cost.toFixed(), realizedProfit.toFixed(), costs.map((one) => one.toFixed())];
}

test('each opening order has a part with its own cost, and the side is their sum', () => {
  const position = new SeparatedPosition();
  for (const one of [fill('a', 'buy', 2, 100), fill('b', 'buy', 1, 130), fill('a', 'buy', 1, 106)]) position.apply(one);
  expect(figures(position)).toEqual([4, '436', '0', ['306', '130']]);
  expect([position.stepsOf('a'), position.stepsOf('b'), position.stepsOf('x')]).toEqual([3, 1, 0]);
});

test("a close takes the oldest part first, and its profit uses that part's cost", () => {
  const position = new SeparatedPosition();
  for (const one of [fill('a', 'buy', 2, 100), fill('b', 'buy', 2, 130), fill('c', 'sell', 3, 140)]) position.apply(one);
  // 2 x 40 of a, 1 x 10 of b; at average cost it would have been 3 x 25.
  expect(figures(position)).toEqual([1, '130', '90', ['130']]);
});

test('a liquidation closes the part it names, whatever its age', () => {
  const position = new SeparatedPosition();
  for (const one of [fill('a', 'buy', 2, 100), fill('b', 'buy', 2, 130)]) position.apply(one);
  position.closeNext('b');
  position.apply(fill('l', 'sell', 2, 90));
  expect(figures(position)).toEqual([2, '200', '-80', ['200']]);
});

test('a short side is mirrored', () => {
  const position = new SeparatedPosition();
  for (const one of [fill('a', 'sell', 2, 100), fill('b', 'sell', 1, 130), fill('c', 'buy', 3, 90)]) position.apply(one);
  expect(figures(position)).toEqual([0, '0', '60', []]);
});

test('a close larger than the position counts against the holder', () => {
  const position = new SeparatedPosition();
  for (const one of [fill('a', 'buy', 2, 100), fill('c', 'sell', 5, 110)]) position.apply(one);
  expect(figures(position)).toEqual([-3, '330', '20', ['330']]);
});

test('a part of the cost that has no finite decimal is rounded to 18 places, half to even, and the rest is kept', () => {
  const position = new Position();
  for (const one of [fill('a', 'buy', 1, 34), fill('a', 'buy', 2, 33), fill('c', 'sell', 1, 40)]) position.apply(one);
  // 100 / 3 = 33.333..., so 66.666... stays.
  expect(figures(position)).toEqual([2, '66.666666666666666667', '6.666666666666666667', ['66.666666666666666667']]);
  expect(position.realizedProfit.plus('33.333333333333333333').equals(new Decimal(40))).toBe(true);
});

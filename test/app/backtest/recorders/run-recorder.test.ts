import { expect, test } from '@jest/globals';
import { fillReason, RunRecorder } from '../../../../src/app/backtest/recorders/run-recorder.ts';
import { Decimal } from '../../../../src/model/decimal.ts';
import type { Fill } from '../../../../src/model/fill.ts';
import { place, protect, setTimer } from '../../../../src/strategy/intents.ts';
import { CollectedTables } from '../../../support/collected-tables.ts';
import { IN_BTC, PERP, SPOT, Told } from '../builders.ts';

test('funding is kept with its place among the fills', () => {
  const told = new Told();
  told.fund(PERP, 'long', '1');
  told.fill('a', {}, 100);
  told.fund(PERP, 'long', '-2');
  const places = told.recorder.funding.map(({ charged, fillsBefore }) => [charged.amount.toFixed(), fillsBefore]);
  expect(places).toEqual([
    ['1', 0],
    ['-2', 1],
  ]);
});

test('rates are kept of fills, funding charges and liquidations in another currency, and of nothing else', () => {
  const told = new Told();
  told.price(SPOT, 60_000);
  told.fill('a', { steps: 3 }, 100);
  const foreign = told.fill('b', { instrument: IN_BTC, steps: 3 }, 2);
  expect(Array.from(told.recorder.fills, ({ rate }) => rate?.toFixed())).toEqual([undefined, '60000']);
  told.fund(IN_BTC, 'long', '1');
  const closing = { ...foreign, side: 'sell', instrument: IN_BTC, price: 2, symbol: 'ETH-BTC-PERP', quantity: 3, received: 3 } as const;
  told.tell({ kind: 'positionLiquidated', time: 0, orderId: '9', type: 'burstLiquidation', fill: closing });
  const { rates } = told.recorder.rates;
  expect([...rates.keys()]).toEqual([told.recorder.funding[0]?.charged, told.recorder.liquidations[0]]);
  expect([...rates.values()].map((rate) => rate.toFixed())).toEqual(['60000', '60000']);
});

test('payments of the insurance fund are summed in the currency, and other entries are not', () => {
  const told = new Told();
  told.price(SPOT, 60_000);
  for (const [asset, amount, reason] of [
    ['USDT', '1000', 'deposit'],
    ['USDT', '-5', 'liquidationFee'],
    ['USDT', '12', 'insurance'],
    ['BTC', '0.5', 'insurance'],
  ] as const) {
    const balance = { wallet: 'futures', asset, total: new Decimal(0), frozen: new Decimal(0) } as const;
    told.tell({ kind: 'balanceChanged', time: 0, balance, entry: { asset, amount: new Decimal(amount), reason, fillId: 'f' } });
    told.tell({ kind: 'balanceChanged', time: 0, balance, entry: undefined });
  }
  expect(told.recorder.insurancePaid.toFixed()).toBe('30012');
});

test('protective stops are counted by strategy: linked to an entry, trailing, for a position, and its own that close', () => {
  const { recorder } = new Told();
  const order = { symbol: 'BTC-USDT', side: 'buy', quantity: 1 } as const;
  recorder.intent(1, 0, 's', place({ ...order, type: 'market', exits: { stopLoss: 90, takeProfit: 110 } }));
  recorder.intent(2, 0, 's', protect({ symbol: 'BTC-USDT', side: 'sell', quantity: 1, stopLoss: 90 }));
  recorder.intent(3, 0, 's', place({ ...order, type: 'market', exits: { trailBy: 5 } }));
  recorder.intent(3, 0, 't', place({ ...order, side: 'sell', type: 'stop', stopPrice: 90, reduceOnly: true }));
  recorder.intent(3, 0, 't', place({ ...order, symbol: PERP.symbol, side: 'sell', positionSide: 'long', type: 'stop', stopPrice: 90 }));
  // These open something.
  recorder.intent(3, 0, 't', place({ ...order, type: 'stop', stopPrice: 110 }));
  recorder.intent(3, 0, 't', place({ ...order, symbol: PERP.symbol, positionSide: 'long', type: 'stop', stopPrice: 110 }));
  recorder.intent(4, 0, 't', place({ ...order, type: 'market', exits: { takeProfit: 110 } }));
  recorder.intent(5, 0, 't', protect({ symbol: 'BTC-USDT', side: 'sell', quantity: 1, takeProfit: 110 }));
  expect([...recorder.stopsAsked]).toEqual([
    ['s', 3],
    ['t', 2],
  ]);
});

test("the side of a stop decides whether it closes the strategy's position", () => {
  const told = new Told();
  const stop = (side: 'buy' | 'sell') =>
    told.recorder.intent(1, 0, 's', place({ symbol: PERP.symbol, side, type: 'stop', stopPrice: 90, quantity: 1 }));
  stop('sell');
  expect(told.recorder.stopsAsked.get('s')).toBeUndefined();
  told.fill('a', { positionSide: 'long', steps: 10 }, 100);
  stop('buy');
  stop('sell');
  expect(told.recorder.stopsAsked.get('s')).toBe(1);
});

test('intents about orders are counted apart from timers', () => {
  const { recorder } = new Told();
  recorder.intent(1, 0, 's', setTimer({ name: 'a', everyMs: 1000 }));
  recorder.intent(1, 0, 's', place({ symbol: 'BTC-USDT', side: 'buy', quantity: 1, type: 'market' }));
  expect([recorder.intents, recorder.orderIntents]).toEqual([2, 1]);
});

type EndedBy = Parameters<typeof fillReason>[0];

test.each<[EndedBy['type'], tag: string, reduceOnly: boolean, string]>([
  ['market', 'in', false, 'signal'],
  ['market', 'out', true, 'signal'],
  ['stop', 'in:stopLoss', true, 'stop'],
  ['stop', 'mine', false, 'stop'],
  ['stop', 'trailingStop', true, 'trailing'],
  ['stop', 'in:trailingStop', true, 'trailing'],
  ['limit', 'in:takeProfit', true, 'takeProfit'],
  ['market', 'in:after', true, 'age'],
  ['market', 'after', true, 'age'],
  // A strategy may give any tag to an order of its own, which reduces nothing.
  ['limit', 'takeProfit', false, 'signal'],
  ['market', 'dailyLoss', true, 'flatten'],
  ['market', 'endOfRun', true, 'endOfRun'],
  ['burstLiquidation', '', true, 'liquidation'],
  ['autoDeleveraging', 'autoDeleveraging', true, 'deleveraging'],
])('a %s order tagged "%s" (reduce only: %s) ends a trade by %s', (type, tag, reduceOnly, reason) => {
  expect(fillReason({ type, tag, request: { reduceOnly } } as EndedBy)).toBe(reason);
});

test('orders are written in the order of their ends, once 1,000 more have ended or the run is over', () => {
  const tables = new CollectedTables();
  const told = new Told('futures', undefined, tables);
  for (let id = 0; id < 1_002; id++) told.fill(String(id), {}, 100);
  expect(tables.orders.map(({ clientOrderId }) => clientOrderId)).toEqual(['0', '1']);
  told.recorder.finish();
  expect(tables.orders.map(({ clientOrderId }) => Number(clientOrderId))).toEqual([...Array(1_002).keys()]);
});

test('a fill depends on the path if the venue says so before its next fill of the instrument', () => {
  const told = new Told();
  const onPath = new Set<Fill>();
  const recorder = new RunRecorder(told.state, [], (fill) => onPath.has(fill));
  const made: Fill[] = [];
  const received = (id: string) => {
    const fill = {
      ...told.fill(id, {}, 100),
      fillId: `f${id}`,
      instrument: PERP,
      symbol: PERP.symbol,
      price: 100,
      quantity: 1,
      received: 1,
    };
    made.push(fill);
    recorder.event(0, { kind: 'orderFilled', time: 0, clientOrderId: id, fill, complete: true });
    return fill;
  };
  received('1');
  onPath.add(made[0]!);
  // Received before the fill that the venue made before it.
  received('3');
  onPath.add(received('2'));
  onPath.add(made[1]!);
  received('4');
  onPath.add(received('5'));
  recorder.finish();
  expect(Array.from(recorder.fills, (fill) => fill.onPath)).toEqual([true, true, false, false, true]);
});

import { expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import type { PlaceOrder } from '../../src/model/intents.ts';
import { cancel, place, protect } from '../../src/strategy/intents.ts';
import type { Intents } from '../../src/strategy/strategy.ts';
import { bars, instrument, MINUTE, quotes, run, type Script, story, strategy, T0, tickers, trades } from './builders.ts';

const order = (side: 'buy' | 'sell', quantity: number | string, more: Partial<PlaceOrder> = {}) =>
  place({ symbol: 'BTC-USDT', side, type: 'market', quantity, ...more });
const stop = (side: 'buy' | 'sell', stopPrice: number, quantity: number | string = 10) =>
  order(side, quantity, { type: 'stop', stopPrice });

/** A strategy that answers its n-th ticker, trade, quote or bar. */
function at(answers: Readonly<Record<number, Intents>>, more: Script = {}): Script {
  let count = 0;
  const answer = () => answers[++count];
  return { onTicker: answer, ...more };
}
const onBar = (script: Script): Script => {
  const { onTicker, ...rest } = script;
  return { ...rest, onBar: (_, me) => onTicker!(undefined as never, me) };
};
const prices = (...list: number[]) => [tickers(list.map((price, second) => [second, price] as const))];
const EXITS = { stopLoss: 90, takeProfit: 110 };
const bracket = () => at({ 1: order('buy', 10, { exits: EXITS, tag: 'in' }) });

test.each<[string, Script, number[], string[]]>([
  ['a buy stop goes out when the price rises to it', at({ 1: stop('buy', 110) }), [100, 109, 110, 120], ['buy 10 at 110']],
  ['a sell stop goes out when the price falls to it', at({ 1: stop('sell', 90) }), [100, 91, 90, 80], ['sell 10 at 90']],
  ['a gap through the trigger meets the price behind it', at({ 1: stop('buy', 110) }), [100, 130], ['buy 10 at 130']],
  [
    'it is judged by the first price after its placement, not by the one that decided it',
    at({ 1: stop('buy', 100) }),
    [100, 101],
    ['buy 10 at 101'],
  ],
  ['what stands beyond its trigger goes out at the next price', at({ 1: stop('buy', 50) }), [100, 99], ['buy 10 at 99']],
  [
    'a stop-limit rests at its limit',
    at({ 1: order('buy', 10, { type: 'stopLimit', stopPrice: 110, price: 105 }) }),
    [100, 110, 107, 105, 120],
    ['buy 10 at 105'],
  ],
  ['a stop that is never reached never goes out', at({ 1: stop('buy', 110) }), [100, 109, 50], []],
  ['a canceled stop never goes out', at({ 1: stop('buy', 110), 2: cancel() }), [100, 105, 110, 120], []],
  ['the stop loss closes what its entry filled', bracket(), [100, 95, 90, 80], ['buy 10 at 100', 'sell 10 at 90']],
  ['the take profit closes it above', bracket(), [100, 105, 110, 80], ['buy 10 at 100', 'sell 10 at 110']],
  [
    'a gap fills the take profit at its limit or better, the stop where the price is',
    bracket(),
    [100, 70],
    ['buy 10 at 100', 'sell 10 at 70'],
  ],
  [
    'closing by hand takes the exits back',
    at({ 1: order('buy', 10, { exits: EXITS }), 2: order('sell', 10) }),
    [100, 101, 90, 110],
    ['buy 10 at 100', 'sell 10 at 101'],
  ],
  [
    'turning takes them back too',
    at({ 1: order('buy', 10, { exits: EXITS }), 2: order('sell', 15) }),
    [100, 101, 90, 110],
    ['buy 10 at 100', 'sell 15 at 101'],
  ],
  [
    'exits of a short are mirrored',
    at({ 1: order('sell', 10, { exits: { stopLoss: 110, takeProfit: 90 } }) }),
    [100, 110, 90],
    ['sell 10 at 100', 'buy 10 at 110'],
  ],
  [
    'one exit alone will do',
    at({ 1: order('buy', 10, { exits: { takeProfit: 110 } }) }),
    [100, 50, 110],
    ['buy 10 at 100', 'sell 10 at 110'],
  ],
  [
    'an order with exits that never fills arms none',
    at({ 1: order('buy', 10, { type: 'limit', price: 50, exits: EXITS }), 2: cancel() }),
    [100, 95, 90, 110],
    [],
  ],
  [
    'a stop entry arms its exits when it has filled',
    at({ 1: order('buy', 10, { type: 'stop', stopPrice: 105, exits: EXITS }) }),
    [100, 105, 110],
    ['buy 10 at 105', 'sell 10 at 110'],
  ],
  [
    'exits are trimmed to the position that is left',
    at({ 1: order('buy', 10, { exits: EXITS }), 2: order('sell', 4) }),
    [100, 101, 90],
    ['buy 10 at 100', 'sell 4 at 101', 'sell 6 at 90'],
  ],
  [
    'protect holds exits for a position that stands',
    at({ 1: order('buy', 10), 2: protect({ symbol: 'BTC-USDT', side: 'sell', quantity: 10, stopLoss: 95 }) }),
    [100, 100, 95],
    ['buy 10 at 100', 'sell 10 at 95'],
  ],
  [
    'a stop that trails goes up with the price, and out where that falls back by its distance',
    at({ 1: order('buy', 10, { exits: { trailBy: 5 } }) }),
    [100, 104, 110, 106, 105],
    ['buy 10 at 100', 'sell 10 at 105'],
  ],
  [
    'it never goes back, and a gap meets the price behind it',
    at({ 1: order('buy', 10, { exits: { trailBy: 5 } }) }),
    [100, 110, 106, 109, 101],
    ['buy 10 at 100', 'sell 10 at 101'],
  ],
  [
    'without a better price it stands where its entry filled, less its distance',
    at({ 1: order('buy', 10, { exits: { trailBy: 5 } }) }),
    [100, 96, 95],
    ['buy 10 at 100', 'sell 10 at 95'],
  ],
  [
    'it begins at the stop loss, where one is named, until the price leads it further',
    at({ 1: order('buy', 10, { exits: { stopLoss: 90, trailBy: 5 } }) }),
    [100, 94, 97, 93, 92],
    ['buy 10 at 100', 'sell 10 at 92'],
  ],
  [
    'that of a short is mirrored',
    at({ 1: order('sell', 10, { exits: { trailBy: 5 } }) }),
    [100, 96, 100, 101],
    ['sell 10 at 100', 'buy 10 at 101'],
  ],
  [
    'it is linked with a take profit',
    at({ 1: order('buy', 10, { exits: { trailBy: 5, takeProfit: 110 } }) }),
    [100, 106, 110, 105],
    ['buy 10 at 100', 'sell 10 at 110'],
  ],
  [
    'protect holds one for a position that stands, from the last price',
    at({ 1: order('buy', 10), 2: protect({ symbol: 'BTC-USDT', side: 'sell', quantity: 10, trailBy: 5 }) }),
    [100, 100, 103, 98],
    ['buy 10 at 100', 'sell 10 at 98'],
  ],
])('%s', async (_, script, list, filled) => {
  const result = await run([strategy('a', script)], { data: prices(...list) });
  expect(result.message).toBe('');
  expect(result.filled).toEqual(filled);
});

test('one leg cancels the other, which has the reason and the tag of its entry', async () => {
  const result = await run([strategy('a', bracket())], { data: prices(100, 90, 110) });
  expect(story(result.log)).toEqual([
    'orderSubmitted a-1',
    'orderAccepted a-1',
    'orderFilled a-1',
    'orderSubmitted a-2',
    'orderAccepted a-2',
    'orderSubmitted a-3',
    'orderAccepted a-3',
    'orderTriggered a-2',
    'orderSubmitted a-2',
    'orderAccepted a-2',
    'orderFilled a-2',
    'orderCanceled a-3',
  ]);
  expect(result.tables.orders.map(({ type, status, reason, tag }) => [type, status, reason, tag])).toEqual([
    ['market', 'filled', '', 'in'],
    ['stop', 'filled', '', 'in:stopLoss'],
    ['limit', 'canceled', 'linked', 'in:takeProfit'],
  ]);
});

test('partial fills of the entry grow both legs, partial fills of a leg shrink both', async () => {
  // 4 then 6 come in at 99, then 3 go out at 110 and the rest at 90.
  const data = [
    trades([
      [0, 100],
      [1, 99, 4],
      [2, 99, 6],
      [3, 110, 3],
      [4, 90, 100],
    ]),
  ];
  const script = at({ 1: order('buy', 10, { type: 'limit', price: 99, exits: EXITS }) });
  const result = await run([strategy('a', { onTrade: (_, me) => script.onTicker!(undefined as never, me) })], {
    data,
    fills: { liquidity: 'recorded' },
  });
  expect(result.filled).toEqual(['buy 4 at 99', 'buy 6 at 99', 'sell 3 at 110', 'sell 7 at 90']);
  const sizes = result.log
    .filter(({ kind, clientOrderId }) => kind === 'orderSubmitted' && clientOrderId === 'test-a-2')
    .map(({ quantity }) => quantity);
  expect(sizes).toEqual(['4', '10', '7', '7']);
  expect(result.state.heldSteps(result.state.instruments[0]!)).toBe(0);
});

test('a stop that triggers while its take profit works at the venue waits for that to be gone', async () => {
  // Touched at 110, but a fill needs the cross: the take profit rests at the venue when the stop is reached.
  const result = await run([strategy('a', bracket())], { data: prices(100, 110, 90, 80), fills: { limit: 'strictCross' } });
  expect(result.filled).toEqual(['buy 10 at 100', 'sell 10 at 90']);
  expect(story(result.log).slice(7)).toEqual([
    'orderTriggered a-3',
    'orderSubmitted a-3',
    'orderAccepted a-3',
    'cancelSubmitted a-3',
    'orderCanceled a-3',
    'orderTriggered a-2',
    'orderSubmitted a-2',
    'orderAccepted a-2',
    'orderFilled a-2',
  ]);
});

test('a take profit that fills while its cancel is on the way leaves nothing for the stop', async () => {
  const data = [
    tickers([
      [0, 100],
      [2, 100],
      [4, 110],
      [6, 90],
      [6.5, 111],
      [9, 50],
    ]),
  ];
  const result = await run([strategy('a', bracket())], {
    data,
    fills: { limit: 'strictCross' },
    latency: { entryMs: 1000, cancelMs: 1000, responseMs: 0 },
  });
  expect(result.filled).toEqual(['buy 10 at 100', 'sell 10 at 110']);
  expect(result.message).toBe('');
  expect(result.state.openOrders.size).toBe(0);
});

test('a take profit does not call back a stop that is on its way', async () => {
  const data = [
    tickers([
      [0, 100],
      [2, 100],
      [3, 90],
      [4, 110],
      [5, 111],
      [6, 112],
    ]),
  ];
  const result = await run([strategy('a', bracket())], { data, latency: { entryMs: 1500, cancelMs: 0, responseMs: 0 } });
  expect(result.filled).toEqual(['buy 10 at 100', 'sell 10 at 110']);
  expect(story(result.log).slice(7)).toEqual([
    'orderTriggered a-2',
    'orderSubmitted a-2',
    'orderAccepted a-2',
    'orderFilled a-2',
    'orderCanceled a-3',
  ]);
});

test('a cancel that overtakes its take profit is sent again, so that the stop gets out', async () => {
  const data = [
    tickers([
      [0, 100],
      [2, 100],
      [3, 110],
      [4, 90],
      [5, 90],
      [6, 80],
      [10, 80],
    ]),
  ];
  const result = await run([strategy('a', bracket())], {
    data,
    fills: { limit: 'strictCross' },
    latency: { entryMs: 1500, cancelMs: 0, responseMs: 0 },
  });
  expect(result.filled).toEqual(['buy 10 at 100', 'sell 10 at 80']);
  expect(result.state.openOrders.size).toBe(0);
});

test('a cancel that is on its way is not sent again at every price', async () => {
  const data = [
    tickers([
      [0, 100],
      [1, 110],
      [2, 90],
      [2.5, 89],
      [3, 88],
      [9, 80],
    ]),
  ];
  const latency = { entryMs: 0, cancelMs: 5000, responseMs: 0 };
  const result = await run([strategy('a', bracket())], { data, fills: { limit: 'strictCross' }, latency });
  expect(story(result.log).filter((line) => line.startsWith('cancelSubmitted'))).toEqual(['cancelSubmitted a-3']);
  expect(result.filled).toEqual(['buy 10 at 100', 'sell 10 at 88']);
});

test('if one price triggers a stop and a take profit, the stop is sent first', async () => {
  const script = at({ 1: order('buy', 10, { exits: { takeProfit: 110 } }), 2: stop('buy', 110, 1) });
  const result = await run([strategy('a', script)], { data: prices(100, 101, 110) });
  expect(result.filled).toEqual(['buy 10 at 100', 'buy 1 at 110', 'sell 10 at 110']);
});

test('the limit of a converted buy is on the tick below, never beyond the collar', async () => {
  const result = await run([strategy('a', onBar(at({ 1: order('buy', 10) })))], { data: [bars([101, 101])], ...spotExchange });
  // 101 x 1.05 = 106.05
  expect(result.log.find(({ kind }) => kind === 'orderSubmitted')?.price).toBe('106');
});

test('a take profit that works at the venue is called back when the position is closed otherwise', async () => {
  const script = at({ 1: order('buy', 10, { exits: EXITS }), 3: order('sell', 10) });
  const result = await run([strategy('a', script)], { data: prices(100, 110, 109, 111, 112), fills: { limit: 'strictCross' } });
  expect(result.filled).toEqual(['buy 10 at 100', 'sell 10 at 109']);
  expect(result.tables.orders.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).toContain('limit canceled linked');
});

test('exits on spot are armed for the received quantity: each fill less the fee taken from it, whole steps of the sum', async () => {
  const coin = instrument(0, { stepSize: '0.001', takerFee: '0.001' });
  const data = [
    trades(
      [
        [0, 100, 500],
        [1, 100, 500],
      ],
      coin,
    ),
  ];
  const script: Script = { onTrade: ({ sequence }) => (sequence === 1 ? order('buy', 1, { exits: { stopLoss: 90 } }) : undefined) };
  const options = { data, kind: 'spot', balances: { USDT: '1000' }, fills: { liquidity: 'recorded' } } as const;
  const result = await run([strategy('a', script)], options);
  const armed = result.log.filter(({ kind, type }) => kind === 'orderSubmitted' && type === 'stop').map(({ quantity }) => quantity);
  // 0.5 - 0.0005 = 0.4995, and twice that 0.999.
  expect(armed).toEqual(['0.499', '0.999']);
});

test('exits include dust that makes a whole step together with a later entry', async () => {
  const coin = instrument(0, { stepSize: '0.001', takerFee: '0.001' });
  const entry = order('buy', '0.5', { exits: { takeProfit: 110 } });
  const data = [100, 110, 100, 110].map((price, second) => [second, price] as const);
  const result = await run([strategy('a', at({ 1: entry, 3: entry }))], {
    data: [tickers(data, coin)],
    kind: 'spot',
    balances: { USDT: '1000' },
  });
  // Each entry brings 0.4995: 0.499 and a dust of 0.0005; then 0.499 and a dust of 0.001, which is a step.
  expect(result.filled).toEqual(['buy 0.5 at 100', 'sell 0.499 at 110', 'buy 0.5 at 100', 'sell 0.5 at 110']);
});

test('an order that is canceled in the instant of its trigger is not sent', async () => {
  const script = at({ 1: stop('buy', 110), 2: cancel() });
  const result = await run([strategy('a', { onTrade: (_, me) => script.onTicker!(undefined as never, me) })], {
    data: [
      trades([
        [0, 100],
        [1, 101],
        [1, 111],
        [2, 112],
      ]),
    ],
  });
  expect(result.message).toBe('');
  expect(result.filled).toEqual([]);
  expect(story(result.log)).toEqual(['orderSubmitted a-1', 'orderAccepted a-1', 'orderTriggered a-1', 'orderCanceled a-1']);
});

test('two prices of one instant that reach both legs send only the stop', async () => {
  const data = [
    trades([
      [0, 100],
      [1, 100],
      [2, 110],
      [2, 90],
      [3, 80],
    ]),
  ];
  const script = at({ 1: order('buy', 10, { exits: EXITS }) });
  const result = await run([strategy('a', { onTrade: (_, me) => script.onTicker!(undefined as never, me) })], { data });
  expect(result.message).toBe('');
  expect(result.filled).toEqual(['buy 10 at 100', 'sell 10 at 90']);
});

test('with quotes, a buy uses the ask and a sell the bid', async () => {
  const script: Script = { onQuote: ({ sequence }) => (sequence === 1 ? [stop('buy', 110, 1), stop('sell', 90, 1)] : undefined) };
  const result = await run([strategy('a', script)], {
    data: [
      quotes([
        [0, 99, 101],
        [1, 109, 110],
        [2, 90, 95],
        [3, 90, 95],
      ]),
    ],
  });
  expect(result.filled).toEqual(['buy 1 at 110', 'sell 1 at 90']);
});

test('exits become active with the bar after their entry, or in it, depending on the config', async () => {
  const data = [bars([100, [100, 101, 85, 95], [95, 96, 88, 92], 92])];
  const script = () => onBar(at({ 1: order('buy', 10, { exits: EXITS }) }));
  const waiting = await run([strategy('a', script())], { data, exits: 'nextBar' });
  const awake = await run([strategy('a', script())], { data, exits: 'entryBar' });
  const fills = (result: typeof waiting) =>
    result.tables.fills.map(({ side, price, time }) => `${side} ${price} at ${(time - T0) / MINUTE}`);
  expect(fills(waiting)).toEqual(['buy 100 at 1', 'sell 90 at 3']);
  expect(fills(awake)).toEqual(['buy 100 at 1', 'sell 90 at 2']);
});

test('a bar that opens beyond a sleeping stop fills it at the open', async () => {
  const result = await run([strategy('a', onBar(at({ 1: order('buy', 10, { exits: EXITS }) })))], {
    data: [bars([100, 100, [80, 82, 79, 81]])],
  });
  expect(result.filled).toEqual(['buy 10 at 100', 'sell 10 at 80']);
});

test('inside one bar that reaches both, the stop triggers first with the worst path', async () => {
  const result = await run([strategy('a', onBar(at({ 1: order('buy', 10, { exits: EXITS }) })))], {
    data: [bars([100, 100, [100, 115, 85, 100], 100])],
  });
  expect(result.filled).toEqual(['buy 10 at 100', 'sell 10 at 90']);
  expect(result.pathFills).toBe(1);
});

test('released legs pass risk: a denied leg is reported and its sibling keeps protecting the position', async () => {
  const limits = { orderRate: { orders: 1, perMs: 3000 } };
  const result = await run([strategy('a', bracket())], { data: prices(100, 101, 110, 100, 90), limits });
  expect(result.tables.refusals.map(({ clientOrderId, reason }) => [clientOrderId, reason.code])).toEqual([
    ['test-a-3', 'orderRateAboveLimit'],
  ]);
  expect(result.filled).toEqual(['buy 10 at 100', 'sell 10 at 90']);
});

test('a released entry passes risk too', async () => {
  const script = at({ 1: stop('buy', 110), 2: order('buy', 6) });
  const result = await run([strategy('a', script)], {
    data: prices(100, 101, 110),
    limits: { maxPosition: new Map([['BTC-USDT', new Decimal(16)]]) },
  });
  expect(result.filled).toEqual(['buy 6 at 101', 'buy 10 at 110']);
  const tight = await run([strategy('a', at({ 1: stop('buy', 110), 2: order('buy', 6) }))], {
    data: prices(100, 101, 110),
    limits: { maxPosition: new Map([['BTC-USDT', new Decimal(15)]]) },
  });
  expect(tight.filled).toEqual(['buy 10 at 110']);
  expect(tight.tables.refusals[0]!.reason).toEqual({ code: 'positionAboveLimit', position: '16', limit: '15' });
});

test('the drawdown latch cancels entries, lets reducing orders pass and keeps exits', async () => {
  const script = at({
    1: [order('buy', 10, { exits: { stopLoss: 60 } }), order('buy', 1, { type: 'limit', price: 50 }), stop('buy', 200, 1)],
    4: [order('buy', 1), order('sell', 3)],
  });
  const result = await run([strategy('a', script)], {
    data: prices(100, 100, 70, 70, 60),
    balances: { USDT: '1000' },
    limits: { maxDrawdown: { share: 0.25, onBreach: 'cancel' } },
  });
  expect(result.filled).toEqual(['buy 10 at 100', 'sell 3 at 70', 'sell 7 at 60']);
  expect(result.log.filter(({ kind }) => kind === 'riskLatched')).toEqual([
    { sequence: 3, kind: 'riskLatched', time: T0 + 2000, rule: 'maxDrawdown', drawdown: 0.3, limit: 0.25 },
  ]);
  expect(
    result.tables.orders
      .filter(({ status }) => status === 'canceled')
      .map(({ type }) => type)
      .sort(),
  ).toEqual(['limit', 'stop']);
  expect(result.tables.refusals.map(({ reason }) => reason)).toEqual([{ code: 'drawdownLatched', drawdown: '0.300000', limit: '0.25' }]);
});

test('a fall that just meets the limit does not latch, and one beyond it latches once', async () => {
  const met = await run([strategy('a', at({ 1: order('buy', 10) }))], {
    data: prices(100, 100, 70, 100),
    balances: { USDT: '1000' },
    limits: { maxDrawdown: { share: 0.3, onBreach: 'cancel' } },
  });
  expect(met.state.drawdownLatched).toBe(false);
  const passed = await run([strategy('a', at({ 1: order('buy', 10) }))], {
    data: prices(100, 100, 69, 100, 60),
    balances: { USDT: '1000' },
    limits: { maxDrawdown: { share: 0.3, onBreach: 'cancel' } },
  });
  expect(passed.log.filter(({ kind }) => kind === 'riskLatched')).toHaveLength(1);
});

test('an entry stop that the latching price itself triggers is canceled, not sent', async () => {
  const script = at({ 1: [order('buy', 10), stop('sell', 80, 20)] });
  const result = await run([strategy('a', script)], {
    data: prices(100, 100, 70, 70),
    balances: { USDT: '1000' },
    limits: { maxDrawdown: { share: 0.2, onBreach: 'cancel' } },
  });
  expect(result.message).toBe('');
  expect(result.filled).toEqual(['buy 10 at 100']);
});

const MILLI = instrument(0, { stepSize: '0.001', takerFee: '0.001', makerFee: '0.001' });

test('on spot exits are trimmed to the quantity after the fee, and dust counts as flat', async () => {
  const sides: string[] = [];
  const script = at({ 1: order('buy', '0.5', { exits: EXITS }) }, { onFill: (_, me) => void sides.push(me.position().side) });
  const data = [
    tickers(
      [
        [0, 100],
        [1, 90],
        [2, 90],
      ],
      MILLI,
    ),
  ];
  const result = await run([strategy('a', script)], { data, kind: 'spot', balances: { USDT: '1000' } });
  // 0.5 less 0.0005 is 0.4995: 0.499 can be sold.
  expect(result.filled).toEqual(['buy 0.5 at 100', 'sell 0.499 at 90']);
  expect(sides).toEqual(['long', 'flat']);
  expect(result.state.portfolio.balance('BTC').total.toFixed()).toBe('0.0005');
  expect(result.state.openOrders.size).toBe(0);
  expect(result.tables.orders.map(({ status, reason }) => `${status} ${reason}`)).toEqual(['filled ', 'filled ', 'canceled linked']);
  // The dust stays in equity: 1000 - 50 + 44.91 x 0.999 + 0.0005 x 90.
  expect(result.state.portfolio.exactEquity().toFixed()).toBe('994.91009');
});

test('a plain sell above the quantity after the fee is denied, a reduce-only one is trimmed', async () => {
  const data = [
    tickers(
      [
        [0, 100],
        [1, 100],
        [2, 100],
      ],
      MILLI,
    ),
  ];
  const plain = await run([strategy('a', at({ 1: order('buy', '0.5'), 2: order('sell', '0.5') }))], {
    data,
    kind: 'spot',
    balances: { USDT: '1000' },
  });
  expect(plain.tables.refusals.map(({ reason }) => reason)).toEqual([
    { code: 'balanceTooLow', asset: 'BTC', needed: '0.5', available: '0.4995' },
  ]);
  const trimmed = await run([strategy('a', at({ 1: order('buy', '0.5'), 2: order('sell', '0.5', { reduceOnly: true }) }))], {
    data,
    kind: 'spot',
    balances: { USDT: '1000' },
  });
  expect(trimmed.filled).toEqual(['buy 0.5 at 100', 'sell 0.499 at 100']);
});

test("a reduce-only order is trimmed to the strategy's own position, whatever others hold", async () => {
  const result = await run(
    [strategy('a', at({ 1: order('buy', 5) })), strategy('b', at({ 1: order('buy', 2), 2: order('sell', 6, { reduceOnly: true }) }))],
    { data: prices(100, 100, 100) },
  );
  expect(result.filled).toEqual(['buy 5 at 100', 'buy 2 at 100', 'sell 2 at 100']);
});

const spotExchange = { kind: 'spot', profile: 'exchange', balances: { USDT: '10000' } } as const;

test.each<[string, Script, string[], string]>([
  ['a base-sized market buy becomes an IOC limit at last x 1.05', onBar(at({ 1: order('buy', 10) })), ['buy 10 at 101'], 'limit IOC 105'],
  ['one that must fill whole stays so', onBar(at({ 1: order('buy', 10, { timeInForce: 'FOK' }) })), ['buy 10 at 101'], 'limit FOK 105'],
  [
    'a buy by an amount of quote stays a market order',
    onBar(at({ 1: order('buy', 0, { quantity: undefined, quoteQuantity: '1010' }) })),
    ['buy 10 at 101'],
    'market GTC ',
  ],
  ['a released buy stop is measured from its trigger', onBar(at({ 1: stop('buy', 120) })), ['buy 10 at 120'], 'limit IOC 126'],
])('under the exchange profile %s', async (_, script, filled, sent) => {
  const result = await run([strategy('a', script)], { data: [bars([100, [101, 130, 100, 100], 100])], ...spotExchange });
  expect(result.filled).toEqual(filled);
  const last = result.log.filter(({ kind }) => kind === 'orderSubmitted').at(-1)!;
  expect(`${last.sent} ${last.timeInForce} ${last.price ?? ''}`).toBe(sent);
});

test('an open beyond the collar leaves the converted buy unfilled', async () => {
  const result = await run([strategy('a', onBar(at({ 1: order('buy', 10) })))], { data: [bars([100, 106])], ...spotExchange });
  expect(result.filled).toEqual([]);
  expect(result.tables.orders.map(({ status, reason }) => `${status} ${reason}`)).toEqual(['expired ioc']);
});

test('risk judges the converted order at its limit', async () => {
  const result = await run([strategy('a', onBar(at({ 1: order('buy', 10) })))], {
    data: [bars([100, 100])],
    ...spotExchange,
    balances: { USDT: '1049' },
  });
  expect(result.tables.refusals.map(({ reason }) => reason)).toEqual([
    { code: 'balanceTooLow', asset: 'USDT', needed: '1050', available: '1049' },
  ]);
});

test.each<[Partial<PlaceOrder>, string]>([
  [{ type: 'limit' }, 'a limit order needs a price'],
  [{ price: 5 }, 'a market order takes no price'],
  [{ type: 'stop' }, 'a stop order needs a stopPrice'],
  [{ type: 'limit', price: 5, stopPrice: 5 }, 'a limit order takes no stopPrice'],
  [{ quantity: undefined }, 'exactly one of quantity and quoteQuantity is given'],
  [{ quoteQuantity: 5 }, 'exactly one of quantity and quoteQuantity is given'],
  [{ quantity: undefined, quoteQuantity: 5, side: 'sell' }, 'quoteQuantity is for market buys'],
  [{ quantity: undefined, quoteQuantity: 0 }, 'quoteQuantity is a positive number'],
  [{ quantity: undefined, quoteQuantity: 'x' }, 'quoteQuantity is a positive number'],
  [{ postOnly: true }, 'postOnly is for GTC limit orders'],
  [{ type: 'limit', price: 5, postOnly: true, timeInForce: 'IOC' }, 'postOnly is for GTC limit orders'],
  [{ timeInForce: 'gtc' as never }, 'timeInForce is GTC, IOC or FOK, not "gtc"'],
  [{ type: 'trailing' as never }, 'type is market, limit, stop or stopLimit, not "trailing"'],
  [{ side: 'long' as never }, 'side is buy or sell, not "long"'],
  [{ exits: {} }, 'exits name a stopLoss, a trailBy, a trail or a takeProfit'],
  [{ exits: { trailBy: 0 } }, 'trailBy is a distance above zero, not 0'],
  [{ exits: { stopLoss: { percent: 0 } } }, 'stopLoss is a percentage above 0 and below 100, not 0'],
  [{ exits: { stopLoss: { percent: 100 } } }, 'stopLoss is a percentage above 0 and below 100, not 100'],
  [{ exits: { trail: { percent: '-1' } } }, 'trail is a percentage above 0 and below 100, not -1'],
  [{ exits: { takeProfit: { distance: -5 } } }, 'takeProfit is a distance above zero, not -5'],
  [{ exits: { trailBy: 5, trail: { percent: 1 } } }, 'exits name trailBy or trail, not both'],
])('an order with %j is denied: %s', async (more, rule) => {
  const result = await run([strategy('a', at({ 1: order('buy', 1, more) }))], { data: prices(100) });
  expect(result.tables.refusals.map(({ reason }) => reason)).toEqual([{ code: 'orderInvalid', rule }]);
});

test.each([
  [
    { side: 'selling' as never, stopLoss: 5 },
    { code: 'orderInvalid', rule: 'side is buy or sell, not "selling"' },
  ],
  [{ side: 'sell' as const }, { code: 'orderInvalid', rule: 'exits name a stopLoss, a trailBy, a trail or a takeProfit' }],
  [
    { side: 'sell' as const, stopLoss: 5, quantity: 0.5 },
    { code: 'quantityInvalid', quantity: '0.5', stepSize: '1' },
  ],
  [
    { side: 'sell' as const, stopLoss: 0 },
    { code: 'priceInvalid', price: '0', tickSize: '1' },
  ],
  [
    { side: 'sell' as const, stopLoss: 5, symbol: 'X-Y' },
    { code: 'instrumentUnknown', symbol: 'X-Y' },
  ],
])('protect with %j is denied', async (more, reason) => {
  const result = await run([strategy('a', at({ 1: protect({ symbol: 'BTC-USDT', quantity: 1, ...more }) }))], { data: prices(100) });
  expect(result.tables.refusals.map((row) => row.reason)).toEqual([reason]);
});

test('a protect while flat is counted, unless an order opens the position that it is for', async () => {
  const guard = protect({ symbol: 'BTC-USDT', side: 'sell', quantity: 1, stopLoss: 90 });
  const idle = async (script: Parameters<typeof at>[0]) => {
    const result = await run([strategy('a', at(script))], { data: prices(100, 101, 102) });
    expect(result.message).toBe('');
    return [...result.idleProtects];
  };
  expect(await idle({ 1: guard, 2: guard })).toEqual([['a', 2]]);
  expect(await idle({ 1: [order('buy', 1), guard] })).toEqual([]);
  expect(await idle({ 1: [order('buy', 1, { type: 'limit', price: 50 }), guard] })).toEqual([]);
  expect(await idle({ 1: order('buy', 1), 3: guard })).toEqual([]);
  // A buy of the other direction closes no long.
  expect(await idle({ 1: order('buy', 1), 3: protect({ symbol: 'BTC-USDT', side: 'buy', quantity: 1, stopLoss: 110 }) })).toEqual([
    ['a', 1],
  ]);
});

test('exits whose price is no price deny the order they belong to', async () => {
  const result = await run([strategy('a', at({ 1: order('buy', 1, { exits: { stopLoss: -5 } }) }))], { data: prices(100) });
  expect(result.tables.refusals.map(({ reason }) => reason)).toEqual([{ code: 'priceInvalid', price: '-5', tickSize: '1' }]);
  expect(result.filled).toEqual([]);
});

test.each<[string, ReturnType<typeof cancel>, string[]]>([
  ['all', cancel(), ['a-1', 'a-2', 'a-3']],
  ['those with a tag', cancel({ tag: 'x' }), ['a-1', 'a-3']],
  ['one by its id', cancel({ clientOrderId: 'test-a-2' }), ['a-2']],
  ['those of a symbol', cancel({ symbol: 'ETH-USDT' }), []],
])('cancel takes back %s of its own orders and no others', async (_, wish, gone) => {
  const limit = (tag: string) => order('buy', 1, { type: 'limit', price: 50, tag });
  const result = await run(
    [
      strategy('a', at({ 1: [limit('x'), limit('y'), order('buy', 1, { type: 'stop', stopPrice: 200, tag: 'x' })], 2: wish })),
      strategy('b', at({ 1: limit('x') })),
    ],
    { data: prices(100, 100, 100) },
  );
  expect(
    story(result.log)
      .filter((line) => line.startsWith('orderCanceled'))
      .sort(),
  ).toEqual(gone.map((id) => `orderCanceled ${id}`));
});

test.each([
  ['an order that never was', at({ 1: cancel({ clientOrderId: 'nobody' }) }), ['orderUnknown']],
  ['an order that has just ended', at({ 1: order('buy', 1), 2: cancel({ clientOrderId: 'test-a-1' }) }), []],
  ['nothing at all', at({ 1: cancel() }), []],
])('canceling %s denies %j', async (_, script, codes) => {
  expect((await run([strategy('a', script)], { data: prices(100, 100) })).codes).toEqual(codes);
});

test('a fill after the cancel still arms its exits', async () => {
  const { HeldOrders } = await import('../../src/engine/held/held-orders.ts');
  const { OrderBuilder } = await import('../../src/engine/orders/order-builder.ts');
  const { ClientIds } = await import('../../src/engine/orders/client-ids.ts');
  const { applyAccount } = await import('../../src/state/apply.ts');
  const { filled, open, price, request, state } = await import('../state/builders.ts');
  const target = state();
  price(target, 100);
  const capabilities = { marketData: [], marketBuyByQuantity: true, futuresTriggers: true, batchLimit: 1 };
  const builder = new OrderBuilder(target, capabilities, new ClientIds('t'), new Decimal(0));
  const emitted: string[] = [];
  const held = new HeldOrders(
    target,
    builder,
    { now: () => 0, schedule: () => () => {} },
    {
      emit: ({ kind }) => emitted.push(kind),
      release() {},
      cancelAtVenue() {},
      cancel() {},
      isShared: () => false,
      slice: ({ steps = 0 }) => steps,
      now: () => 0,
      wake() {},
      lostExit: 'restore',
      stopLost() {},
    },
    false,
  );
  held.plan(request(), { stopTicks: 90, profitTicks: undefined });
  open(target);
  const canceled = { kind: 'orderCanceled', time: 0, clientOrderId: 'c1', reason: 'requested' } as const;
  applyAccount(target, canceled);
  held.onEnded(canceled);
  const late = filled({}, 4, 100);
  applyAccount(target, late);
  held.onFill(late.fill);
  expect(emitted).toEqual(['orderSubmitted', 'orderAccepted']);
});

test('at the end positions are closed at the last price if configured, after open orders are canceled', async () => {
  const script = at({ 1: order('buy', 10), 2: order('sell', 10, { type: 'limit', price: 200 }) });
  const result = await run([strategy('a', script)], { data: prices(100, 100, 95), closeAtEnd: true });
  expect(result.codes).toEqual([]);
  expect(result.filled).toEqual(['buy 10 at 100', 'sell 10 at 95']);
});

test('at the end a stop from onStop does not prevent the close of a position', async () => {
  const script: Script = {
    ...at({ 1: order('buy', 10) }),
    onStop: () => order('sell', 10, { type: 'stop', stopPrice: 50 }),
  };
  const result = await run([strategy('a', script)], { data: prices(100, 100, 95), closeAtEnd: true });
  expect(result.filled).toEqual(['buy 10 at 100', 'sell 10 at 95']);
  expect(result.tables.orders.find(({ type }) => type === 'stop')).toMatchObject({ status: 'canceled', filledQuantity: '0' });
});

test('at the end positions stay and are valued at the last price otherwise, and open orders expire', async () => {
  const script = at({ 1: [order('buy', 10), order('buy', 1, { type: 'limit', price: 50 })] });
  const result = await run([strategy('a', script)], { data: prices(100, 100, 95) });
  expect(result.state.portfolio.exactEquity().toFixed()).toBe('999950');
  expect(result.tables.orders.at(-1)).toMatchObject({ status: 'expired', reason: 'endOfRun' });
});

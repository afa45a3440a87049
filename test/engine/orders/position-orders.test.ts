import { expect, test } from '@jest/globals';
import type { OrderDenied } from '../../../src/model/account-events.ts';
import type { Fill } from '../../../src/model/fill.ts';
import type { InstrumentSpec } from '../../../src/model/instrument.ts';
import type { Intent } from '../../../src/model/intents.ts';
import { closePosition, place, sellAll, targetPosition } from '../../../src/strategy/intents.ts';
import { instrument, perpetual, run, type Scripted, series } from '../../builders.ts';

type Act = (self: Scripted) => Intent | undefined;

/** Runs one act a ticker, at prices of 100 unless given; spot with fees in coins unless it is a contract. */
async function acts(kind: 'spot' | 'netting' | 'futures', list: readonly Act[], spec: Partial<InstrumentSpec> = {}, prices: number[] = []) {
  const traded = kind === 'futures' ? perpetual() : instrument({ stepSize: '0.001', ...spec });
  const left = [...list];
  const firsts: number[] = [];
  const rows = Array.from({ length: list.length + 1 }, (_, index) => [index * 10, prices[index] ?? 100] as const);
  const result = await run({
    sources: [{ instrument: traded, kind: 'ticker', open: () => series('ticker', rows) }],
    kind,
    script: {
      onTicker(self) {
        firsts.push(self.held(traded.symbol).firstPrice);
        return left.shift()?.(self);
      },
    },
  });
  const denials = result.events.filter((event): event is OrderDenied => event.kind === 'orderDenied');
  return { fills: result.fills.map(text), denials: denials.map(({ reason }) => reason), firsts };
}

const text = ({ side, positionSide, quantity, price }: Fill) =>
  `${side} ${quantity} at ${price}${positionSide === 'net' ? '' : ` ${positionSide}`}`;
const symbol = 'BTC-USDT';
const PERP = 'BTC-USDT-PERP';
const buy =
  (quantity: number, of = symbol) =>
  () =>
    place({ symbol: of, side: 'buy', type: 'market', quantity });
const FEE = { takerFee: '0.001', makerFee: '0.001' };

test('closePosition closes a share, rounded down, or all of it, and does nothing while flat', async () => {
  const list = [buy(5), () => closePosition({ symbol, share: 0.3333 }), () => closePosition({ symbol }), () => closePosition({ symbol })];
  const { fills, denials } = await acts('netting', list);
  expect(fills).toEqual(['buy 5 at 100', 'sell 1.666 at 100', 'sell 3.334 at 100']);
  expect(denials).toEqual([]);
});

test('closePosition of a contract closes the sides that are open, or the one that is named', async () => {
  const short = () => place({ symbol: PERP, side: 'sell', positionSide: 'short', type: 'market', quantity: 2 });
  const list = [
    buy(3, PERP),
    short,
    () => closePosition({ symbol: PERP, positionSide: 'short', share: 0.5 }),
    () => closePosition({ symbol: PERP }),
  ];
  const { fills } = await acts('futures', list);
  expect(fills).toEqual(['buy 3 at 100 long', 'sell 2 at 100 short', 'buy 1 at 100 short', 'sell 3 at 100 long', 'buy 1 at 100 short']);
});

test('sellAll sells the coins that arrived, where the fee was taken in coins', async () => {
  const { fills, denials } = await acts('spot', [buy(5), () => sellAll({ symbol })], FEE);
  expect(fills).toEqual(['buy 5 at 100', 'sell 4.995 at 100']);
  expect(denials).toEqual([]);
});

test('fill.received is what can be sold, and the denial of a sell of what was bought names it', async () => {
  const received: number[] = [];
  const list = [buy(5), () => place({ symbol, side: 'sell', type: 'limit', price: 101, quantity: 5 })];
  const traded = instrument({ stepSize: '0.01', ...FEE });
  const left = [...list];
  const { events } = await run({
    sources: [
      {
        instrument: traded,
        kind: 'ticker',
        open: () =>
          series('ticker', [
            [0, 100],
            [10, 100],
            [20, 100],
          ]),
      },
    ],
    kind: 'spot',
    script: {
      onTicker: () => left.shift()?.(),
      onFill: (_, fill) => {
        received.push(fill.received);
      },
    },
  });
  // 5 - 0.005 = 4.995, on steps of 0.01.
  expect(received).toEqual([4.99]);
  const [denied] = events.filter((event): event is OrderDenied => event.kind === 'orderDenied');
  expect(denied?.reason).toMatchObject({ code: 'balanceTooLow', needed: '5', available: '4.995' });
  expect(denied?.reason.details?.advice).toMatch(/fill\.received.*sellAll.*closePosition/);
});

test('a lack of more than a fee has no such advice', async () => {
  const { denials } = await acts('spot', [buy(5), () => place({ symbol, side: 'sell', type: 'limit', price: 101, quantity: 6 })], FEE);
  expect(denials[0]).toMatchObject({ code: 'balanceTooLow' });
  expect(denials[0]?.details).not.toHaveProperty('advice');
});

test('a target places the difference from the position, and turns a net position', async () => {
  const to = (quantity: number) => () => targetPosition({ symbol, quantity });
  const { fills } = await acts('netting', [to(5), to(5), to(2), to(-3), to(0)]);
  expect(fills).toEqual(['buy 5 at 100', 'sell 3 at 100', 'sell 5 at 100', 'buy 3 at 100']);
});

test('a target on a contract closes one side and opens the other', async () => {
  const to = (quantity: number) => () => targetPosition({ symbol: PERP, quantity });
  const { fills } = await acts('futures', [to(5), to(-3)]);
  expect(fills).toEqual(['buy 5 at 100 long', 'sell 5 at 100 long', 'sell 3 at 100 short']);
});

test('a target by value counts equity and price, and its open orders', async () => {
  const limit = () => targetPosition({ symbol, quantity: { notional: 1000 }, type: 'limit', price: 50 });
  // 10 % of 1,000,000 at 100 is 1,000 coins. The limit for 1,000 at 50 asks for 20, and rests for 20 - 1,000 less.
  const { fills } = await acts('netting', [limit, limit, () => targetPosition({ symbol, quantity: { percentOfEquity: 10 } })]);
  expect(fills).toEqual(['buy 980 at 100']);
});

test('a target on spot is no short', async () => {
  const { denials } = await acts('spot', [() => targetPosition({ symbol, quantity: -1 })]);
  expect(denials).toEqual([{ code: 'orderInvalid', rule: 'a target on a spot account is 0 or more: it holds no short' }]);
});

test('firstPrice is the price of the fill that opened the position, until it is flat or turned', async () => {
  const sell = (quantity: number) => () => place({ symbol, side: 'sell', type: 'market', quantity });
  const { firsts } = await acts('netting', [buy(1), buy(1), sell(1), sell(3), buy(2), buy(1)], {}, [100, 110, 120, 130, 140, 150, 160]);
  expect(firsts).toEqual([0, 100, 100, 100, 130, 0, 150]);
});

test('an entry that fills at or beyond its target is counted, and the run warns', async () => {
  let placed = false;
  const { targetsBeyondFill } = await run({
    sources: [
      {
        instrument: instrument(),
        kind: 'bar',
        open: () =>
          series(
            'bar',
            [100, 110, 110].map((price, at) => [at * 60, price, price, price, price]),
          ),
      },
    ],
    script: {
      onBar() {
        if (placed) return undefined;
        placed = true;
        return place({ symbol, side: 'buy', type: 'market', quantity: 1, exits: { takeProfit: 105 } });
      },
    },
  });
  expect(targetsBeyondFill).toBe(1);
});

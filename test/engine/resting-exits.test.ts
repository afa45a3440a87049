import { expect, test } from '@jest/globals';
import { place, setTimer } from '../../src/strategy/intents.ts';
import { at, instrument, perpetual, run, series } from '../builders.ts';

const PERP = perpetual();
const SECONDS = (...prices: readonly number[]) => prices.map((price, second) => [second, price] as const);

/** Long of 2 from 100 on a futures account, with what it asks for; what fills, in order. */
async function filled(prices: readonly number[], exits: Parameters<typeof place>[0]['exits'], profile: 'full' | 'exchange') {
  const { fills, events, state } = await run({
    sources: [{ instrument: PERP, kind: 'ticker', open: () => series('ticker', SECONDS(...prices)) }],
    kind: 'futures',
    profile,
    balances: { USDT: '10000' },
    script: {
      onStart: () => setTimer({ name: 'enter', at: at(1) }),
      onTimer: () => place({ symbol: PERP.symbol, side: 'buy', type: 'market', quantity: 2, tag: 'in', exits }),
    },
  });
  expect(state.openOrders.size).toBe(0);
  const texts = fills.map(({ tag, side, steps, priceTicks, liquidity }) => `${tag} ${side} ${steps}@${priceTicks} ${liquidity}`);
  return { texts, kinds: events.map(({ kind }) => kind) };
}

test.each(['full', 'exchange'] as const)(
  'on futures, profile %s, a stop that waits at the venue fires beside a take profit that rests',
  async (profile) => {
    const exits = { stopLoss: { percent: 5 }, takeProfit: { distance: 10, maker: true } } as const;
    const lost = await filled([100, 100, 100, 104, 94, 94, 94], exits, profile);
    expect(lost.texts).toEqual(['in buy 2@100 taker', 'in:stopLoss sell 2@94 taker']);
    const gained = await filled([100, 100, 100, 104, 111, 111, 111, 90], exits, profile);
    expect(gained.texts).toEqual(['in buy 2@100 taker', 'in:takeProfit sell 2@110 maker']);
  },
);

test.each(['full', 'exchange'] as const)(
  'on futures, profile %s, a stop that trails takes back the take profit that rests',
  async (profile) => {
    const exits = { trail: { percent: 5 }, takeProfit: { price: 120, maker: true } } as const;
    const { texts } = await filled([100, 100, 100, 110, 104, 104, 104], exits, profile);
    // 5 % below 110 is 104.5, rounded away to 104.
    expect(texts).toEqual(['in buy 2@100 taker', 'in:trailingStop sell 2@104 taker']);
  },
);

test.each(['netting', 'futures'] as const)('%s: a take profit that rests grows with its position again', async (kind) => {
  const traded = kind === 'futures' ? PERP : instrument();
  let count = 0;
  const order = (side: 'buy' | 'sell', quantity: number, exits?: Parameters<typeof place>[0]['exits']) =>
    place({ symbol: traded.symbol, side, type: 'market', quantity, exits });
  const { fills } = await run({
    sources: [{ instrument: traded, kind: 'ticker', open: () => series('ticker', SECONDS(100, 100, 100, 100, 111, 111)) }],
    kind,
    balances: { USDT: '10000' },
    script: {
      onTicker: () => [order('buy', 10, { takeProfit: { price: 110, maker: true } }), order('sell', 6), order('buy', 8)][count++],
    },
  });
  expect(fills.map(({ side, steps, priceTicks }) => `${side} ${steps}@${priceTicks}`)).toEqual([
    'buy 10@100',
    'sell 6@100',
    'buy 8@100',
    'sell 10@110',
  ]);
});

import { expect, test } from '@jest/globals';
import { place } from '../../../src/strategy/intents.ts';
import { perpetual, type Row, run, type Script, Scripted, series } from '../../builders.ts';

const PERP = perpetual();
const order = { symbol: PERP.symbol, type: 'market', quantity: 1 } as const;
const strategy = (id: string, script: Script) => ({
  id,
  symbols: [PERP.symbol],
  params: {},
  create: (context: ConstructorParameters<typeof Scripted>[0]) => new Scripted(context, script),
});
const tickers: Row[] = [
  [0, 100],
  [10, 90],
  [20, 110],
  [30, 110],
];

test("a resting close ends with its strategy's position: it never closes that of another", async () => {
  const { state, events } = await run({
    kind: 'futures',
    balances: { USDT: '1000' },
    sources: [{ instrument: PERP, kind: 'ticker', open: () => series('ticker', tickers) }],
    strategies: [
      strategy('a', {
        onTicker: (self) => (self.world.sequence > 1 ? undefined : place({ ...order, side: 'buy', exits: { stopLoss: 95 }, tag: 'in' })),
        // A second close of the same position, at a limit that 110 would fill.
        onFill: (_self, { tag }) =>
          tag === 'in' ? place({ ...order, type: 'limit', price: 105, side: 'sell', positionSide: 'long', tag: 'rest' }) : undefined,
      }),
      strategy('b', { onTicker: (self) => (self.world.sequence > 1 ? undefined : place({ ...order, side: 'buy' })) }),
    ],
  });
  // The stop fills at 90: a is flat, and b goes on holding one.
  expect(
    events.flatMap((event) =>
      event.kind === 'orderFilled' ? [`${event.fill.strategyId} ${event.fill.side} ${event.fill.priceTicks}`] : [],
    ),
  ).toEqual(['a buy 100', 'b buy 100', 'a sell 90']);
  const ended = events.flatMap((event) => (event.kind === 'orderCanceled' ? [[state.order(event.clientOrderId)?.tag, event.reason]] : []));
  expect(ended).toEqual([['rest', 'linked']]);
  expect(['a', 'b'].map((id) => state.books.get(id)?.position(PERP, 'long').steps)).toEqual([0, 1]);
  expect(state.position(PERP, 'long').steps).toBe(1);
});

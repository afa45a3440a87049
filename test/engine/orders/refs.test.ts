import { expect, test } from '@jest/globals';
import { encode, revive } from '../../../src/journal/codec.ts';
import type { NamedOrderEvent, OrderEvent } from '../../../src/model/account-events.ts';
import { cancel, place, protect } from '../../../src/strategy/intents.ts';
import { instrument, order, run, type Script, series } from '../../builders.ts';

const BTC = instrument();
const prices = (...ticks: number[]) =>
  series(
    'ticker',
    ticks.map((price, index) => [index * 10, price] as const),
  );
const runOf = (script: Script, ticks: readonly number[]) =>
  run({ sources: [{ instrument: BTC, kind: 'ticker', open: () => prices(...ticks) }], script });

/** What the strategy receives, with the names of the order that each event is about. */
function watching(script: Script): { script: Script; seen: string[]; fills: string[] } {
  const [seen, fills]: string[][] = [[], []];
  return {
    seen: seen!,
    fills: fills!,
    script: {
      ...script,
      onOrder(_, event: OrderEvent) {
        const { kind, symbol, side, tag, ref } = event as NamedOrderEvent;
        seen!.push([kind, symbol, side, tag, ref].join(' '));
      },
      onFill(_, { ref }) {
        fills!.push(ref);
      },
    },
  };
}

const LIMIT = { symbol: 'BTC-USDT', side: 'buy', type: 'limit', quantity: 1 } as const;

test('every event of an order shows its symbol, side, tag and ref', async () => {
  const { script, seen, fills } = watching({
    onTicker(self, { lastTicks }) {
      if (lastTicks === 100) return [place({ ...LIMIT, price: 90, tag: 't', ref: 'bid-1' }), place({ ...LIMIT, price: 80, ref: 'bid-2' })];
      if (lastTicks === 89) return cancel({ ref: 'bid-2' });
      return self.open().length > 0 ? undefined : place({ ...LIMIT, side: 'sell', price: 0, ref: 'bad' });
    },
  });
  await runOf(script, [100, 89, 95]);
  expect(seen).toEqual([
    'orderSubmitted BTC-USDT buy t bid-1',
    'orderSubmitted BTC-USDT buy  bid-2',
    'orderAccepted BTC-USDT buy t bid-1',
    'orderAccepted BTC-USDT buy  bid-2',
    'orderFilled BTC-USDT buy t bid-1',
    'cancelSubmitted BTC-USDT buy  bid-2',
    'orderCanceled BTC-USDT buy  bid-2',
    'orderDenied BTC-USDT sell  bad',
  ]);
  expect(fills).toEqual(['bid-1']);
});

test('cancel({ ref }) cancels all open orders of this name and no other; the getter shows it', async () => {
  let open: string[] = [];
  const { script, seen } = watching({
    onTicker(self, { lastTicks }) {
      if (lastTicks === 100) return ['bid', 'bid', 'bid-1', undefined].map((ref) => place({ ...LIMIT, price: 90, ref }));
      if (lastTicks === 101) return cancel({ ref: 'bid' });
      open = self.open().map(({ ref }) => ref);
      return undefined;
    },
  });
  await runOf(script, [100, 101, 102]);
  expect(open).toEqual(['bid-1', '']);
  expect(seen.filter((line) => line.startsWith('orderCanceled'))).toHaveLength(2);
});

test('exits have the ref of their entry, or of the protection, with the name of the exit', async () => {
  const refs = new Set<string>();
  const tags = new Set<string>();
  await runOf(
    {
      onTicker(self, { lastTicks }) {
        for (const { ref, tag } of self.open()) {
          refs.add(ref);
          tags.add(tag);
        }
        const entry = { symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 1 } as const;
        if (lastTicks === 100) return place({ ...entry, ref: 'e', exits: { stopLoss: 90, takeProfit: 120 } });
        if (lastTicks === 101) return protect({ symbol: 'BTC-USDT', side: 'sell', quantity: 1, trailBy: 15, ref: 'safe', tag: 'x' });
        return undefined;
      },
    },
    [100, 101, 102, 103],
  );
  expect([...refs]).toEqual(['e:stopLoss', 'e:takeProfit', 'safe:trailingStop']);
  expect([...tags]).toEqual(['stopLoss', 'takeProfit', 'x:trailingStop']);
});

test('a ref is a text', () => {
  expect(() => place({ ...LIMIT, price: 1, ref: 3 as unknown as string })).toThrow('ref is a text that is not empty, not 3');
  expect(() => cancel({ ref: '' })).toThrow('ref is a text that is not empty, not an empty one');
});

test('the journal keeps a ref with its order, and orders without one as before', () => {
  const instruments = new Map([['BTC-USDT', BTC]]);
  const named = order({ instrument: BTC, ref: 'bid-3' });
  expect(revive(encode(named), instruments)).toMatchObject({ ref: 'bid-3' });
  expect(encode(order({ instrument: BTC }))).not.toContain('ref');
});

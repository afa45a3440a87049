import { expect, test } from '@jest/globals';
import { encode, revive } from '../../../src/journal/codec.ts';
import { eventText } from '../../../src/journal/event-log.ts';
import type { NamedOrderEvent, OrderEvent } from '../../../src/model/account-events.ts';
import { cancel, place } from '../../../src/strategy/intents.ts';
import { instrument, order, run, series } from '../../builders.ts';

const BTC = instrument();
const prices = (...ticks: number[]) => [
  {
    instrument: BTC,
    kind: 'ticker' as const,
    open: () =>
      series(
        'ticker',
        ticks.map((price, index) => [index * 10, price] as const),
      ),
  },
];
const LIMIT = { symbol: 'BTC-USDT', side: 'buy', type: 'limit', quantity: 1 } as const;

test('a group is on every event and fill of its orders and of their exits, and cancel({ group }) cancels them', async () => {
  const seen: string[] = [];
  const groups: string[] = [];
  await run({
    sources: prices(100, 89, 95, 96),
    script: {
      onTicker(_, { lastTicks }) {
        if (lastTicks === 100) {
          const exits = { stopLoss: 50, takeProfit: 150 };
          return [place({ ...LIMIT, price: 90, group: 'pair-1', exits }), place({ ...LIMIT, price: 80 })];
        }
        if (lastTicks === 95) return [cancel({ group: 'pair-1' }), place({ ...LIMIT, side: 'sell', price: 0, group: 'pair-2' })];
        return undefined;
      },
      onOrder(_, event: OrderEvent) {
        const { kind, tag, group } = event as NamedOrderEvent;
        seen.push([kind, tag, group].join(' ').trim());
      },
      onFill(_, { group }) {
        groups.push(group);
      },
    },
  });
  expect(seen).toEqual([
    'orderSubmitted  pair-1',
    'orderSubmitted',
    'orderAccepted  pair-1',
    'orderAccepted',
    'orderFilled  pair-1',
    'orderSubmitted stopLoss pair-1',
    'orderAccepted stopLoss pair-1',
    'orderSubmitted takeProfit pair-1',
    'orderAccepted takeProfit pair-1',
    'orderCanceled stopLoss pair-1',
    'orderCanceled takeProfit pair-1',
    'orderDenied  pair-2',
    'orderExpired',
  ]);
  expect(groups).toEqual(['pair-1']);
});

test('the event log and the journal have a group only where an order has one', () => {
  const submitted = (request: ReturnType<typeof order>): OrderEvent => ({
    kind: 'orderSubmitted',
    time: 0,
    clientOrderId: 'a',
    request,
    type: 'market',
    stopTicks: undefined,
    again: false,
  });
  const [grouped, plain] = [order({ instrument: BTC, group: 'pair-1' }), order({ instrument: BTC })];
  expect(eventText(submitted(grouped))).toContain('"tag":"","group":"pair-1","decided"');
  expect(eventText(submitted(plain))).not.toContain('group');
  expect(revive(encode(grouped), new Map([['BTC-USDT', BTC]]))).toMatchObject({ group: 'pair-1' });
  expect(encode(plain)).not.toContain('group');
});

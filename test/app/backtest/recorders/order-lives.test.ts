import { describe, expect, test } from '@jest/globals';
import { Subject } from 'rxjs';
import { OrderLives } from '../../../../src/app/backtest/recorders/chart-recorder.ts';
import type { AccountEvent, OrderSubmitted } from '../../../../src/model/account-events.ts';
import { Decimal } from '../../../../src/model/decimal.ts';
import type { OrderType } from '../../../../src/model/order.ts';
import { plainOrder } from '../../../../src/report/page-report.ts';
import { instrument, order } from '../../../builders.ts';
import { fill } from '../../../statistics/builders.ts';

const BTC = instrument();
const ETH = instrument({ symbol: 'ETH-USDT' }, 1);

function livesOf(events: readonly AccountEvent[], of = BTC) {
  const lives = new OrderLives();
  const account$ = new Subject<AccountEvent>();
  lives.observe({ account$ });
  for (const event of events) account$.next(event);
  return Array.from(lives.of(of), plainOrder);
}

interface Placing {
  readonly time?: number;
  readonly steps?: number;
  readonly price?: number;
  readonly stop?: number;
  readonly again?: boolean;
  readonly id?: string;
  readonly in?: typeof BTC;
}

function placed({ time = 1_000, steps = 3, price, stop, again = false, id = 'a', in: of = BTC }: Placing = {}): OrderSubmitted {
  const type: OrderType = stop === undefined ? (price === undefined ? 'market' : 'limit') : 'stop';
  const request = order({ clientOrderId: id, instrument: of, steps, priceTicks: price, tag: 'in' });
  return { kind: 'orderSubmitted', time, clientOrderId: id, request, type, stopTicks: stop, again };
}

const filled = (time: number, quantity: string, complete: boolean): AccountEvent => ({
  kind: 'orderFilled',
  time,
  clientOrderId: 'a',
  fill: fill({ side: 'buy', quantity, price: '100', instrument: BTC }),
  complete,
});
const of = { clientOrderId: 'a' } as const;

test('an order that rests is a life from its placing to its last fill', () => {
  expect(livesOf([placed({ price: 100 }), filled(2_000, '1', false), filled(3_000, '2', true)])).toEqual([
    {
      time: 1_000,
      endTime: 3_000,
      side: 'buy',
      type: 'limit',
      price: 100,
      stopPrice: undefined,
      size: '3',
      tag: 'in',
      state: 'filled',
      changes: [],
    },
  ]);
});

describe('an order that ended otherwise has its reason', () => {
  test.each<[string, AccountEvent]>([
    ['canceled (requested)', { kind: 'orderCanceled', time: 5_000, ...of, reason: 'requested' }],
    ['expired (ioc)', { kind: 'orderExpired', time: 5_000, ...of, reason: 'ioc' }],
    ['rejected (postOnlyWouldTake)', { kind: 'orderRejected', time: 5_000, ...of, reason: { code: 'postOnlyWouldTake' } as never }],
    [
      'denied (balanceTooLow)',
      { kind: 'orderDenied', time: 5_000, ...of, strategyId: 's', symbol: 'BTC-USDT', tag: '', reason: { code: 'balanceTooLow' } as never },
    ],
  ])('%s', (state, event) => {
    expect(livesOf([placed({ price: 100 }), event])).toMatchObject([{ endTime: 5_000, state }]);
  });

  test('with the part that was filled before', () => {
    const canceled: AccountEvent = { kind: 'orderCanceled', time: 5_000, ...of, reason: 'requested' };
    expect(livesOf([placed({ price: 100 }), filled(2_000, '1', false), canceled])).toMatchObject([
      { state: '1 filled, canceled (requested)' },
    ]);
  });

  test('or is still open', () => {
    expect(livesOf([placed({ price: 100 })])).toMatchObject([{ endTime: undefined, state: 'open' }]);
    expect(livesOf([placed({ price: 100 }), filled(2_000, '1', false)])).toMatchObject([{ state: '1 filled, open' }]);
  });
});

test('a held order that is resized and sent is one entry with its changes', () => {
  const lives = livesOf([placed({ stop: 90, steps: 1 }), placed({ time: 2_000, stop: 90, steps: 3, again: true })]);
  expect(lives).toMatchObject([{ stopPrice: 90, size: '1', changes: [{ time: 2_000, stopPrice: 90, size: '3' }] }]);
});

test('an order by an amount of quote shows the amount', () => {
  const request = order({ instrument: BTC, quoteQuantity: new Decimal('250.5') });
  expect(livesOf([{ ...placed(), request }])).toMatchObject([{ size: '250.5 USDT', price: undefined, stopPrice: undefined }]);
});

test('each instrument has its own orders, as they were placed', () => {
  const events = [placed({ id: 'a' }), placed({ id: 'b', in: ETH }), placed({ id: 'c', time: 2_000 })];
  expect(livesOf(events).map(({ time }) => time)).toEqual([1_000, 2_000]);
  expect(livesOf(events, ETH)).toHaveLength(1);
});

import { describe, expect, test } from '@jest/globals';
import type { OrderFilled, VenueEvent } from '../../../src/model/account-events.ts';
import { ORDER_TRANSITIONS, type OrderStatus } from '../../../src/model/order-state.ts';
import { PossibleEvents } from '../../../src/venues/rest/possible-events.ts';
import { instrument, order, T0 } from '../../builders.ts';

const BTC = instrument({ symbol: 'BTC-USDT' });
const at = { time: T0, clientOrderId: 'a' };
const accepted: VenueEvent = { kind: 'orderAccepted', ...at, orderId: '1', held: false };
const canceled: VenueEvent = { kind: 'orderCanceled', ...at, reason: 'external' };
const filled = (complete: boolean): OrderFilled => ({
  kind: 'orderFilled',
  ...at,
  fill: { instrument: BTC } as OrderFilled['fill'],
  complete,
});
const adopted: VenueEvent = {
  kind: 'orderAdopted',
  ...at,
  orderId: '1',
  request: order({ instrument: BTC, clientOrderId: 'a' }),
  filledSteps: 0,
  filledNotional: BTC.notional(1, 0),
  fillIds: [],
};

/** The run has the order "a" with this status; without one, it has none. */
const events = (status?: OrderStatus) => new PossibleEvents(() => (status === undefined ? undefined : { status, instrument: BTC }));

describe('an event of the venue', () => {
  test.each(Object.keys(ORDER_TRANSITIONS) as OrderStatus[])(
    'is reported where the table of orders has it, and nowhere else (%s)',
    (status) => {
      const row = ORDER_TRANSITIONS[status];
      expect(events(status).contradiction(accepted) === undefined).toBe(row.orderAccepted !== undefined);
      expect(events(status).contradiction(canceled) === undefined).toBe(row.orderCanceled !== undefined);
      expect(events(status).contradiction(filled(true)) === undefined).toBe(row.fullyFilled !== undefined);
    },
  );

  test('is compared with what was reported before it, until the run has applied that', () => {
    const seen = events('accepted');
    expect(seen.contradiction(filled(true))).toBeUndefined();
    expect(seen.contradiction(canceled)).toEqual({
      reason: 'answers of the exchange contradict order a: it is filled, and they would make it orderCanceled',
      instrument: BTC,
    });
    // The run says otherwise than the test expects of it: its word counts.
    seen.applied();
    expect(seen.contradiction(canceled)).toBeUndefined();
    // It is sent again under its id.
    seen.sent('a');
    expect(seen.contradiction(accepted)).toBeUndefined();
  });

  test('of an order that the run does not have halts the instrument of its fill, or all', () => {
    expect(events().contradiction(filled(false))).toMatchObject({ instrument: BTC });
    expect(events().contradiction(canceled)).toEqual({
      reason: 'answers of the exchange contradict order a: it is not known, and they would make it orderCanceled',
      instrument: undefined,
    });
  });

  test('adopts an order once', () => {
    const seen = events();
    expect([seen.contradiction(adopted), seen.contradiction(filled(true))]).toEqual([undefined, undefined]);
    expect(seen.contradiction(adopted)?.reason).toContain('it is known');
  });

  test('of money, health and positions concerns no order', () => {
    const health: VenueEvent = {
      kind: 'healthChanged',
      time: T0,
      subject: 'instrument',
      symbol: 'BTC-USDT',
      condition: 'halted',
      reason: 'x',
    };
    expect(events().contradiction(health)).toBeUndefined();
  });
});

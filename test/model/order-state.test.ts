import { expect, test } from '@jest/globals';
import { isTerminal, ORDER_TRANSITIONS, type OrderStateEvent, type OrderStatus } from '../../src/model/order-state.ts';

const EVENTS: readonly OrderStateEvent[] = [
  'orderSubmitted',
  'orderAccepted',
  'orderTriggered',
  'partlyFilled',
  'fullyFilled',
  'cancelSubmitted',
  'orderCanceled',
  'cancelRejected',
  'orderRejected',
  'orderExpired',
  'orderDenied',
  'orderUnknown',
  'orderVanished',
];

/**
 * Written down a second time, from design section 6 and by column: submitted, accepted, triggered, partially
 * filled, canceled, cancel rejected and so on, in the order of EVENTS. A dash: the order cannot have the event.
 */
const TABLE: Readonly<Record<OrderStatus, string>> = {
  //               submitted accepted        triggered       partly          fully  cancelSub      canceled cancelRejected  rejected expired denied unknown vanished
  submitted:
    '       -         accepted        -               partiallyFilled filled cancelPending canceled -               rejected expired -      unknown -',
  accepted:
    '        accepted  accepted        triggered       partiallyFilled filled cancelPending canceled accepted        rejected expired denied unknown vanished',
  triggered:
    '       triggered triggered       -               partiallyFilled filled cancelPending canceled triggered       rejected expired denied unknown vanished',
  partiallyFilled:
    ' -         partiallyFilled partiallyFilled partiallyFilled filled cancelPending canceled partiallyFilled -        expired -      unknown vanished',
  // Submitted again: an order that its fill sizes while the cancel is on its way.
  cancelPending:
    ' cancelPending cancelPending   cancelPending   cancelPending   filled cancelPending canceled accepted        rejected expired -      unknown vanished',
  unknown:
    '         -         accepted        triggered       partiallyFilled filled unknown       canceled unknown         rejected expired -      unknown -',
  vanished:
    '        -         accepted        triggered       partiallyFilled filled vanished      canceled vanished        rejected expired -      -       -',
  canceled:
    '        -         canceled        canceled        canceled        filled canceled      -        canceled        -        -       -      - -',
  expired:
    '         -         expired         expired         expired         filled expired       -        expired         -        -       -      - -',
  filled:
    '          -         filled          filled          -               -      filled        -        filled          -        -       -      - -',
  rejected:
    '        -         accepted        -               partiallyFilled filled rejected      -        rejected        -        -       -      - -',
  denied:
    '          -         -               -               -               -      -             -        denied          -        -       -      - -',
};

const STATUSES = Object.keys(TABLE) as OrderStatus[];
const PAIRS = STATUSES.flatMap((status) => {
  const cells = TABLE[status].trim().split(/\s+/);
  return EVENTS.map((event, index) => [status, event, cells[index]!] as const);
});

test('the table of this test has a cell for every state and event', () => {
  expect(Object.keys(ORDER_TRANSITIONS).sort()).toEqual([...STATUSES].sort());
  for (const status of STATUSES) expect(TABLE[status].trim().split(/\s+/)).toHaveLength(EVENTS.length);
});

test.each(PAIRS)('%s + %s: %s', (status, event, next) => {
  expect(ORDER_TRANSITIONS[status][event] ?? '-').toBe(next);
});

test.each(STATUSES)('%s is terminal exactly when no event can follow', (status) => {
  expect(isTerminal(status)).toBe(['filled', 'canceled', 'rejected', 'denied', 'expired', 'vanished'].includes(status));
});

test('nothing but a late fill leaves a terminal state, and only for one that a fill completes; any record leaves vanished and rejected', () => {
  for (const status of STATUSES.filter((one) => isTerminal(one) && one !== 'vanished' && one !== 'rejected')) {
    const others = Object.entries(ORDER_TRANSITIONS[status]).filter(([, next]) => next !== status);
    expect(others.every(([event, next]) => event === 'fullyFilled' && next === 'filled')).toBe(true);
  }
});

test('whatever is still open may be lost sight of, and nothing that has ended', () => {
  for (const status of STATUSES) expect(ORDER_TRANSITIONS[status].orderUnknown).toBe(isTerminal(status) ? undefined : 'unknown');
});

test('an unknown order accepts every proof: that it is open, that it filled, that it has ended, that it never existed', () => {
  const proofs = [
    'orderAccepted',
    'orderTriggered',
    'partlyFilled',
    'fullyFilled',
    'orderCanceled',
    'orderExpired',
    'orderRejected',
  ] as const;
  expect(proofs.map((proof) => ORDER_TRANSITIONS.unknown[proof])).not.toContain(undefined);
});

test('an order that was refused and is there all the same is open again, or filled', () => {
  const records = ['orderAccepted', 'partlyFilled', 'fullyFilled'] as const;
  expect(records.map((record) => ORDER_TRANSITIONS.rejected[record])).toEqual(['accepted', 'partiallyFilled', 'filled']);
});

test('a vanished order is taken up again by any record of it, and only an order that the venue had confirmed can vanish', () => {
  const records = ['orderAccepted', 'orderTriggered', 'partlyFilled', 'fullyFilled', 'orderCanceled', 'orderExpired'] as const;
  expect(records.map((record) => ORDER_TRANSITIONS.vanished[record])).toEqual([
    'accepted',
    'triggered',
    'partiallyFilled',
    'filled',
    'canceled',
    'expired',
  ]);
  expect(STATUSES.filter((status) => ORDER_TRANSITIONS[status].orderVanished !== undefined)).toEqual([
    'accepted',
    'triggered',
    'partiallyFilled',
    'cancelPending',
  ]);
});

import { describe, expect, test } from '@jest/globals';
import { TidegateError } from '../../../src/model/errors.ts';
import type { OrderRequest } from '../../../src/model/order.ts';
import type { Ask } from '../../../src/venues/reconcile/records.ts';
import { RECONCILE_DEFAULTS } from '../../../src/venues/reconcile/settings.ts';
import { Asked, fill, noReply } from './asked.ts';

const { lookupMs } = RECONCILE_DEFAULTS;

/** Three bids whose look-ups are due, `a` first. */
async function threeDue(): Promise<Asked> {
  const made = await Asked.begun();
  for (const clientOrderId of ['a', 'b', 'c']) {
    made.rest(clientOrderId);
    made.now++;
  }
  made.now += lookupMs;
  return made;
}

/** Fails these questions, each by its own error. */
const failing =
  (...words: string[]) =>
  (question: Ask) => {
    const word = question.ask === 'order' && 'orderId' in question.id ? question.id.orderId : question.ask;
    if (words.includes(word)) throw noReply(word);
  };

describe('a round', () => {
  test('asks for fills and money, then for each order that is due', async () => {
    const made = await threeDue();
    expect(await made.round()).toEqual(['fills', 'picture', 'order a', 'order b', 'order c']);
    expect(await made.round(1_000)).toEqual(['fills', 'picture']);
  });

  test('looks up the orders that are due although fills could not be read, and fails then', async () => {
    const made = await threeDue();
    made.fails = failing('fills');
    await expect(made.round()).rejects.toThrow('fills');
    expect(made.words).toEqual(['fills', 'order a', 'order b', 'order c']);
    // Fills are due again at once.
    made.fails = () => {};
    expect(await made.round()).toEqual(['fills', 'picture']);
  });

  test('ends after two failures in a row, with the first of them', async () => {
    const made = await threeDue();
    made.fails = failing('fills', 'v-a', 'v-b');
    await expect(made.round()).rejects.toThrow('fills');
    expect(made.words).toEqual(['fills', 'order a']);
  });

  test('goes on where an answer is between two failures, and fails with the first of them', async () => {
    const made = await threeDue();
    made.fails = failing('fills', 'v-b');
    await expect(made.round()).rejects.toThrow('fills');
    expect(made.words).toEqual(['fills', 'order a', 'order b', 'order c']);
  });

  test('ends at once with an error that is none of the exchange, whatever failed before', async () => {
    const made = await threeDue();
    made.fails = (question) => {
      failing('fills')(question);
      if (question.ask === 'order') throw new TidegateError('INVARIANT_BROKEN', 'a bug');
    };
    await expect(made.round()).rejects.toThrow('a bug');
    expect(made.words).toEqual(['fills', 'order a']);
  });

  test('looks up first what has waited longest while requests wait for weight', async () => {
    const made = await threeDue();
    made.account.orders.find('c')!.lookAt = made.now - 2_000;
    made.scarce = true;
    expect((await made.round()).slice(2)).toEqual(['order c', 'order a', 'order b']);
  });

  test('accepts for each look-up the lists of what is over that were requested since it was due', async () => {
    const made = await threeDue();
    const due = ['a', 'b', 'c'].map((id) => made.account.orders.find(id)!.lookAt);
    await made.round();
    expect(made.asked.flatMap((one) => (one.ask === 'order' ? [one.since] : []))).toEqual(due);
  });
});

describe('a list of the open orders', () => {
  test('stands for the look-up of an order that it shows as it is known', async () => {
    const made = await Asked.begun();
    made.rest('a');
    made.listed = ['a'];
    for (let round = 0; round < 4; round++) expect(await made.round(lookupMs - 1_000, true)).toEqual(['fills', 'picture', 'openOrders']);
    // Without lists it is looked up when that time has passed.
    expect(await made.round(lookupMs - 1)).toEqual(['fills', 'picture']);
    expect(await made.round(1)).toEqual(['order a']);
  });

  test.each<[string, (made: Asked) => void]>([
    ['shows more of it filled', (made) => made.orders.set('a', { ...made.orders.get('a')!, filled: made.orders.get('a')!.quantity! })],
    ['shows it on its way out', (made) => made.orders.set('a', { ...made.orders.get('a')!, status: 'canceling' })],
    ['lacks it', (made) => made.listed.pop()],
  ])('does not where it %s', async (_, change) => {
    const made = await Asked.begun();
    made.rest('a');
    made.listed = ['a'];
    change(made);
    expect(await made.round(lookupMs, true)).toContain('order a');
  });

  test('reports orders as they were placed, whatever its own order', async () => {
    const made = await Asked.begun();
    for (const clientOrderId of ['a', 'b', 'c']) made.account.life.outcomeUnknown(made.place(clientOrderId), false);
    made.events.length = 0;
    made.listed = ['c', 'a', 'b'];
    await made.round(0, true);
    const accepted = made.events.flatMap((event) => (event.kind === 'orderAccepted' ? [event.clientOrderId] : []));
    expect(accepted).toEqual(['a', 'b', 'c']);
  });
});

describe('an order that an answer refused', () => {
  async function refused(request: Partial<OrderRequest> = {}): Promise<Asked> {
    const made = await Asked.begun();
    made.account.life.refused(made.place('a', request), { code: 'venueRefused', venueCode: '40020', message: '' });
    made.events.length = 0;
    return made;
  }
  const told = ({ events }: Asked) => events.flatMap(({ kind }) => (kind.startsWith('order') ? [kind] : []));

  test('is open again where the list of open orders shows it', async () => {
    const made = await refused();
    made.listed = ['a'];
    await made.round(0, true);
    expect([told(made), made.account.orders.find('a')!.phase]).toEqual([['orderAccepted'], 'open']);
  });

  test('stays refused as an exit, which may have been sent again, and is canceled', async () => {
    const made = await refused({ reduceOnly: true });
    made.listed = ['a'];
    // Twice the lag of 5 s.
    for (let round = 0; round < 12; round++) await made.round(1_000, true);
    expect([told(made), made.takenBack]).toEqual([[], ['a']]);
  });

  test('is open again with a fill that names it', async () => {
    const made = await refused();
    made.fills = [fill(4)];
    await made.round(0, true);
    expect(told(made)).toEqual(['orderAccepted', 'orderFilled']);
  });

  test('is not looked up, for lists show it', async () => {
    const made = await refused();
    for (let round = 0; round < 20; round++) expect(await made.round(1_000, true)).not.toContain('order a');
  });
});

test('a trigger that one record shows as fired, and later ones as waiting, waits; once it fires, that is no news', async () => {
  const made = await Asked.begun();
  const { visibilityLagMs } = RECONCILE_DEFAULTS;
  const placed = made.rest('a', { triggerTicks: 110, priceTicks: 100 });
  const waiting = { ...made.orders.get('a')!, status: 'untriggered', isTriggered: false } as const;
  const show = async (record: object) => {
    made.orders.set('a', { ...waiting, ...record });
    placed.lookAt = made.now;
    await made.round(1_000, true);
    return placed.waitsForTrigger;
  };
  expect(await show({ ...waiting, status: 'open', isTriggered: true })).toBe(false);
  // An older record than the last one.
  expect(await show(waiting)).toBe(false);
  await made.round(visibilityLagMs);
  expect(await show(waiting)).toBe(true);
  expect(await show({ ...waiting, status: 'open', isTriggered: true })).toBe(false);
  expect(made.events.filter(({ kind }) => kind === 'orderTriggered')).toHaveLength(1);
});

test('the order of a fired trigger that no list shows has ended once the fills of that time are known', async () => {
  const made = await Asked.begun();
  const { visibilityLagMs } = RECONCILE_DEFAULTS;
  const placed = made.rest('a', { triggerTicks: 110, priceTicks: 100 });
  made.orders.set('a', { ...made.orders.get('a')!, status: 'pending', isTriggered: true, triggeredAt: made.now });
  made.fails = failing('fills');
  // It is missed, missed a lag later, and over a lag later: fills alone could still name it.
  for (let rounds = 0; rounds < 40; rounds++) await made.round(visibilityLagMs).catch(() => {});
  expect(placed.phase).toBe('open');
  made.fails = () => {};
  for (let rounds = 0; rounds < 2; rounds++) await made.round(visibilityLagMs);
  expect(placed.phase).toBe('ended');
});

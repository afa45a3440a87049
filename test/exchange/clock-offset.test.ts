import { expect, test } from '@jest/globals';
import { ClockOffset } from '../../src/exchange/client/clock-offset.ts';
import { ManualClock } from './manual-clock.ts';

const START = 1_700_000_000_000;

/** A clock, an offset that lasts a minute, and answers that the test gives. */
function setUp() {
  const clock = new ManualClock(START);
  const offset = new ClockOffset(clock, 60_000);
  const asked: { answer: (time: number) => void; fail: () => void }[] = [];
  const ask = () =>
    new Promise<number>((resolve, reject) => {
      asked.push({ answer: resolve, fail: () => reject(new Error('no such endpoint')) });
    });
  return { clock, offset, asked, ask };
}

test("the exchange's time is that of its answer, halfway between sending and hearing", async () => {
  const { clock, offset, asked, ask } = setUp();
  const measured = offset.measure(ask);
  await clock.advance(200);
  asked[0]!.answer(START + 5_100);
  await measured;
  expect(offset.offsetMs).toBe(5_000);
  expect(offset.serverTime()).toBe(START + 5_200);
});

test('calls wait for the first measurement, and not for a later one', async () => {
  const { clock, offset, asked, ask } = setUp();
  let isThere = false;
  void offset.refresh(ask).then(() => {
    isThere = true;
  });
  await clock.advance(10);
  expect(isThere).toBe(false);
  asked[0]!.answer(START + 5);
  await clock.advance(60_001);
  expect(isThere).toBe(true);
  await offset.refresh(ask);
  expect(asked).toHaveLength(2);
  await offset.refresh(ask);
  expect(asked).toHaveLength(2);
});

/** Offsets that the exchange answers at once, one per query, and the offset that is known after each measurement. */
async function measured(...measurements: readonly (readonly number[])[]) {
  const { clock, offset } = setUp();
  const known: unknown[] = [];
  for (const answers of measurements) {
    await clock.advance(1_000);
    const left = [...answers];
    const outcome = await offset
      .measure(() => Promise.resolve(clock.now() + left.shift()!))
      .then(
        () => offset.offsetMs,
        (error: { code: string }) => error.code,
      );
    known.push(left.length === 0 ? outcome : 'unread answers');
  }
  return { known, offset };
}

const DAY = 86_400_000;

test.each([
  ['the first one may be 30 s from our clock', [[30_000]], [30_000]],
  ['further away, the next one must agree with it', [[DAY, DAY + 1_000]], [DAY + 1_000]],
  ['one that is wrong is not believed', [[DAY, 5]], [5]],
  ['a later one may differ by 1 s from the last, and a thousandth of the time between', [[5], [1_006]], [5, 1_006]],
  ['a larger jump counts when two agree on it', [[5], [2_000, 2_001]], [5, 2_001]],
  ['a wrong one between right ones changes nothing', [[5], [-DAY, 6]], [5, 6]],
  ['three that contradict each other are no measurement', [[5], [DAY, 2 * DAY, -DAY]], [5, 'EXCHANGE_UNREADABLE']],
] as const)('of answers about the time %s', async (_, answers, known) => {
  expect((await measured(...answers)).known).toEqual(known);
});

test('after answers in doubt the last measurement stays in use, and another one follows 10 s later', async () => {
  const { clock, offset } = setUp();
  await offset.measure(() => Promise.resolve(clock.now() + 5));
  await clock.advance(60_000);
  let asked = 0;
  const refresh = async () => {
    await offset.refresh(() => Promise.resolve(clock.now() + ++asked * DAY));
    await clock.advance(0);
  };
  await refresh();
  expect([offset.offsetMs, asked]).toEqual([5, 3]);
  await clock.advance(9_999);
  await refresh();
  expect(asked).toBe(3);
  await clock.advance(1);
  await refresh();
  expect(asked).toBe(6);
});

test('a missing endpoint is not queried each time', async () => {
  const { clock, offset, asked, ask } = setUp();
  const first = offset.refresh(ask);
  await clock.advance(0);
  asked[0]!.fail();
  await first;
  await offset.refresh(ask);
  expect(asked).toHaveLength(1);
  expect(offset.offsetMs).toBe(0);
});

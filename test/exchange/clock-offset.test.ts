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

import { describe, expect, test } from '@jest/globals';
import { type Ask, type Asking, answered, ask } from '../../../src/venues/reconcile/records.ts';
import { exchangeError } from '../rest/stub-tickers.ts';

const NOTHING = { records: [], from: 0, whole: true };
const transfers = (from: number) => ask<'transfers'>({ ask: 'transfers', from });

/** Answers with these, one after another: an error is thrown. @returns what was asked, and how many answers were counted. */
async function answeredBy(asking: Asking<unknown>, answers: readonly unknown[], tries?: number) {
  const asked: number[] = [];
  const left = [...answers];
  let told = 0;
  const reads = {
    transfers: async (question: Ask) => {
      asked.push((question as { from: number }).from);
      const answer = left.shift();
      if (answer instanceof Error) throw answer;
      return answer as typeof NOTHING;
    },
  };
  const result = await answered(asking, reads, tries, () => told++).catch((error: unknown) => error);
  return { result, asked, told };
}

/** Asks two questions, and returns what became of them. */
function* two(): Asking<unknown> {
  const found: unknown[] = [];
  for (const from of [1, 2]) {
    try {
      found.push((yield* transfers(from)).whole);
    } catch (error) {
      found.push(error);
    }
  }
  return found;
}

describe('a question', () => {
  const passing = exchangeError('timedOut');
  const hopeless = exchangeError('business');

  test('is asked again where a later try may succeed, as often as is allowed', async () => {
    const { result, asked, told } = await answeredBy(two(), [passing, passing, NOTHING, passing, passing, NOTHING], 3);
    // The tries of each question count from one.
    expect([result, asked, told]).toEqual([[true, true], [1, 1, 1, 2, 2, 2], 2]);
  });

  test('that fails at its last try fails where it was asked, and the next one is asked', async () => {
    const { result, asked, told } = await answeredBy(two(), [passing, passing, NOTHING], 2);
    expect([result, asked, told]).toEqual([[passing, true], [1, 1, 2], 1]);
  });

  test.each<[string, Error]>([
    ['the exchange refuses it', hopeless],
    ['the error is not of the exchange', new Error('a slip')],
  ])('is asked once where %s', async (_, error) => {
    const { result, asked } = await answeredBy(two(), [error, NOTHING], 5);
    expect([result, asked]).toEqual([
      [error, true],
      [1, 2],
    ]);
  });

  test('is asked once unless more tries are allowed', async () => {
    const { result, asked } = await answeredBy(transfers(1), [passing]);
    expect([result, asked]).toEqual([passing, [1]]);
  });
});

import { expect, test } from '@jest/globals';
import { BackwardPages } from '../../../../src/venues/rest/futures/backward-pages.ts';

interface Row {
  readonly id: string;
  readonly time: number;
}

/** Records at these times, newest first, three a page. Ends belong to a period or not. */
function listOf(
  times: readonly number[],
  { isEndInside = true, from = 0, newest = 0, first = [] as (readonly Row[])[], stale = [] as (readonly Row[])[] } = {},
) {
  const rows = times.map((time, index): Row => ({ id: String(index), time })).reverse();
  const asked: (number | undefined)[] = [];
  const pages = new BackwardPages<Row>({
    operation: 'futuresFills',
    from,
    newest,
    read: async (endTime = Number.POSITIVE_INFINITY) => {
      asked.push(endTime);
      const within = rows.filter(({ time }) => (isEndInside ? time <= endTime : time < endTime));
      const list = first.shift() ?? (asked.length > 1 ? stale.shift() : undefined) ?? within.slice(0, 3);
      return { list, more: within.length > 3 };
    },
    of: ({ id, time }) => [id, time],
  });
  const all = async () => {
    while (!pages.whole && pages.pages < 20) await pages.next();
    return [...pages.found.keys()].map(Number).sort((a, b) => a - b);
  };
  return { all, asked, rows };
}

test.each([true, false])('a list is read whole where its pages part at records of one ms, with ends inside: %s', async (isEndInside) => {
  // Three a page: 9 and 8 and one of the two at 5.
  expect(await listOf([1, 2, 5, 5, 8, 9], { isEndInside }).all()).toEqual([0, 1, 2, 3, 4, 5]);
  expect(await listOf([1, 5, 5, 5, 9], { isEndInside }).all()).toEqual([0, 1, 2, 3, 4]);
});

test('an old answer to the request before, or to a later one, is not taken', async () => {
  const times = [1, 2, 3, 4, 5, 6, 7, 8];
  const { rows } = listOf(times);
  expect(await listOf(times, { stale: [rows.slice(0, 3)] }).all()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(await listOf(times, { stale: [rows.slice(5, 8)] }).all()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

// Seeds 700000014 and 700005090: a cache answers the first request with a page of an earlier reading.
test('a first page that ends before a record that was shown before is asked for again, and believed if all answers say so', async () => {
  const times = [1, 2, 3, 4, 5, 6, 7, 8];
  const { rows } = listOf(times);
  const old = rows.slice(3, 6);
  expect(await listOf(times, { newest: 8, first: [old, old] }).all()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(await listOf(times, { newest: 9 }).all()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(await listOf([], { newest: 9 }).all()).toEqual([]);
});

test('a list whose pages stay those of another period cannot be read', async () => {
  const times = [1, 2, 3, 4, 5, 6, 7, 8];
  const { rows } = listOf(times);
  const page = rows.slice(0, 3);
  await expect(listOf(times, { stale: [page, page, page] }).all()).rejects.toThrow('futuresFills: the records are those of another period');
});

test('a page is not taken that has a record from before the period and is not the last: nothing could be asked for before it', async () => {
  await expect(listOf([0, 1, 2, 8, 9], { from: 5 }).all()).rejects.toThrow('futuresFills: the records are those of another period');
  expect(await listOf([0, 8, 9], { from: 5 }).all()).toEqual([0, 1, 2]);
});

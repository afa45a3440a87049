import { expect, test } from '@jest/globals';
import { T0 } from '../../builders.ts';
import { operationContract } from './operation-contract.ts';
import { emptyPageRule, periodRule } from './periods.ts';

const NAMES = Array.from({ length: 101 }, (_, index) => `guest${index}`);

const local = operationContract({
  number: 18,
  name: 'invitedUsers',
  as: 'affiliate',
  options: {
    accounts: [
      { name: 'affiliate', affiliate: true },
      { name: 'guest' },
      { name: 'stranger' },
      ...NAMES.map((name) => ({ name, invitedBy: 'affiliate' })),
    ],
  },
  request: () => ({ uid: '690800371848708186', startTime: T0, endTime: T0 + 1, page: 1, pageSize: 100 }),
  refused: [periodRule('startTime', 'endTime'), emptyPageRule('page'), emptyPageRule('pageSize')],
});

const page = async (request: object) => {
  const { channelUserInfoItemList, ...counts } = await local().client('affiliate').invitedUsers(request);
  return { ...counts, uids: channelUserInfoItemList.map(({ uid }) => uid) };
};

test('pages from 1, a hundred users at a time by default', async () => {
  const uids = NAMES.map((name) => local().account(name).uid);
  expect(await page({})).toEqual({ pages: 2, pageSize: 100, total: 101, uids: uids.slice(0, 100) });
  expect(await page({ page: 2 })).toEqual({ pages: 2, pageSize: 100, total: 101, uids: uids.slice(100) });
  expect(await page({ page: 2, pageSize: 2 })).toEqual({ pages: 51, pageSize: 2, total: 101, uids: uids.slice(2, 4) });
  expect(await page({ page: 3 })).toMatchObject({ uids: [] });
  expect(await page({ uid: uids[7] })).toEqual({ pages: 1, pageSize: 100, total: 1, uids: [uids[7]] });
});

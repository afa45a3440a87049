import { expect, test } from '@jest/globals';
import { PERP, trigger } from '../../local-exchange/local.ts';
import { operationContract } from './operation-contract.ts';

const local = operationContract({
  number: 16,
  name: 'futuresAccount',
  prepare: async (exchange) => {
    await exchange.client().triggerOrder(trigger({ trigger_price: '100' }));
  },
  request: () => ({ coinId: '2' }),
  refused: [{ title: 'for an unknown coin', change: { coinId: '77' }, said: undefined, code: '40020' }],
});

test('returns account, collateral, positions and version in one snapshot', async () => {
  const { account, collateral, position, version } = await local().client().futuresAccount({ coinId: '2' });
  expect(account).toMatchObject({ id: local().account('guest').uid, status: 'NORMAL' });
  expect(collateral).toMatchObject([{ coin_id: 2, account_id: account.id }]);
  const [single] = await local().client().singlePosition({ symbol: PERP });
  expect(position).toMatchObject([{ id: single!.id, size: '1' }]);
  expect(version).toMatch(/^\d+$/);
});

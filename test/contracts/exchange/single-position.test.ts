import { expect, test } from '@jest/globals';
import { PERP, trigger } from '../../local-exchange/local.ts';
import { operationContract } from './operation-contract.ts';

const local = operationContract({
  number: 15,
  name: 'singlePosition',
  prepare: async (exchange) => {
    await exchange.client().triggerOrder(trigger({ trigger_price: '100' }));
    await exchange.client().triggerOrder(trigger({ trigger_price: '100', type: '2', size: '2' }));
  },
  request: () => ({ symbol: PERP }),
  refused: [
    { title: 'with an empty symbol', change: { symbol: '' }, said: 'symbol must be text that is not empty', code: '40020' },
    { title: 'for a contract that is not listed', change: { symbol: 'cmt_dogeusdt' }, said: undefined, code: '40102' },
  ],
});

test('returns long and short, with ids that are bare integers on the wire and exact inside', async () => {
  const positions = await local().client().singlePosition({ symbol: PERP });
  expect(positions.map(({ side, size }) => [side, size])).toEqual([
    ['LONG', '1'],
    ['SHORT', '2'],
  ]);
  const { text } = await local().send({ host: 'futures', target: `/capi/v2/account/position/singlePosition?symbol=${PERP}`, as: 'guest' });
  for (const { id } of positions) expect(text).toContain(`"id":${id},`);
});

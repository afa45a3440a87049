import { expect, test } from '@jest/globals';
import { PERP, trigger } from '../../local-exchange/local.ts';
import type { Refused } from './contract.ts';
import { clientIdRules } from './identifiers.ts';
import { operationContract } from './operation-contract.ts';
import { startFor } from './start-for.ts';

const bad = (title: string, change: Refused['change'], said: string, code: string): Refused => ({ title, change, said, code });

const contract = {
  number: 13,
  name: 'triggerOrder',
  request: () => trigger(),
  refused: [
    ...clientIdRules('client_oid'),
    bad('of size 0', { size: '0' }, 'size must be a decimal number above 0', '40020'),
    bad('of a size below 0', { size: '-1' }, 'size must be a decimal number above 0', '43010'),
    bad('of a type that is none', { type: '5' }, 'type must be one of 1, 2, 3, 4', '40020'),
    bad('of a match type that is none', { match_type: '2' }, 'match_type must be one of 0, 1', '40020'),
    bad('of a limit without its price', { match_type: '0', execute_price: '0' }, 'execute_price must be above 0', '40020'),
    bad('with an execution price below 0', { execute_price: '-1' }, 'execute_price must be a decimal', '43011'),
    bad('with a trigger price of 0', { trigger_price: '0' }, 'trigger_price must be a decimal number above 0', '40020'),
    bad('with a trigger price below 0', { trigger_price: '-1' }, 'trigger_price must be a decimal number above 0', '43011'),
    { title: 'for a contract that is not listed', change: { symbol: 'cmt_dogeusdt' }, said: undefined, code: '40102' },
    { title: 'off the step', change: { size: '0.00001' }, said: undefined, code: '40015' },
  ],
} as const;
const local = operationContract(contract);

test('takes 40 characters, and gives an id of its own where there are none', async () => {
  const longest = 'x'.repeat(40);
  expect(
    await local()
      .client()
      .triggerOrder(trigger({ client_oid: longest })),
  ).toMatchObject({ client_oid: longest });
  const { client_oid, order_id } = await local()
    .client()
    .triggerOrder(trigger({ client_oid: '' }));
  expect(client_oid).toMatch(/./);
  expect(order_id).toMatch(/^\d{18}$/);
});

test('has the rate and the delay that operation 16 shows', async () => {
  const limited = await startFor(contract, { ordersPerMinute: 2, orderDelayMs: 500 });
  const { account } = await limited.client().futuresAccount({ coinId: '2' });
  expect([account.create_order_rate_limit_per_minute, account.create_order_delay_milliseconds]).toEqual([2, 500]);
  const place = async () =>
    (await limited.send({ host: 'futures', target: '/capi/v2/order/plan_order', body: trigger(), as: 'guest' })).status;
  expect([await place(), await place()]).toEqual([200, 429]);
  limited.step(500);
  expect(await place()).toBe(200);
  limited.step(500);
  expect(await place()).toBe(429);
  limited.step(60_000);
  expect(await place()).toBe(200);
});

test('shows among the current orders of its contract', async () => {
  await local()
    .client()
    .triggerOrder(trigger({ client_oid: 'waits' }));
  const orders = await local().client().futuresOrders({ symbol: PERP });
  expect(orders.filter(({ client_oid }) => client_oid === 'waits')).toMatchObject([{ status: 'untriggered', type: 'open_long' }]);
});

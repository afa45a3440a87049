import { expect, test } from '@jest/globals';
import { Credentials } from '../../../src/exchange/client/credentials.ts';
import { ExchangeClient } from '../../../src/exchange/client/exchange-client.ts';
import { type Cost, WeightBudget } from '../../../src/exchange/client/weight-budget.ts';
import { failure, type Local } from '../../local-exchange/local.ts';
import { type Contract, call, documentRow, rawRequest } from './contract.ts';
import { startFor } from './start-for.ts';

/** Operations that place or cancel. */
const ACTIONS: readonly number[] = [6, 7, 12, 13];
const WINDOW_MS = 10_000;

/** What a request of this operation costs, at both ends, by the document's weights. */
export function describeLimits(contract: Contract): void {
  const { ip, uid } = documentRow(contract.number);

  test('is charged to the budget of the client at the weights of the document', async () => {
    const local = await startFor({ ...contract, prepare: undefined });
    const costs: Cost[] = [];
    const client = metered(local, contract, costs);
    // What it finds does not matter here.
    await call(client, contract, contract.request(local)).catch(() => undefined);
    await client.close();
    const action = ACTIONS.includes(contract.number);
    expect(costs).toMatchObject([{ ip, uid: uid ?? 0, action, account: uid === undefined ? undefined : expect.any(String) }]);
  });

  test.each([['address', { ipWeight: ip * 2 }], ...(uid === undefined ? [] : ([['account', { uidWeight: uid * 2 }]] as const))])(
    'is counted by the exchange at the weight of the document, per %s',
    async (_what, limit) => {
      // Nothing is prepared, since that would cost weight: a request that finds nothing costs as much.
      const local = await startFor({ ...contract, prepare: undefined }, { windowMs: WINDOW_MS, ...limit });
      const passes = async () => (await local.send(rawRequest(contract, contract.request(local)))).status !== 429;
      expect([await passes(), await passes()]).toEqual([true, true]);
      const third = await failure(call(local.client(contract.as), contract, contract.request(local)));
      expect(third).toMatchObject({ code: 'EXCHANGE_LIMITED', httpStatus: 429, outcome: 'rejected', retryable: true });
      local.step(WINDOW_MS);
      expect(await passes()).toBe(true);
    },
  );

  if (!ACTIONS.includes(contract.number)) return;
  test('counts among the places and cancels of a second', async () => {
    const local = await startFor(contract, { actionsPerSecond: 2 });
    const send = async () => (await local.send(rawRequest(contract, contract.request(local)))).status;
    expect([await send(), await send(), await send()]).toEqual([200, 200, 429]);
    local.step(1_000);
    expect(await send()).toBe(200);
  });
}

function metered(local: Local, { as = 'guest' }: Contract, costs: Cost[]): ExchangeClient {
  const budget = new WeightBudget(local.clock);
  const acquire = budget.acquire.bind(budget);
  budget.acquire = (cost) => {
    costs.push(cost);
    return acquire(cost);
  };
  const { spot: spotBaseUrl, futures: contractBaseUrl } = local.exchange;
  const settings = { spotBaseUrl, contractBaseUrl, readAttempts: 1, clockSyncMs: 0 };
  return new ExchangeClient({ clock: local.clock, budget, credentials: new Credentials(local.account(as)), random: () => 0, settings });
}

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Local } from '../../local-exchange/local.ts';
import { type Contract, call, documentRow, rawRequest, refusalOfClient } from './contract.ts';
import { breachesOf } from './documented.ts';
import { describeLimits } from './limits.ts';
import { describeSigning } from './signing.ts';
import { closeAll, startFor } from './start-for.ts';

/**
 * The suite that every operation is held to, over real sockets: the client's typed method against the local exchange,
 * and each bad request twice, refused by the client before it leaves and by the exchange where the client is passed by.
 * @returns the exchange of the suite, for what the operation alone has.
 */
export function operationContract(contract: Contract): () => Local {
  const { number, name } = contract;
  const row = documentRow(number);
  let local: Local;
  beforeAll(async () => {
    local = await startFor(contract);
  });
  afterAll(closeAll);

  describe(`operation ${number}, ${name}`, () => {
    test('has the same reply by its typed method and by a raw request', async () => {
      expect(await call(local.client(contract.as), contract, contract.request(local))).toBeDefined();
      const { status, json, text } = await local.send(rawRequest(contract, contract.request(local)));
      expect([status, text]).toEqual([200, expect.any(String)]);
      if (row.envelope === 'standard') expect(json).toMatchObject({ code: '00000', msg: 'success', requestTime: local.exchange.now() });
      if (row.envelope === 'bare') expect(Object.keys(json)).not.toContain('code');
      if (row.envelope === 'affiliate') expect(json.code).toBe(number === 17 ? '00000' : '200');
    });

    test('ignores unknown parameters', async () => {
      const { status } = await local.send(rawRequest(contract, { ...contract.request(local), unheardOf: 'x' }));
      expect(status).toBe(200);
    });

    test('is refused by another method', async () => {
      const { target } = rawRequest(contract, contract.request(local));
      const other = row.method === 'GET' ? { method: 'POST', body: {} } : { method: 'GET' };
      const { status, json } = await local.send({ host: row.host, target, as: 'guest', ...other });
      expect([status, json.code]).toEqual([400, '40020']);
    });

    const breaches = [...breachesOf(number, row.method), ...(contract.refused ?? [])];
    if (breaches.length > 0) describeBreaches(contract, breaches, () => local);
    describeSigning(contract, () => local);
    describeLimits(contract);
  });
  return () => local;
}

function describeBreaches(contract: Contract, breaches: Contract['refused'] & object, local: () => Local): void {
  const stated = breaches.filter(({ said }) => said !== undefined);
  if (stated.length > 0) {
    test.each(stated)('the client refuses a request $title, naming operation, field and rule', async ({ change, said }) => {
      const error = await refusalOfClient(local(), contract, { ...contract.request(local()), ...change });
      expect(error).toMatchObject({ code: 'REQUEST_INVALID', operation: contract.name, outcome: 'none', retryable: false });
      expect(error.message).toMatch(new RegExp(`^${contract.name}: `));
      expect(error.message).toContain(said);
    });
  }

  const breached = breaches.filter(({ title }) => !(contract.taken ?? []).includes(title));
  test.each(breached)('the exchange refuses a request $title with $code', async ({ change, code }) => {
    const { status, json } = await local().send(rawRequest(contract, { ...contract.request(local()), ...change }));
    expect(json).toEqual({ code, msg: expect.any(String), requestTime: local().exchange.now(), data: null });
    expect(status).toBe(400);
  });
}

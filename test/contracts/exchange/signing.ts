import { expect, test } from '@jest/globals';
import type { Local, RawRequest } from '../../local-exchange/local.ts';
import { type Contract, documentRow, rawRequest } from './contract.ts';

/** How a request is refused that is not signed as it should be: what is changed, the code, the HTTP status. */
const UNSIGNED: readonly (readonly [string, Partial<RawRequest>, string, number])[] = [
  ['without a key', { headers: { 'ACCESS-KEY': undefined } }, '40001', 400],
  ['without a signature', { headers: { 'ACCESS-SIGN': undefined } }, '40002', 400],
  ['without a timestamp', { headers: { 'ACCESS-TIMESTAMP': undefined } }, '40003', 400],
  ['without a passphrase', { headers: { 'ACCESS-PASSPHRASE': undefined } }, '40011', 400],
  ['of another signature', { headers: { 'ACCESS-SIGN': 'AAAA' } }, '40009', 401],
  ['signed for another target', { signedTarget: '/api/v2/public/time' }, '40009', 401],
  ['signed long ago', { timestamp: 1_600_000_000_000 }, '40008', 400],
];

/** Operations 1 to 4 need no header, the others all of them; the last four are for affiliates. */
export function describeSigning(contract: Contract, local: () => Local): void {
  const good = () => rawRequest(contract, contract.request(local()));
  if (documentRow(contract.number).uid === undefined) {
    test('is public: no header is needed, and a bad one is not looked at', async () => {
      expect((await local().send(good())).status).toBe(200);
      expect((await local().send({ ...good(), headers: { 'ACCESS-KEY': 'nobody' } })).status).toBe(200);
    });
    return;
  }

  test.each(UNSIGNED)('is refused %s', async (_title, change, code, status) => {
    const reply = await local().send({ ...good(), ...change });
    expect(reply.json).toEqual({ code, msg: expect.any(String), requestTime: local().exchange.now(), data: null });
    expect(reply.status).toBe(status);
  });

  if (contract.number < 17) return;
  test('is refused to accounts that are no affiliates', async () => {
    const reply = await local().send({ ...good(), as: 'stranger' });
    expect([reply.status, reply.json.code]).toEqual([403, '40014']);
  });
}

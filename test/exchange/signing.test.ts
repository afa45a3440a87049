import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { prehash, signHmac, verifySignature } from '../../src/exchange/signing.ts';
import { SHARED, sharedTest } from '../support/cli.ts';

interface Vector {
  readonly timestamp: string;
  readonly method: string;
  readonly requestTarget: string;
  readonly body: string;
  readonly secret: string;
  readonly prehash: string;
  readonly sign: string;
}

sharedTest('every vector that three independent clients agree on is signed and verified', () => {
  const { vectors } = JSON.parse(readFileSync(join(SHARED, 'reference/signature-vectors.json'), 'utf8')) as { vectors: Vector[] };
  expect(vectors.length).toBeGreaterThanOrEqual(9);
  for (const { secret, sign, requestTarget: target, ...rest } of vectors) {
    const parts = { ...rest, target };
    expect(prehash(parts) + rest.body).toBe(rest.prehash);
    expect(signHmac(secret, parts)).toBe(sign);
    expect(verifySignature(secret, parts, sign)).toBe(true);
    expect(verifySignature(`${secret}x`, parts, sign)).toBe(false);
  }
});

describe('verification', () => {
  const parts = { timestamp: '1743729400189', method: 'GET', target: '/api/v2/market/ticker?symbol=A%2CB&x=%7B', body: '' };

  test('takes a query signed as it was sent', () => {
    expect(verifySignature('s', parts, signHmac('s', parts))).toBe(true);
  });

  test('takes a query signed decoded, as some clients do', () => {
    expect(verifySignature('s', parts, signHmac('s', { ...parts, target: '/api/v2/market/ticker?symbol=A,B&x={' }))).toBe(true);
  });

  test.each([
    ['another method', { method: 'POST' }],
    ['another query', { target: '/api/v2/market/ticker?symbol=A%2CC&x=%7B' }],
    ['another time', { timestamp: '1743729400190' }],
    ['a body', { body: '{}' }],
  ])('refuses %s', (_, change) => {
    expect(verifySignature('s', { ...parts, ...change }, signHmac('s', parts))).toBe(false);
  });

  test('refuses a query that is no percent-encoding without throwing', () => {
    expect(verifySignature('s', { ...parts, target: '/a?b=%zz' }, 'nonsense')).toBe(false);
  });

  test('covers the bytes of a body, not its text', () => {
    const bytes = { ...parts, body: Buffer.from([0xff, 0xfe]) };
    expect(verifySignature('s', { ...bytes, body: Buffer.from([0xff, 0xfd]) }, signHmac('s', bytes))).toBe(false);
  });
});

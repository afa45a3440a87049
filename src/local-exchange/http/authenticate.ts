import { timingSafeEqual } from 'node:crypto';
import { HEADERS, TIMESTAMP_WINDOW_MS } from '../../exchange/signing/header-names.ts';
import { verifySignature } from '../../exchange/signing/verify-signature.ts';
import type { AccountDirectory } from '../accounts/account-directory.ts';
import type { ExchangeAccount } from '../accounts/exchange-account.ts';
import { Refusal } from '../refusal.ts';
import { header, type WireRequest } from './wire-request.ts';

const TIMESTAMP = /^\d{13}$/;

/**
 * Who signed the request: every header is there, the time is at most 30 s away, key and passphrase are a pair, and
 * the signature is of the raw target and body. `locale` is not asked for.
 * @throws Refusal 40001 to 40013.
 */
export function authenticate(request: WireRequest, accounts: AccountDirectory, now: number): ExchangeAccount {
  const [key, sign, timestamp, passphrase] = [
    required(request, HEADERS.key, '40001'),
    required(request, HEADERS.sign, '40002'),
    required(request, HEADERS.timestamp, '40003'),
    required(request, HEADERS.passphrase, '40011'),
  ];
  if (!TIMESTAMP.test(timestamp)) throw new Refusal('40005');
  if (Math.abs(now - Number(timestamp)) > TIMESTAMP_WINDOW_MS) throw new Refusal('40008');
  if (request.method === 'POST' && !/^application\/json\b/i.test(header(request, HEADERS.contentType))) throw new Refusal('40007');
  const account = accounts.withKey(key);
  if (account === undefined) throw new Refusal('40006');
  const { credentials } = account.identity;
  if (!same(credentials.passphrase, passphrase)) throw new Refusal('40012');
  const { method, target, body } = request;
  if (!verifySignature(credentials.secret, { timestamp, method, target, body }, sign)) throw new Refusal('40009');
  if (account.frozen) throw new Refusal('40013');
  return account;
}

function required(request: WireRequest, name: string, code: '40001' | '40002' | '40003' | '40011'): string {
  const value = header(request, name);
  if (value === '') throw new Refusal(code);
  return value;
}

function same(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

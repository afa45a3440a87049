import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import type { Call } from '../http/call.ts';
import { Refusal } from '../refusal.ts';
import { coinNamed } from './listed.ts';
import { requireAffiliate } from './require-affiliate.ts';
import { walletOf } from './wallet-of.ts';

/**
 * Operation 19: sends money to another user of the exchange. It is taken at once and arrives a little later, or comes
 * back. @throws Refusal 40014, 40020 (no such coin or user), 40015 (not enough).
 */
export function internalWithdrawal(request: RequestOf<'internalWithdrawal'>, call: Call): PayloadOf<'internalWithdrawal'> {
  requireAffiliate(call);
  const { exchange, account, act } = call;
  const { toUserId, coin, amount, fromAccountType, toAccountType } = request;
  if (coinNamed(exchange, coin)?.transfer !== true) throw new Refusal('40020', `coin ${coin.slice(0, 20)} cannot be transferred`);
  if (exchange.accounts.find(toUserId) === undefined) throw new Refusal('40020', `toUserId ${toUserId}: no such user`);
  if (toUserId === account.uid) throw new Refusal('40020', 'toUserId must be another user');
  const withdrawal = act('withdraw', {
    from: account.uid,
    to: toUserId,
    coin,
    amount,
    fromWallet: walletOf(fromAccountType),
    toWallet: walletOf(toAccountType),
  });
  return { id: withdrawal.id };
}

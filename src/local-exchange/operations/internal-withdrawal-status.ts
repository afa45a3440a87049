import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import type { Withdrawal } from '../accounts/treasury.ts';
import type { Call } from '../http/call.ts';
import { Refusal } from '../refusal.ts';
import { pageOf, wireTime } from './page.ts';
import { requireAffiliate } from './require-affiliate.ts';
import { walletOf } from './wallet-of.ts';

/** "The past month": the longest there is. */
const MONTH_MS = 31 * 86_400_000;

/**
 * Operation 20: the caller's internal withdrawals of the past month between the two wallets that are named (SPOT
 * where they are not), newest first. @throws Refusal 40014, 40704 for a period that began before that.
 */
export function internalWithdrawalStatus(
  request: RequestOf<'internalWithdrawalStatus'>,
  call: Call,
): PayloadOf<'internalWithdrawalStatus'> {
  requireAffiliate(call);
  const { exchange, account, now } = call;
  const { withdrawID, coin, endTime = Number.POSITIVE_INFINITY, fromAccountType, toAccountType, page = 1, pageSize = 100 } = request;
  const oldest = now - MONTH_MS;
  const { startTime = oldest } = request;
  if (startTime < oldest || endTime < oldest) throw new Refusal('40704', 'time window too old: only the past month can be queried');
  const found = exchange.treasury.withdrawals.filter((withdrawal) => {
    const time = wireTime(withdrawal.createTime);
    return (
      withdrawal.from === account.uid &&
      withdrawal.fromWallet === walletOf(fromAccountType) &&
      withdrawal.toWallet === walletOf(toAccountType) &&
      (withdrawID === undefined || withdrawal.id === withdrawID) &&
      (coin === undefined || withdrawal.coin === coin) &&
      time >= startTime &&
      time <= endTime
    );
  });
  return { total: found.length, list: pageOf(found.reverse(), page - 1, pageSize).map(record) };
}

function record({
  from,
  to,
  id,
  coin,
  status,
  amount,
  createTime,
  updateTime,
}: Withdrawal): PayloadOf<'internalWithdrawalStatus'>['list'][number] {
  return {
    fromUserId: from,
    toUserId: to,
    withdrawId: id,
    coin,
    status,
    amount,
    createTime: wireTime(createTime),
    updateTime: wireTime(updateTime),
  };
}

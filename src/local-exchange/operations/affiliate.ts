import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import { Decimal, ZERO } from '../../model/decimal.ts';
import { MONEY_PLACES } from '../../model/margin.ts';
import { isoTime } from '../../model/time.ts';
import type { ExchangeAccount } from '../core/exchange-account.ts';
import type { FillEntry } from '../core/order-store.ts';
import type { Withdrawal } from '../core/treasury.ts';
import { Refusal } from '../refusal.ts';
import { type Call, coinNamed, pageOf, wireTime } from './call.ts';

/**
 * Operation 17: the trades of each sub-affiliate and its invited users by day (UTC), newest day first. A record
 * has no coin, so all amounts are in one: USDT. Other quotes are converted at each fill (those without a price are
 * not counted), and fees in base at the price of their fill. @throws Refusal 40014.
 */
export function subAffiliateData(request: RequestOf<'subAffiliateData'>, call: Call): PayloadOf<'subAffiliateData'> {
  requireAffiliate(call);
  const { accounts, behaviour } = call.exchange;
  const { subUid, startTime = 0, endTime = Number.POSITIVE_INFINITY, productType, pageNum = 1, pageSize = 100 } = request;
  const kind = productType === 'SPOT' ? 'spot' : 'futures';
  const subs = accounts
    .invitedBy(call.account.uid)
    .filter(({ subAffiliate, uid }) => subAffiliate && (subUid === undefined || uid === subUid));
  const records = subs.flatMap((sub) => {
    const fills = [sub, ...accounts.invitedBy(sub.uid)].flatMap(({ orders }) => orders.fills);
    const counted = fills.filter(({ fill: { instrument, time } }) => instrument.kind === kind && time >= startTime && time <= endTime);
    return [...byDay(counted)].map(([date, { volume, fee }]) => ({
      subAffiliateUid: sub.uid,
      productType,
      date,
      tradingVolume: volume.toFixed(),
      netTradingFee: fee.toFixed(),
      paidCommission: Decimal.max(ZERO, fee).times(behaviour.commissionRate).toFixed(),
    }));
  });
  records.sort((a, b) => b.date.localeCompare(a.date) || a.subAffiliateUid.localeCompare(b.subAffiliateUid));
  return {
    records: pageOf(records, pageNum - 1, pageSize),
    total: records.length,
    size: pageSize,
    current: pageNum,
    pages: Math.ceil(records.length / pageSize),
  };
}

interface DaySums {
  volume: Decimal;
  fee: Decimal;
}

function byDay(fills: readonly FillEntry[]): Map<string, DaySums> {
  const days = new Map<string, DaySums>();
  for (const { fill, quoteWorth } of fills) {
    if (quoteWorth === undefined) continue;
    const { time, notional, fee, feeAsset, instrument, priceTicks } = fill;
    const date = isoTime(time).slice(0, 10);
    const sums = days.get(date) ?? { volume: ZERO, fee: ZERO };
    const worth = (inQuote: Decimal) => inQuote.times(quoteWorth).toDecimalPlaces(MONEY_PLACES);
    const feeInQuote = feeAsset === instrument.quote ? fee : fee.times(instrument.tick.toDecimal(priceTicks));
    days.set(date, { volume: sums.volume.plus(worth(notional)), fee: sums.fee.plus(worth(feeInQuote)) });
  }
  return days;
}

/** Operation 18: the users that the caller invited, by registration time, with figures of the ledger. @throws Refusal 40014. */
export function invitedUsers(request: RequestOf<'invitedUsers'>, call: Call): PayloadOf<'invitedUsers'> {
  requireAffiliate(call);
  const { uid, startTime = 0, endTime = Number.POSITIVE_INFINITY, page = 1, pageSize = 100 } = request;
  const found = call.exchange.accounts.invitedBy(call.account.uid).filter((account) => {
    const registered = wireTime(account.identity.registerTime);
    return (uid === undefined || account.uid === uid) && registered >= startTime && registered <= endTime;
  });
  return {
    pages: Math.ceil(found.length / pageSize),
    pageSize,
    total: found.length,
    channelUserInfoItemList: pageOf(found, page - 1, pageSize).map((account) => userRecord(account, inviteCode(call.account.uid))),
  };
}

function userRecord(
  { uid, identity, deposits, orders }: ExchangeAccount,
  code: string,
): PayloadOf<'invitedUsers'>['channelUserInfoItemList'][number] {
  const time = (entry: { readonly time: number } | undefined) => (entry === undefined ? undefined : wireTime(entry.time));
  return {
    uid,
    registerTime: wireTime(identity.registerTime),
    kycResult: identity.kyc,
    inviteCode: code,
    firstDeposit: time(deposits[0]),
    firstTrade: time(orders.fills[0]?.fill),
    lastDeposit: time(deposits.at(-1)),
    lastTrade: time(orders.fills.at(-1)?.fill),
  };
}

/** An affiliate's code: its uid, shortened. */
function inviteCode(uid: string): string {
  return BigInt(uid).toString(36);
}

/**
 * Operation 19: sends money to another user of the exchange. It leaves at once and arrives a little later, or is
 * returned. @throws Refusal 40014, 40020 (no such coin or user), 40015 (not enough).
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

/** "The past month": the longest one. */
const MONTH_MS = 31 * 86_400_000;

/**
 * Operation 20: the caller's internal withdrawals of the past month between the two given wallets (SPOT
 * by default), newest first. @throws Refusal 40014, 40704 for a period that began before that.
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
  return { total: found.length, list: pageOf(found.reverse(), page - 1, pageSize).map(withdrawalRecord) };
}

function withdrawalRecord({
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

/** Operations 17 to 20 are for affiliates. The real refusal is unknown: 40014 with HTTP 403. @throws Refusal 40014. */
function requireAffiliate({ account }: Call): void {
  if (!account.affiliate) throw new Refusal('40014', 'no permission: affiliate accounts only');
}

/** The wallet of operations 19 and 20; SPOT by default. */
function walletOf(accountType: 'SPOT' | 'FUND' | undefined): 'spot' | 'funding' {
  return accountType === 'FUND' ? 'funding' : 'spot';
}

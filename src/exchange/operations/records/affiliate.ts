import { z } from 'zod';
import { flag } from '../../fields/flags.ts';
import { idLong, timeLong, timeText } from '../../fields/integers.ts';
import { maybe } from '../../fields/maybe.ts';
import { decimal, text } from '../../fields/text.ts';

export const SubAffiliateRecord = z.object({
  subAffiliateUid: text,
  /** `SPOT` or `FUTURES`. */
  productType: text,
  /** A day in UTC, `YYYY-MM-DD`. */
  date: text,
  tradingVolume: decimal,
  netTradingFee: decimal,
  paidCommission: decimal,
});

export const InvitedUserRecord = z.object({
  uid: text,
  registerTime: timeText,
  kycResult: flag,
  inviteCode: text,
  firstDeposit: maybe(timeText),
  firstTrade: maybe(timeText),
  lastDeposit: maybe(timeText),
  lastTrade: maybe(timeText),
});

export const InternalWithdrawalRecord = z.object({
  fromUserId: idLong,
  toUserId: idLong,
  withdrawId: text,
  coin: text,
  /** `PROGRESSING`, `SUCCESS` or `FAILED`. */
  status: text,
  amount: decimal,
  createTime: timeLong,
  updateTime: timeLong,
});

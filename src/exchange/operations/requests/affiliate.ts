import { z } from 'zod';
import { idLong, timeLong, whole } from '../../fields/integers.ts';
import { maybe } from '../../fields/maybe.ts';
import { name, transferAmount, word } from '../../fields/parameters.ts';
import { inOrder, period } from './rules.ts';

/** Epoch ms, UTC. */
const times = { startTime: maybe(timeLong), endTime: maybe(timeLong) };
const ordered = ({ startTime, endTime }: { startTime?: number | undefined; endTime?: number | undefined }) => inOrder(startTime, endTime);
/** `SPOT` is the spot wallet, `FUND` the funding wallet; default `SPOT`. */
const wallet = maybe(word('SPOT', 'FUND'));
/** From 1; default 1. */
const page = maybe(whole(1));

export const SubAffiliateDataRequest = z
  .object({
    subUid: maybe(idLong),
    ...times,
    productType: word('SPOT', 'FUTURES'),
    pageNum: page,
    /** Default 100. */
    pageSize: maybe(whole(1)),
  })
  .refine(ordered, period('startTime', 'endTime'));

export const InvitedUsersRequest = z
  .object({
    uid: maybe(idLong),
    ...times,
    page,
    /** Default 100. */
    pageSize: maybe(whole(1)),
  })
  .refine(ordered, period('startTime', 'endTime'));

export const InternalWithdrawalRequest = z.object({
  toUserId: idLong,
  coin: name,
  amount: transferAmount,
  fromAccountType: wallet,
  toAccountType: wallet,
});

export const WithdrawalStatusRequest = z
  .object({
    withdrawID: maybe(name),
    coin: maybe(name),
    /** Only the past month can be asked for. */
    ...times,
    fromAccountType: wallet,
    toAccountType: wallet,
    page,
    /** 1 to 200; default 100. */
    pageSize: maybe(whole(1, 200)),
  })
  .refine(ordered, period('startTime', 'endTime'));

import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import type { ExchangeAccount } from '../accounts/exchange-account.ts';
import type { Call } from '../http/call.ts';
import { pageOf, wireTime } from './page.ts';
import { requireAffiliate } from './require-affiliate.ts';

/** Operation 18: whom the caller invited, by when they registered, with what the ledger says of them. @throws Refusal 40014. */
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

/** An affiliate's code: its uid, shorter. */
function inviteCode(uid: string): string {
  return BigInt(uid).toString(36);
}

import type { OperationName } from '../../exchange/operations/operation-table.ts';
import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import type { Call } from '../http/call.ts';
import { internalWithdrawal, internalWithdrawalStatus, invitedUsers, subAffiliateData } from './affiliate.ts';
import { cancelFuturesOrder, futuresOrders, triggerOrder } from './futures.ts';
import { futuresAccount, futuresAssets, singlePosition } from './futures-account.ts';
import { candles, currencies, exchangeInfo, futuresCandles, futuresTicker, futuresTime, spotTime, ticker, tickers } from './market.ts';
import { accountAssets, batchOrders, cancelOrder, fills, orderInfo, transferRecords } from './spot.ts';

/** What answers each operation. */
export const HANDLERS: { readonly [N in OperationName]: (request: RequestOf<N>, call: Call) => PayloadOf<N> } = {
  currencies,
  exchangeInfo,
  ticker,
  tickers,
  orderInfo,
  cancelOrder,
  batchOrders,
  fills,
  accountAssets,
  futuresAssets,
  transferRecords,
  cancelFuturesOrder,
  triggerOrder,
  futuresOrders,
  singlePosition,
  futuresAccount,
  subAffiliateData,
  invitedUsers,
  internalWithdrawal,
  internalWithdrawalStatus,
  spotTime,
  futuresTime,
  futuresTicker,
  candles,
  futuresCandles,
};

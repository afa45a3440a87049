import type { OperationName } from '../../exchange/operations/operation-table.ts';
import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import type { Call } from '../http/call.ts';
import { accountAssets } from './account-assets.ts';
import { batchOrders } from './batch-orders.ts';
import { cancelFuturesOrder } from './cancel-futures-order.ts';
import { cancelOrder } from './cancel-order.ts';
import { candles } from './candles.ts';
import { currencies } from './currencies.ts';
import { exchangeInfo } from './exchange-info.ts';
import { fills } from './fills.ts';
import { futuresAccount } from './futures-account.ts';
import { futuresAssets } from './futures-assets.ts';
import { futuresCandles } from './futures-candles.ts';
import { futuresOrders } from './futures-orders.ts';
import { futuresTicker } from './futures-ticker.ts';
import { futuresTime } from './futures-time.ts';
import { internalWithdrawal } from './internal-withdrawal.ts';
import { internalWithdrawalStatus } from './internal-withdrawal-status.ts';
import { invitedUsers } from './invited-users.ts';
import { orderInfo } from './order-info.ts';
import { singlePosition } from './single-position.ts';
import { spotTime } from './spot-time.ts';
import { subAffiliateData } from './sub-affiliate-data.ts';
import { ticker } from './ticker.ts';
import { tickers } from './tickers.ts';
import { transferRecords } from './transfer-records.ts';
import { triggerOrder } from './trigger-order.ts';

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

import type { z } from 'zod';

export type Host = 'spot' | 'futures';
/** How a reply wraps its payload (see `openEnvelope`). */
export type Envelope = 'standard' | 'affiliate' | 'bare';
/** The effect of a request: a read may be repeated; placing, canceling, moving money and setting are never repeated without a check. */
export type Effect = 'read' | 'order' | 'cancel' | 'withdrawal' | 'setting';
/** The order of requests while weight is scarce, first to last. */
export const PRIORITIES = ['cancel', 'orderQuery', 'place', 'account', 'market'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** One row of the table: everything about an operation except its schemas. */
interface OperationRow {
  /** In the document; `undefined` for extras beyond the twenty. */
  readonly number: number | undefined;
  readonly title: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly host: Host;
  readonly envelope: Envelope;
  /** The place of the payload: in `data`, next to `code`, or the whole body. */
  readonly payloadAt: 'data' | 'top' | 'body';
  /** The `code` of a success, as the local exchange sends it. */
  readonly success: '00000' | '200' | undefined;
  /** Charged to the caller's IP and its UID; public operations have no UID weight. */
  readonly weight: { readonly ip: number; readonly uid: number };
  readonly signed: boolean;
  readonly parameters: 'query' | 'body';
  readonly effect: Effect;
  readonly priority: Priority;
  /** The reply lists every coin or market of the exchange, so it may be long. */
  readonly listsAll?: true;
}

/** An object of fields, read by `z.decode` and written by `z.encode`. */
export type RequestSchema = z.ZodObject;

/** A row with its schemas. `defaults` are the server's values for parameters that are left out. */
export interface Operation<Q extends RequestSchema = RequestSchema, P extends z.ZodType = z.ZodType> extends OperationRow {
  readonly name: string;
  readonly extra: boolean;
  readonly request: Q;
  readonly payload: P;
  readonly defaults: Readonly<Record<string, string | number>>;
}

const PLACES = { standard: 'data', affiliate: 'data', bare: 'body' } as const;
const SUCCESS = { standard: '00000', affiliate: '200', bare: undefined } as const;

/** A reply that has only the code of its success: the exchange's own samples have it in the body, with an empty `data`. */
const ACKNOWLEDGED = { payloadAt: 'top', success: '200' } as const;

/** The twenty operations of the document, one row each, and further ones known to exist. */
export const OPERATION_TABLE = {
  currencies: {
    ...row(1, 'Basic crypto information', 'GET /api/v2/public/currencies', 'spot', 'standard', '1/-', 'market'),
    listsAll: true,
  },
  exchangeInfo: {
    ...row(2, 'Symbol information', 'GET /api/v2/public/exchangeInfo', 'spot', 'standard', '10/-', 'market'),
    listsAll: true,
  },
  ticker: row(3, 'Single ticker', 'GET /api/v2/market/ticker', 'spot', 'standard', '1/-', 'market'),
  tickers: { ...row(4, 'All tickers', 'GET /api/v2/market/tickers', 'spot', 'standard', '20/-', 'market'), listsAll: true },
  orderInfo: row(5, 'Get order info', 'POST /api/v2/trade/orderInfo', 'spot', 'standard', '2/2', 'orderQuery'),
  cancelOrder: row(6, 'Cancel order (spot)', 'POST /api/v2/trade/cancel-order', 'spot', 'standard', '2/3', 'cancel', 'cancel'),
  batchOrders: row(7, 'Batch place orders', 'POST /api/v2/trade/batch-orders', 'spot', 'standard', '5/10', 'place', 'order'),
  fills: row(8, 'Get fills', 'POST /api/v2/trade/fills', 'spot', 'standard', '5/5', 'account'),
  accountAssets: row(9, 'Get account assets (spot)', 'GET /api/v2/account/assets', 'spot', 'standard', '5/5', 'account'),
  futuresAssets: row(10, 'Get account assets (futures)', 'GET /capi/v2/account/assets', 'spot', 'standard', '2/2', 'account'),
  transferRecords: row(11, 'Get transfer records', 'GET /api/v2/account/transferRecords', 'spot', 'standard', '3/3', 'account'),
  cancelFuturesOrder: row(12, 'Cancel order (futures)', 'POST /capi/v2/order/cancel_order', 'futures', 'bare', '2/3', 'cancel', 'cancel'),
  triggerOrder: row(13, 'Place trigger order (futures)', 'POST /capi/v2/order/plan_order', 'futures', 'bare', '2/5', 'place', 'order'),
  futuresOrders: row(14, 'Get current orders (futures)', 'GET /capi/v2/order/current', 'futures', 'bare', '2/2', 'account'),
  singlePosition: row(15, 'Get single position', 'GET /capi/v2/account/position/singlePosition', 'futures', 'bare', '2/3', 'account'),
  futuresAccount: row(16, "Get one currency's account", 'GET /capi/v2/account/account', 'futures', 'bare', '1/1', 'account'),
  subAffiliateData: {
    ...row(17, 'Sub-affiliate data', 'POST /api/v2/rebate/affiliate/querySubChannelTransactions', 'spot', 'affiliate', '10/10', 'account'),
    // An exception: its official sample replies like a standard operation.
    success: '00000',
  },
  invitedUsers: row(18, 'Invited user UIDs', 'GET /api/v2/rebate/affiliate/getAffiliateUIDs', 'spot', 'affiliate', '20/20', 'account'),
  internalWithdrawal: {
    ...row(19, 'Internal withdrawal', 'POST /api/v2/rebate/affiliate/internalWithdrawal', 'spot', 'affiliate', '100/100', 'account'),
    effect: 'withdrawal',
    payloadAt: 'top',
  },
  internalWithdrawalStatus: {
    ...row(20, 'Withdrawal status', 'GET /api/v2/rebate/affiliate/getInternalWithdrawalStatus', 'spot', 'affiliate', '100/100', 'account'),
    payloadAt: 'top',
  },
  // Orders wait for the time, so this request does not queue with market data.
  spotTime: row(undefined, 'Time of the spot host', 'GET /api/v2/public/time', 'spot', 'standard', '1/-', 'orderQuery'),
  futuresTime: row(undefined, 'Time of the futures host', 'GET /capi/v2/market/time', 'futures', 'bare', '1/-', 'orderQuery'),
  futuresTicker: row(undefined, 'Single ticker (futures)', 'GET /capi/v2/market/ticker', 'futures', 'bare', '1/-', 'market'),
  candles: row(undefined, 'Candles', 'GET /api/v2/market/candles', 'spot', 'standard', '1/-', 'market'),
  futuresCandles: row(undefined, 'Candles (futures)', 'GET /capi/v2/market/candles', 'futures', 'bare', '1/-', 'market'),
  placeFuturesOrder: row(undefined, 'Place order (futures)', 'POST /capi/v2/order/placeOrder', 'futures', 'bare', '2/5', 'place', 'order'),
  futuresBatchOrders: row(
    undefined,
    'Batch place orders (futures)',
    'POST /capi/v2/order/batchOrders',
    'futures',
    'bare',
    '5/10',
    'place',
    'order',
  ),
  cancelFuturesBatch: row(
    undefined,
    'Batch cancel orders (futures)',
    'POST /capi/v2/order/cancel_batch_orders',
    'futures',
    'bare',
    '5/10',
    'cancel',
    'cancel',
  ),
  cancelTrigger: row(
    undefined,
    'Cancel trigger order (futures)',
    'POST /capi/v2/order/cancel_plan',
    'futures',
    'bare',
    '2/3',
    'cancel',
    'cancel',
  ),
  cancelAllFutures: row(
    undefined,
    'Cancel all orders (futures)',
    'POST /capi/v2/order/cancelAllOrders',
    'futures',
    'bare',
    '40/50',
    'cancel',
    'cancel',
  ),
  closePositions: row(
    undefined,
    'Close positions at market',
    'POST /capi/v2/order/closePositions',
    'futures',
    'bare',
    '40/50',
    'place',
    'order',
  ),
  placeTpSl: row(
    undefined,
    'Place take profit or stop loss',
    'POST /capi/v2/order/placeTpSlOrder',
    'futures',
    'bare',
    '2/5',
    'place',
    'order',
  ),
  modifyTpSl: {
    ...row(undefined, 'Move take profit or stop loss', 'POST /capi/v2/order/modifyTpSlOrder', 'futures', 'bare', '2/5', 'place', 'order'),
    ...ACKNOWLEDGED,
  },
  futuresFills: row(undefined, 'Get fills (futures)', 'GET /capi/v2/order/fills', 'futures', 'bare', '5/5', 'account'),
  futuresOrder: row(undefined, 'Get order info (futures)', 'GET /capi/v2/order/detail', 'futures', 'bare', '2/2', 'orderQuery'),
  futuresHistory: row(undefined, 'Get ended orders (futures)', 'GET /capi/v2/order/history', 'futures', 'bare', '10/10', 'account'),
  triggers: row(undefined, 'Get waiting trigger orders', 'GET /capi/v2/order/currentPlan', 'futures', 'bare', '3/3', 'account'),
  triggerHistory: row(undefined, 'Get ended trigger orders', 'GET /capi/v2/order/historyPlan', 'futures', 'bare', '5/10', 'account'),
  futuresBills: row(undefined, 'Get account bills (futures)', 'POST /capi/v2/account/bills', 'futures', 'bare', '2/5', 'account'),
  allPositions: row(undefined, 'Get all positions', 'GET /capi/v2/account/position/allPosition', 'futures', 'bare', '10/15', 'account'),
  leverageSettings: row(undefined, 'Get leverage of contracts', 'GET /capi/v2/account/settings', 'futures', 'bare', '1/1', 'account'),
  setLeverage: {
    ...row(undefined, 'Set leverage of a contract', 'POST /capi/v2/account/leverage', 'futures', 'bare', '10/20', 'account', 'setting'),
    ...ACKNOWLEDGED,
  },
  contracts: {
    ...row(undefined, 'Contract information', 'GET /capi/v2/market/contracts', 'futures', 'bare', '10/-', 'market'),
    listsAll: true,
  },
  futuresDepth: row(undefined, 'Order book (futures)', 'GET /capi/v2/market/depth', 'futures', 'bare', '1/-', 'market'),
  fundingRate: row(undefined, 'Present funding rate', 'GET /capi/v2/market/currentFundRate', 'futures', 'bare', '1/-', 'market'),
  fundingHistory: row(undefined, 'Past funding rates', 'GET /capi/v2/market/getHistoryFundRate', 'futures', 'bare', '5/-', 'market'),
} as const satisfies Record<string, OperationRow>;

export type OperationName = keyof typeof OPERATION_TABLE;

/** `weights` are IP/UID as the document writes them; an operation without a UID weight is public. */
function row(
  number: number | undefined,
  title: string,
  route: `${'GET' | 'POST'} ${string}`,
  host: Host,
  envelope: Envelope,
  weights: `${number}/${number | '-'}`,
  priority: Priority,
  effect: Effect = 'read',
): OperationRow {
  const [method, path] = route.split(' ') as ['GET' | 'POST', string];
  const [ip = '', uid = '-'] = weights.split('/');
  const signed = uid !== '-';
  const parameters = method === 'GET' ? 'query' : 'body';
  const weight = { ip: Number(ip), uid: signed ? Number(uid) : 0 };
  const places = { payloadAt: PLACES[envelope], success: SUCCESS[envelope] };
  return { number, title, method, path, host, envelope, ...places, weight, signed, parameters, effect, priority };
}

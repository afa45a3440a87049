// Long because each operation has one method with its units and limits.
import type { OperationName } from '../operations/operation-table.ts';
import type { PayloadOf, RequestOf } from '../operations/operations.ts';
import { Caller, type ClientParts, type Entering, type OnSend } from './caller.ts';
import type { Permit } from './weight-budget.ts';

/**
 * The exchange's 20 documented operations and its extras as methods. Ids are strings, amounts and prices decimal
 * text, times epoch ms; symbols are the wire's (see `wireSymbol`). Every failure is an `ExchangeError` with
 * `code`, `httpStatus`, `exchangeCode`, `operation`, `retryable` and `outcome`. Reads are retried
 * automatically; a request that acts is sent once, and one that acts on orders reports when it is sent.
 */
export class ExchangeClient {
  readonly #caller: Caller;
  readonly #parts: ClientParts;

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.#caller = new Caller(parts);
  }

  /** 1. Currencies with their chains: fees, minima and confirmations of deposits and withdrawals. Weight 1. */
  currencies(): Promise<PayloadOf<'currencies'>> {
    return this.#caller.call('currencies', {});
  }

  /** 2. Steps, limits and fee rates of one pair (`symbol`), several (`symbols`, comma-separated) or all. Weight 10. */
  exchangeInfo(request: RequestOf<'exchangeInfo'> = {}): Promise<PayloadOf<'exchangeInfo'>> {
    return this.#caller.call('exchangeInfo', request);
  }

  /** 3. Last price and 24-hour figures of a spot pair; `size` in base, `value` in quote, the change a ratio. Weight 1. */
  ticker(request: RequestOf<'ticker'>): Promise<PayloadOf<'ticker'>> {
    return this.#caller.call('ticker', request);
  }

  /** 4. The tickers of all spot pairs. Weight 20. */
  tickers(): Promise<PayloadOf<'tickers'>> {
    return this.#caller.call('tickers', {});
  }

  /**
   * 5. A spot order, as a list of one, by `orderId` or `clientOrderId`, one of which is required; refused with 43001 if there is none.
   * Weight 2/2.
   */
  orderInfo(request: RequestOf<'orderInfo'>): Promise<PayloadOf<'orderInfo'>> {
    return this.#caller.call('orderInfo', request);
  }

  /** 6. Cancels a spot order by `orderId` or `clientOid`. `result: false` means that there was nothing to cancel. Weight 2/3. */
  cancelOrder(request: RequestOf<'cancelOrder'>, onSend?: OnSend, permit?: Permit): Promise<PayloadOf<'cancelOrder'>> {
    return this.#caller.call('cancelOrder', request, onSend, permit);
  }

  /**
   * 7. Places up to 10 spot orders of one symbol. `quantity` is in base, for a market buy in quote; it and a limit's `price` are above
   * 0. `clientOrderId`: 1 to 40 of letters, digits, `_`, `-`. An order that is missing from `resultList` may or may not have been
   * refused: look it up. Weight 5/10 for any number.
   */
  batchOrders(request: RequestOf<'batchOrders'>, onSend?: OnSend, permit?: Permit): Promise<PayloadOf<'batchOrders'>> {
    return this.#caller.call('batchOrders', request, onSend, permit);
  }

  /**
   * 8. Spot fills from `after` (start) to `before` (end); `pageIndex` from 0, `pageSize` 1 to 100, default 10. Fees in base on a buy.
   * Weight 5/5.
   */
  fills(request: RequestOf<'fills'>): Promise<PayloadOf<'fills'>> {
    return this.#caller.call('fills', request);
  }

  /**
   * 9. Balances of the spot wallet, each in its own coin: `available`, `frozen` by open orders, and `equity`, both together. Weight
   * 5/5.
   */
  accountAssets(): Promise<PayloadOf<'accountAssets'>> {
    return this.#caller.call('accountAssets', {});
  }

  /** 10. Balances of the futures wallet, each in its own coin, with their unrealized profit; served by the spot host. Weight 2/2. */
  futuresAssets(): Promise<PayloadOf<'futuresAssets'>> {
    return this.#caller.call('futuresAssets', {});
  }

  /**
   * 11. Transfers between wallets. Here `after` selects those BEFORE that time and `before` those after it. `limit` 1 to 500, default 100.
   * Weight 3/3.
   */
  transferRecords(request: RequestOf<'transferRecords'> = {}): Promise<PayloadOf<'transferRecords'>> {
    return this.#caller.call('transferRecords', request);
  }

  /** 12. Cancels a futures order, or a trigger order that has not been triggered, by `orderId` or `clientOid`. Weight 2/3. */
  cancelFuturesOrder(request: RequestOf<'cancelFuturesOrder'>, onSend?: OnSend, permit?: Permit): Promise<PayloadOf<'cancelFuturesOrder'>> {
    return this.#caller.call('cancelFuturesOrder', request, onSend, permit);
  }

  /**
   * 13. Places a futures trigger order: it waits until the last price reaches `trigger_price`, then executes at `execute_price`
   * (`match_type` 0) or at market (1). `size` is in base coin, above 0. `type`: 1 open long, 2 open short, 3 close long, 4
   * close short. It may take some 2 s to show in lists. Weight 2/5.
   */
  triggerOrder(request: RequestOf<'triggerOrder'>, onSend?: OnSend, permit?: Permit): Promise<PayloadOf<'triggerOrder'>> {
    return this.#caller.call('triggerOrder', request, onSend, permit);
  }

  /** 14. Current futures orders; `limit` 1 to 100, default 100, `page` from 0. Weight 2/2. */
  futuresOrders(request: RequestOf<'futuresOrders'> = {}): Promise<PayloadOf<'futuresOrders'>> {
    return this.#caller.call('futuresOrders', request);
  }

  /**
   * 15. The long and the short position of a contract; flat ones may be listed or not. Sizes are in base coin, values, fees and
   * margin in the margin coin, `leverage` a multiple, times epoch ms. Weight 2/3.
   */
  singlePosition(request: RequestOf<'singlePosition'>): Promise<PayloadOf<'singlePosition'>> {
    return this.#caller.call('singlePosition', request);
  }

  /**
   * 16. The futures account of one coin (USDT is 2): settings, collateral and positions in one snapshot, with a `version`. The client obeys
   * the limits on orders in it from then on. Weight 1/1.
   */
  async futuresAccount(request: RequestOf<'futuresAccount'>): Promise<PayloadOf<'futuresAccount'>> {
    const snapshot = await this.#caller.call('futuresAccount', request);
    const { create_order_rate_limit_per_minute: perMinute, create_order_delay_milliseconds: delayMs } = snapshot.account;
    const { budget, credentials } = this.#parts;
    if (credentials !== undefined) budget.limitOrders(credentials.accountId, perMinute, delayMs);
    return snapshot;
  }

  /**
   * 17. Volume, fees and commission of sub-affiliates by day (UTC, `YYYY-MM-DD`), all amounts in one coin; affiliate accounts
   * only. `startTime` and `endTime` in epoch ms; `productType` `SPOT` or `FUTURES`; `pageNum` from 1 (default), `pageSize` from 1,
   * default 100. Weight 10/10.
   */
  subAffiliateData(request: RequestOf<'subAffiliateData'>): Promise<PayloadOf<'subAffiliateData'>> {
    return this.#caller.call('subAffiliateData', request);
  }

  /**
   * 18. Users that this affiliate invited, with the times (epoch ms) at which they registered, first and last deposited and
   * traded; fields without a time are left out. `startTime` and `endTime` in epoch ms; `page` from 1 (default), `pageSize` from 1,
   * default 100. Affiliate accounts only. Weight 20/20.
   */
  invitedUsers(request: RequestOf<'invitedUsers'> = {}): Promise<PayloadOf<'invitedUsers'>> {
    return this.#caller.call('invitedUsers', request);
  }

  /**
   * 19. Moves money to another user: `amount` above 0 with at most 6 places; wallets `SPOT` (default) or `FUND`. Never repeated. Weight
   * 100/100.
   */
  internalWithdrawal(request: RequestOf<'internalWithdrawal'>): Promise<PayloadOf<'internalWithdrawal'>> {
    return this.#caller.call('internalWithdrawal', request);
  }

  /** 20. Internal withdrawals of the past month; `page` from 1, `pageSize` 1 to 200, default 100. Weight 100/100. */
  internalWithdrawalStatus(request: RequestOf<'internalWithdrawalStatus'> = {}): Promise<PayloadOf<'internalWithdrawalStatus'>> {
    return this.#caller.call('internalWithdrawalStatus', request);
  }

  /** Beyond the twenty: the spot host's time, epoch ms. */
  spotTime(): Promise<PayloadOf<'spotTime'>> {
    return this.#caller.call('spotTime', {});
  }

  /** Beyond the twenty: the futures host's time. */
  futuresTime(): Promise<PayloadOf<'futuresTime'>> {
    return this.#caller.call('futuresTime', {});
  }

  /** Beyond the twenty: last, best, mark and index price of a contract. */
  futuresTicker(request: RequestOf<'futuresTicker'>): Promise<PayloadOf<'futuresTicker'>> {
    return this.#caller.call('futuresTicker', request);
  }

  /**
   * Beyond the twenty: the newest candles of a spot pair, newest first, including the unfinished one. Each is `[opening time in epoch
   * ms, open, high, low, close, volume in base, volume in quote]`; `period` `1min` to `1day`, `limit` 1 to 1000, default 100. Weight 1.
   */
  candles(request: RequestOf<'candles'>): Promise<PayloadOf<'candles'>> {
    return this.#caller.call('candles', request);
  }

  /** Beyond the twenty: the same for a contract, in no documented order; its `granularity` is `1m` to `1d`. Weight 1. */
  futuresCandles(request: RequestOf<'futuresCandles'>): Promise<PayloadOf<'futuresCandles'>> {
    return this.#caller.call('futuresCandles', request);
  }

  /**
   * Beyond the twenty: places a futures order. `size` is in base coin; `type` 1 open long, 2 open short, 3 close long, 4 close short;
   * `order_type` 0 normal, 1 post-only, 2 fill or kill, 3 immediate or cancel; `match_price` 0 limit, which needs a `price`, or 1 market.
   * The preset prices place triggers at market that close what it has opened. Weight 2/5.
   */
  placeFuturesOrder(request: RequestOf<'placeFuturesOrder'>, onSend?: OnSend, permit?: Permit): Promise<PayloadOf<'placeFuturesOrder'>> {
    return this.#caller.call('placeFuturesOrder', request, onSend, permit);
  }

  /** Beyond the twenty: at most 20 such orders of one contract. Each entry of `order_info` has its own `result`. Weight 5/10. */
  futuresBatchOrders(request: RequestOf<'futuresBatchOrders'>, onSend?: OnSend, permit?: Permit): Promise<PayloadOf<'futuresBatchOrders'>> {
    return this.#caller.call('futuresBatchOrders', request, onSend, permit);
  }

  /** Beyond the twenty: cancels futures orders by `ids` or by `cids` (client ids). `failInfos` has those it could not cancel. Weight 5/10. */
  cancelFuturesBatch(request: RequestOf<'cancelFuturesBatch'>, onSend?: OnSend, permit?: Permit): Promise<PayloadOf<'cancelFuturesBatch'>> {
    return this.#caller.call('cancelFuturesBatch', request, onSend, permit);
  }

  /** Beyond the twenty: cancels a trigger order that has not fired. Weight 2/3. */
  cancelTrigger(request: RequestOf<'cancelTrigger'>, onSend?: OnSend, permit?: Permit): Promise<PayloadOf<'cancelTrigger'>> {
    return this.#caller.call('cancelTrigger', request, onSend, permit);
  }

  /** Beyond the twenty: cancels all open orders (`normal`) or triggers (`plan`) of the account, or of one contract. Weight 40/50. */
  cancelAllFutures(request: RequestOf<'cancelAllFutures'>, onSend?: OnSend, permit?: Permit): Promise<PayloadOf<'cancelAllFutures'>> {
    return this.#caller.call('cancelAllFutures', request, onSend, permit);
  }

  /** Beyond the twenty: closes all positions of the account, or of one contract, at market. Weight 40/50. */
  closePositions(request: RequestOf<'closePositions'> = {}, onSend?: OnSend, permit?: Permit): Promise<PayloadOf<'closePositions'>> {
    return this.#caller.call('closePositions', request, onSend, permit);
  }

  /** Beyond the twenty: a take profit or stop loss of a position: a trigger that closes `size` base coin of it. Weight 2/5. */
  placeTpSl(request: RequestOf<'placeTpSl'>, onSend?: OnSend, permit?: Permit): Promise<PayloadOf<'placeTpSl'>> {
    return this.#caller.call('placeTpSl', request, onSend, permit);
  }

  /** Beyond the twenty: moves a trigger order that has not fired. Weight 2/5. */
  modifyTpSl(request: RequestOf<'modifyTpSl'>, onSend?: OnSend, permit?: Permit): Promise<PayloadOf<'modifyTpSl'>> {
    return this.#caller.call('modifyTpSl', request, onSend, permit);
  }

  /** Beyond the twenty: futures fills of a period; `limit` 1 to 100, default 100. A fill's price is `fillValue / fillSize`. Weight 5/5. */
  futuresFills(request: RequestOf<'futuresFills'> = {}): Promise<PayloadOf<'futuresFills'>> {
    return this.#caller.call('futuresFills', request);
  }

  /** Beyond the twenty: a futures order by `orderId`, open or ended; refused with 50007 if there is none. Weight 2/2. */
  futuresOrder(request: RequestOf<'futuresOrder'>): Promise<PayloadOf<'futuresOrder'>> {
    return this.#caller.call('futuresOrder', request);
  }

  /** Beyond the twenty: futures orders that are over; `pageSize` 1 to 100. Weight 10/10. */
  futuresHistory(request: RequestOf<'futuresHistory'> = {}): Promise<PayloadOf<'futuresHistory'>> {
    return this.#caller.call('futuresHistory', request);
  }

  /** Beyond the twenty: triggers that have not fired; `limit` 1 to 100, `page` from 0. Weight 3/3. */
  triggers(request: RequestOf<'triggers'> = {}): Promise<PayloadOf<'triggers'>> {
    return this.#caller.call('triggers', request);
  }

  /** Beyond the twenty: triggers of a contract that have fired or were canceled; `pageSize` 1 to 100. Weight 5/10. */
  triggerHistory(request: RequestOf<'triggerHistory'>): Promise<PayloadOf<'triggerHistory'>> {
    return this.#caller.call('triggerHistory', request);
  }

  /** Beyond the twenty: movements of the futures wallet, such as funding; `limit` 1 to 100, default 20. Weight 2/5. */
  futuresBills(request: RequestOf<'futuresBills'> = {}): Promise<PayloadOf<'futuresBills'>> {
    return this.#caller.call('futuresBills', request);
  }

  /** Beyond the twenty: the positions of all contracts. Weight 10/15. */
  allPositions(): Promise<PayloadOf<'allPositions'>> {
    return this.#caller.call('allPositions', {});
  }

  /** Beyond the twenty: the leverage of one contract (`symbol`) or of all, by symbol, as multiples. Weight 1/1. */
  leverageSettings(request: RequestOf<'leverageSettings'> = {}): Promise<PayloadOf<'leverageSettings'>> {
    return this.#caller.call('leverageSettings', request);
  }

  /** Beyond the twenty: sets the leverage of a contract; `marginMode` (1 cross, 3 isolated) must be the account's. Weight 10/20. */
  setLeverage(request: RequestOf<'setLeverage'>): Promise<PayloadOf<'setLeverage'>> {
    return this.#caller.call('setLeverage', request);
  }

  /** Beyond the twenty: steps, sizes, fees, leverage and settlement times of one contract (`symbol`) or of all. Weight 10. */
  contracts(request: RequestOf<'contracts'> = {}): Promise<PayloadOf<'contracts'>> {
    return this.#caller.call('contracts', request);
  }

  /** Beyond the twenty: the order book of a contract, best prices first; `limit` 15 or 200 levels. Weight 1. */
  futuresDepth(request: RequestOf<'futuresDepth'>): Promise<PayloadOf<'futuresDepth'>> {
    return this.#caller.call('futuresDepth', request);
  }

  /** Beyond the twenty: the present funding rate of one contract or of all, as a share of the value; longs pay a positive one. Weight 1. */
  fundingRate(request: RequestOf<'fundingRate'> = {}): Promise<PayloadOf<'fundingRate'>> {
    return this.#caller.call('fundingRate', request);
  }

  /** Beyond the twenty: past funding rates of a contract; `limit` 1 to 100, default 10. Weight 5. */
  fundingHistory(request: RequestOf<'fundingHistory'>): Promise<PayloadOf<'fundingHistory'>> {
    return this.#caller.call('fundingHistory', request);
  }

  /** Measures how far the exchange's clock is ahead of ours. @returns the best known offset and its largest possible error, in ms. */
  async measureClock(): Promise<{ readonly offsetMs: number; readonly errorMs: number }> {
    await this.#caller.measureClock();
    const { offsetMs, errorMs } = this.#caller.offset;
    return { offsetMs, errorMs };
  }

  /** The local clock was set: the offset counts as unknown, and signed requests wait until it is measured again. */
  distrustClock(): void {
    this.#caller.offset.distrust();
  }

  /** The exchange's time, in whole epoch ms, by the last measurement. */
  serverTime(): number {
    return this.#caller.offset.serverTime();
  }

  /** Whether the exchange's time is known for signed requests; if not, they wait for it. */
  get timeKnown(): boolean {
    return this.#caller.offset.known;
  }

  /** The largest possible error of `serverTime`, in ms; infinite until it is measured. */
  get timeErrorMs(): number {
    return this.#caller.offset.errorMs;
  }

  /** Measures the exchange's time if it is unknown, and waits for it. */
  learnTime(): Promise<void> {
    return this.#caller.learnTime();
  }

  /** Free share of the limits for orders, from 0 to 1. */
  get free(): number {
    const { budget, credentials } = this.#parts;
    return credentials === undefined ? 1 : budget.free(credentials.accountId);
  }

  /** Waits for a permit to send; see `Caller.enter`. The permit is passed to the method that makes the request. */
  enter(name: OperationName, entering: Entering, start: (permit: Permit | undefined) => void): () => void {
    return this.#caller.enter(name, entering, start);
  }

  /** Ends the kept connections; calls in progress fail. */
  close(): Promise<void> {
    return this.#caller.close();
  }
}

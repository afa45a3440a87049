import { recordType } from '../../exchange/mapping.ts';
import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import type { CollateralRecord, ContractSettingRecord, OrderRecord, PositionRecord } from '../../matching/futures/records.ts';
import { Decimal, ZERO } from '../../model/decimal.ts';
import { initialMargin, liquidationPrice, unrealizedProfit } from '../../model/margin.ts';
import type { OrderEntry } from '../core/order-store.ts';
import type { ListSettings } from '../options.ts';
import { Refusal } from '../refusal.ts';
import { type Call, coinNamed, contractId, listed, pageOf, shownUntil, wireTime } from './call.ts';
import { cancel } from './spot.ts';

/**
 * Operation 10: the futures wallet. `equity` is the collateral plus unrealised profit at the mark; `available`
 * the free margin for a new order; `frozen` the margin of positions and opening orders.
 */
export function futuresAssets(_request: unknown, { exchange, account }: Call): PayloadOf<'futuresAssets'> {
  const { futures } = account;
  return exchange.coins.flatMap(({ id, name }) => {
    const { total, frozen } = futures.ledger.balance(name);
    if (total.isZero() && frozen.isZero()) return [];
    const profit = futures
      .positionRecords()
      .filter(({ instrument }) => instrument.quote === name)
      .reduce(
        (sum, position) =>
          sum.plus(position.steps === 0 ? ZERO : unrealizedProfit(position, exchange.market.view(position.instrument).markPrice)),
        ZERO,
      );
    return [
      {
        coinId: id,
        coinName: name,
        available: Decimal.max(ZERO, futures.margin(name).free).toFixed(),
        frozen: frozen.toFixed(),
        equity: total.plus(profit).toFixed(),
        unrealizePnl: profit.toFixed(),
      },
    ];
  });
}

/** Operation 12: cancels a futures order of the caller, untriggered ones included. */
export function cancelFuturesOrder(request: RequestOf<'cancelFuturesOrder'>, call: Call): PayloadOf<'cancelFuturesOrder'> {
  return cancel('futures', request, call);
}

/** Operation 13: places a futures trigger order. @throws Refusal. */
export function triggerOrder(request: RequestOf<'triggerOrder'>, { exchange, account, act }: Call): PayloadOf<'triggerOrder'> {
  const { symbol, client_oid: clientOid, size, type, match_type, execute_price, trigger_price: triggerPrice } = request;
  const instrument = listed(exchange, 'futures', symbol);
  const price = match_type === '0' ? execute_price : undefined;
  const placed = act('placeTrigger', {
    uid: account.uid,
    symbol: instrument.symbol,
    order: { clientOid, size, type, price, triggerPrice },
  });
  if ('refusal' in placed) throw placed.refusal;
  return { client_oid: placed.entry.clientOrderId, order_id: placed.entry.orderId };
}

/** Operation 14: the caller's futures orders, newest first; ended ones only if the setting keeps them. */
export function futuresOrders(request: RequestOf<'futuresOrders'>, call: Call): PayloadOf<'futuresOrders'> {
  const { exchange, account } = call;
  const now = shownUntil('current', call);
  const { symbol, orderId, startTime = 0, endTime = Number.POSITIVE_INFINITY, limit = 100, page = 0 } = request;
  const instrument = symbol === undefined ? undefined : listed(exchange, 'futures', symbol);
  const live = new Map(exchange.matching.orders(account.trading).map((record) => [record.clientOrderId, record]));
  const { lists, behaviour } = exchange;
  const kept = lists.keepTerminalOrders ? account.orders.all : account.orders.listed(now, lists.cancelingMs);
  const found = kept.filter((entry) => {
    const created = wireTime(entry.createdTime);
    return (
      entry.instrument.kind === 'futures' &&
      (instrument === undefined || entry.instrument === instrument) &&
      (orderId === undefined || entry.orderId === orderId) &&
      entry.shownFrom <= now &&
      (behaviour.currentListsTriggers || !entry.isTrigger || entry.triggered !== undefined) &&
      created >= startTime &&
      created <= endTime
    );
  });
  return pageOf(found.reverse(), page, limit).flatMap((entry) => {
    const record = entry.final ?? live.get(entry.key);
    return record === undefined ? [] : [orderRecord(entry, record, now, lists)];
  });
}

/** An order in operation 14, and in the lists beyond the twenty, as a read at `now` shows it. */
export function orderRecord(entry: OrderEntry, record: OrderRecord, now: number, lists: ListSettings): PayloadOf<'futuresOrders'>[number] {
  const { instrument, request } = entry;
  const shown = entry.fillsShown(now).map(({ fill }) => fill);
  const steps = shown.reduce((sum, fill) => sum + fill.steps, 0);
  const all = shown.length === entry.fills.length;
  const market = record.type === 'market';
  // A fired trigger may be a new order, with an id of its own.
  const isFired = shown.length > 0 || entry.endShown(now) !== undefined || now >= (entry.triggered?.shownFrom ?? Number.POSITIVE_INFINITY);
  const fired = isFired ? entry.triggered : undefined;
  const renamed = entry.orderId !== entry.acceptedId;
  return {
    symbol: wireSymbol(instrument.symbol),
    size: record.quantity.toFixed(),
    client_oid: fired === undefined ? entry.clientOrderId : entry.orderClientId,
    createTime: wireTime(fired !== undefined && renamed ? fired.time : record.createdTime),
    filled_qty: instrument.step.toText(steps),
    fee: all ? record.fee.toFixed() : shown.reduce((sum, { fee }) => sum.plus(fee), record.fee.minus(record.fee)).toFixed(),
    order_id: fired === undefined && renamed ? entry.acceptedId : entry.orderId,
    price: record.price?.toFixed() ?? '0.0',
    price_avg: averagePrice(entry, record, now),
    status: futuresStatus(entry, record, now, lists),
    type: recordType(record, record.liquidation),
    order_type: market ? 'ioc' : record.postOnly ? 'postOnly' : ORDER_TYPES[request.timeInForce],
    // The profit of one fill of several is not known separately, so it shows with the last of them.
    totalProfits: all ? record.profit.toFixed() : '0',
    contracts: record.contracts?.floor().toNumber() ?? 0,
  };
}

/** The document has two words for shared collateral: a setting chooses one. */
function modeWord(mode: 'shared' | 'isolated', { sharedMode = 'SHARED' }: ListSettings): string {
  return mode === 'shared' ? sharedMode : 'ISOLATED';
}

const ORDER_TYPES = { GTC: 'normal', IOC: 'ioc', FOK: 'fok' } as const;

function averagePrice(entry: OrderEntry, record: OrderRecord, now: number): string {
  const shown = entry.fillsShown(now).map(({ fill }) => fill);
  if (shown.length === entry.fills.length) return record.averagePrice.toFixed();
  const steps = shown.reduce((sum, fill) => sum + fill.steps, 0);
  if (steps === 0) return '0';
  const { step } = entry.instrument;
  const value = shown.map(({ notional }) => notional).reduce((sum, notional) => sum.plus(notional));
  return value.div(step.toDecimal(steps)).toDecimalPlaces(18).toFixed();
}

function futuresStatus(entry: OrderEntry, record: OrderRecord, now: number, { pendingMs = 0, cancelingMs = 0 }: ListSettings): string {
  const end = entry.endShown(now);
  if (entry.isCanceling(now, cancelingMs)) return 'canceling';
  if (end !== undefined) return end;
  // A read that shows a fill also shows that the order was triggered.
  const fired = entry.request.triggerTicks === undefined || (entry.triggered?.shownFrom ?? Number.POSITIVE_INFINITY) <= now;
  if (!fired && entry.fillsShown(now).length === 0) return 'untriggered';
  const shownSince = entry.triggered?.time ?? entry.createdTime;
  if (now < shownSince + pendingMs && entry.fillsShown(now).length === 0) return 'pending';
  // Ended, but not shown as ended yet.
  return record.status === 'filled' || record.status === 'canceled' ? 'open' : record.status;
}

/** Operation 15: the caller's positions of one contract, long and short. */
export function singlePosition({ symbol }: RequestOf<'singlePosition'>, call: Call): PayloadOf<'singlePosition'> {
  const instrument = listed(call.exchange, 'futures', symbol);
  return positionsOf(call)
    .filter((position) => position.instrument === instrument)
    .map((position) => positionRecord(position, call));
}

/** The caller's positions that are listed: flat ones only if the setting keeps them. */
function positionsOf({ exchange, account }: Call): PositionRecord[] {
  const { keepFlatPositions } = exchange.lists;
  return account.futures.positionRecords().filter(({ steps }) => keepFlatPositions || steps !== 0);
}

/** A position in operations 15 and 16. Their schemas have different forms of ids and times. */
function positionRecord(position: PositionRecord, { exchange, account }: Call): PayloadOf<'singlePosition'>[number] {
  const { instrument, cumulative } = position;
  const orderId = (count: string) => exchange.ids.order(count);
  return {
    id: orderId(position.positionId),
    account_id: account.uid,
    coin_id: coinNamed(exchange, instrument.quote)!.id,
    contract_id: contractId(exchange, instrument),
    symbol: wireSymbol(instrument.symbol),
    side: position.positionSide.toUpperCase(),
    margin_mode: modeWord(position.mode, exchange.lists),
    separated_mode: position.separated ? 'SEPARATED' : 'COMBINED',
    separated_open_order_id: position.openOrderId === undefined ? '0' : orderId(position.openOrderId),
    leverage: position.leverage.toFixed(),
    size: position.quantity.toFixed(),
    open_value: position.openValue.toFixed(),
    open_fee: position.openFee.toFixed(),
    funding_fee: position.funding.toFixed(),
    isolated_margin: position.isolatedMargin.toFixed(),
    is_auto_append_isolated_margin: position.autoAppend,
    cum_open_size: cumulative.openQuantity.toFixed(),
    cum_open_value: cumulative.openValue.toFixed(),
    cum_open_fee: cumulative.openFee.toFixed(),
    cum_close_size: cumulative.closeQuantity.toFixed(),
    cum_close_value: cumulative.closeValue.toFixed(),
    cum_close_fee: cumulative.closeFee.toFixed(),
    cum_funding_fee: cumulative.funding.toFixed(),
    cum_liquidate_fee: cumulative.liquidationFee.toFixed(),
    created_match_sequence_id: String(position.createdSequence),
    updated_match_sequence_id: String(position.updatedSequence),
    created_time: wireTime(position.createdTime),
    updated_time: wireTime(position.updatedTime),
  };
}

/** Beyond the twenty: the positions of all contracts, with their margin and liquidation prices. */
export function allPositions(_request: unknown, call: Call): PayloadOf<'allPositions'> {
  return positionsOf(call).map((position) => {
    const { instrument, openValue, leverage, isolatedMargin, steps, mode } = position;
    const { markPrice } = call.exchange.market.view(instrument);
    const pool = call.account.futures.collateralRecords().find((one) => one.currency === instrument.quote && one.mode === 'shared');
    const collateral = mode === 'isolated' ? isolatedMargin : (pool?.legacyAmount ?? ZERO);
    return {
      ...positionRecord(position, call),
      marginSize: (mode === 'isolated' ? isolatedMargin : initialMargin(openValue, leverage)).toFixed(),
      contractVal: instrument.contract?.value.toFixed() ?? '',
      unrealizePnl: steps === 0 ? '0' : unrealizedProfit(position, markPrice).toFixed(),
      liquidatePrice: steps === 0 ? '0' : (liquidationPrice(position, collateral)?.toFixed() ?? '0'),
    };
  });
}

/** Beyond the twenty: the leverage of one contract or of all, by symbol. @throws Refusal 40102. */
export function leverageSettings({ symbol }: RequestOf<'leverageSettings'>, { exchange, account }: Call): PayloadOf<'leverageSettings'> {
  const only = symbol === undefined ? undefined : listed(exchange, 'futures', symbol);
  const contracts = account.futures.record().contracts.filter(({ instrument }) => only === undefined || instrument === only);
  return Object.fromEntries(
    contracts.map((setting) => {
      const { isolated_long_leverage, isolated_short_leverage, cross_leverage } = leverageSetting(setting, '');
      return [wireSymbol(setting.instrument.symbol), { isolated_long_leverage, isolated_short_leverage, cross_leverage }];
    }),
  );
}

/**
 * Operation 16: settings, collateral and positions of the caller in one coin: one snapshot, whose `version` grows with
 * every change. @throws Refusal 40020 for an unknown coin.
 */
export function futuresAccount({ coinId }: RequestOf<'futuresAccount'>, call: Call): PayloadOf<'futuresAccount'> {
  const { exchange, account, limits } = call;
  const coin = exchange.coins.find(({ id }) => String(id) === coinId);
  if (coin === undefined) throw new Refusal('40020', `coinId ${coinId}: no such coin`);
  const { version, contracts, createdTime, updatedTime } = account.futures.record();
  const { registerTime } = account.identity;
  const byContract = <T>(value: (setting: (typeof contracts)[number], id: string) => T): Record<string, T> =>
    Object.fromEntries(
      contracts.map((setting) => {
        const id = contractId(exchange, setting.instrument);
        return [id, value(setting, id)];
      }),
    );
  return {
    account: {
      id: account.uid,
      user_id: account.uid,
      client_account_id: account.identity.name,
      is_system_account: false,
      default_fee_setting: null,
      contract_id_to_fee_setting: byContract(feeSetting),
      contract_id_to_mode_setting: byContract((setting, id) => modeSetting(setting, id, exchange.lists)),
      contract_id_to_leverage_setting: byContract(leverageSetting),
      create_order_rate_limit_per_minute: limits.ordersPerMinute,
      create_order_delay_milliseconds: limits.orderDelayMs,
      extra_type: '',
      extra_data_json: '',
      status: 'NORMAL',
      created_time: wireTime(Number.isNaN(createdTime) ? registerTime : createdTime),
      updated_time: wireTime(Number.isNaN(updatedTime) ? registerTime : updatedTime),
    },
    collateral: account.futures
      .collateralRecords()
      .filter(({ currency }) => currency === coin.name)
      .map((record) => collateralRecord(record, coin.id, call)),
    position: positionsOf(call)
      .filter(({ instrument }) => instrument.quote === coin.name)
      .map((position) => positionRecord(position, call)),
    version: String(version),
  };
}

/** A collateral in operation 16: every cumulative field has its sign, and their total is `amount`. */
function collateralRecord(
  record: CollateralRecord,
  coinId: number,
  { exchange, account }: Call,
): PayloadOf<'futuresAccount'>['collateral'][number] {
  const { cumulative: sums } = record;
  return {
    account_id: account.uid,
    coin_id: coinId,
    margin_mode: modeWord(record.mode, exchange.lists),
    cross_contract_id: 0,
    isolated_position_id: record.positionId === undefined ? '0' : exchange.ids.order(record.positionId),
    amount: record.amount.toFixed(),
    // Deposits and transfers of this exchange are complete at once.
    pending_deposit_amount: '0',
    pending_withdraw_amount: '0',
    pending_transfer_in_amount: '0',
    pending_transfer_out_amount: '0',
    is_liquidating: record.liquidating,
    legacy_amount: record.legacyAmount.toFixed(),
    cum_deposit_amount: sums.deposit.toFixed(),
    cum_withdraw_amount: sums.withdraw.toFixed(),
    cum_transfer_in_amount: sums.transferIn.toFixed(),
    cum_transfer_out_amount: sums.transferOut.toFixed(),
    cum_margin_move_in_amount: sums.marginMoveIn.toFixed(),
    cum_margin_move_out_amount: sums.marginMoveOut.toFixed(),
    cum_position_open_long_amount: sums.openLong.toFixed(),
    cum_position_open_short_amount: sums.openShort.toFixed(),
    cum_position_close_long_amount: sums.closeLong.toFixed(),
    cum_position_close_short_amount: sums.closeShort.toFixed(),
    cum_position_fill_fee_amount: sums.fee.toFixed(),
    cum_position_liquidate_fee_amount: sums.liquidationFee.toFixed(),
    cum_position_funding_amount: sums.funding.toFixed(),
    cum_order_fill_fee_income_amount: sums.feeIncome.toFixed(),
    cum_order_liquidate_fee_income_amount: sums.liquidationFeeIncome.toFixed(),
    created_time: wireTime(record.createdTime),
    updated_time: wireTime(record.updatedTime),
  };
}

/** The fees of one contract in operation 16: the contract's own rates, no discounts. */
function feeSetting({ takerFee, makerFee }: ContractSettingRecord, contract_id: string) {
  return {
    contract_id,
    is_set_fee_rate: true,
    taker_fee_rate: takerFee.toFixed(),
    maker_fee_rate: makerFee.toFixed(),
    is_set_fee_discount: false,
    fee_discount: '0',
    is_set_taker_maker_fee_discount: false,
    taker_fee_discount: '0',
    maker_fee_discount: '0',
  };
}

function modeSetting({ mode, separated }: ContractSettingRecord, contract_id: string, lists: ListSettings) {
  return {
    contract_id,
    margin_mode: modeWord(mode, lists),
    separated_mode: separated ? 'SEPARATED' : 'COMBINED',
    position_mode: 'HEDGE',
  };
}

/** The wire has one leverage for shared margin: if the sides differ, the lower one, at which no order lacks margin. */
function leverageSetting({ longLeverage, shortLeverage }: ContractSettingRecord, contract_id: string) {
  const shared = Decimal.min(longLeverage, shortLeverage).toFixed();
  return {
    contract_id,
    isolated_long_leverage: longLeverage.toFixed(),
    isolated_short_leverage: shortLeverage.toFixed(),
    cross_leverage: shared,
    shared_leverage: shared,
  };
}

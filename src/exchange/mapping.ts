import { Decimal } from '../model/decimal.ts';
import { invariant } from '../model/errors.ts';
import type { Instrument } from '../model/instrument.ts';
import { Mark, Ticker } from '../model/market-events.ts';
import type { LiquidationType, OrderRequest, PositionSide, Side, TimeInForce } from '../model/order.ts';
import type { PayloadOf, RequestOf } from './operations/operations.ts';
import { wireSymbol } from './symbols.ts';

/** The direction of a futures order: opening buys the long side or sells the short one, closing does the reverse. */
interface FuturesDirection {
  readonly side: Side;
  readonly positionSide: 'long' | 'short';
}

type TriggerType = '1' | '2' | '3' | '4';

/** The `type` of operation 13. */
export function triggerType({ side, positionSide }: FuturesDirection): TriggerType {
  if (positionSide === 'long') return side === 'buy' ? '1' : '3';
  return side === 'sell' ? '2' : '4';
}

const PREFIXES: Readonly<Record<string, LiquidationType>> = {
  offset_liquidate: 'offsetLiquidation',
  burst_liquidate: 'burstLiquidation',
  agreement_close: 'agreementClose',
  deleverage: 'autoDeleveraging',
};

/** The numbers of types in records of triggers, long and short in turn, from 1. The words of orders lack those of deleveraging. */
const NUMBERED = ['open', 'open', 'close', 'close', 'close', 'close', 'deleverage', 'deleverage', 'burst_liquidate', 'burst_liquidate'];

/**
 * The meaning of the `type` of an order or trigger, a word or a number: its direction, and the reason if it was forced. `undefined` for an
 * unknown value.
 */
export function directionOfRecord(type: string): (FuturesDirection & { readonly forced: LiquidationType | undefined }) | undefined {
  const numbered = /^[1-9]\d*$/.test(type) ? NUMBERED[Number(type) - 1] : undefined;
  const word = numbered === undefined ? type.toLowerCase() : `${numbered}_${Number(type) % 2 === 1 ? 'long' : 'short'}`;
  const [, action = '', side] = /^([a-z_]+)_(long|short)$/.exec(word) ?? [];
  if (side !== 'long' && side !== 'short') return undefined;
  const closing: Side = side === 'long' ? 'sell' : 'buy';
  if (action === 'open') return { side: side === 'long' ? 'buy' : 'sell', positionSide: side, forced: undefined };
  if (action === 'close') return { side: closing, positionSide: side, forced: undefined };
  return Object.hasOwn(PREFIXES, action) ? { side: closing, positionSide: side, forced: PREFIXES[action] } : undefined;
}

/** The `type` of a current order. Auto-deleveraging has a number alone. */
export function recordType(
  { side, positionSide }: { readonly side: Side; readonly positionSide: PositionSide },
  forced?: LiquidationType,
): string {
  if (forced === 'autoDeleveraging') return positionSide === 'long' ? '7' : '8';
  const opens = (positionSide === 'long') === (side === 'buy');
  const prefix = forced === undefined ? undefined : Object.keys(PREFIXES).find((name) => PREFIXES[name] === forced);
  return `${prefix ?? (opens ? 'open' : 'close')}_${positionSide}`;
}

/** `force` of spot orders, `order_type` of futures orders: one value for time in force and post-only. */
export type WireTerms = 'normal' | 'postOnly' | 'fok' | 'ioc';

interface OrderTerms {
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
}

const TERMS: Readonly<Record<WireTerms, OrderTerms>> = {
  normal: { timeInForce: 'GTC', postOnly: false },
  postOnly: { timeInForce: 'GTC', postOnly: true },
  fok: { timeInForce: 'FOK', postOnly: false },
  ioc: { timeInForce: 'IOC', postOnly: false },
};

export function termsOf(wire: WireTerms): OrderTerms {
  return TERMS[wire];
}

/** Post-only has no other time in force here: it rests until canceled. */
export function wireTerms({ timeInForce, postOnly }: OrderTerms): WireTerms {
  if (postOnly) return 'postOnly';
  return timeInForce === 'GTC' ? 'normal' : timeInForce === 'FOK' ? 'fok' : 'ioc';
}

type BatchEntry = RequestOf<'batchOrders'>['orderList'][number];

/** A spot order as an entry of operation 7. Market orders have no price, but a force. */
export function batchEntry(order: OrderRequest): BatchEntry {
  const { clientOrderId, side, type, priceTicks, instrument } = order;
  const price = priceTicks === undefined ? {} : { price: instrument.tick.toText(priceTicks) };
  return { side, orderType: type, force: wireTerms(order), ...price, quantity: quantityText(order), clientOrderId };
}

/** Values of a futures order's `order_type`. */
const ORDER_TYPES: Readonly<Record<WireTerms, '0' | '1' | '2' | '3'>> = { normal: '0', postOnly: '1', fok: '2', ioc: '3' };

/** A futures order as an entry of a batch; alone, it also has the symbol. */
export function futuresEntry(order: OrderRequest): RequestOf<'futuresBatchOrders'>['orderDataList'][number] {
  const { clientOrderId, side, positionSide, type, priceTicks, instrument } = order;
  invariant(positionSide !== 'net', 'a futures order has a position side');
  return {
    client_oid: clientOrderId,
    size: quantityText(order),
    type: triggerType({ side, positionSide }),
    order_type: type === 'market' ? '0' : ORDER_TYPES[wireTerms(order)],
    match_price: type === 'market' ? '1' : '0',
    ...(priceTicks !== undefined && { price: instrument.tick.toText(priceTicks) }),
  };
}

/** A futures trigger order as operation 13 takes it. */
export function triggerRequest(order: OrderRequest): RequestOf<'triggerOrder'> {
  const { clientOrderId, side, positionSide, type, priceTicks, triggerTicks, instrument } = order;
  invariant(triggerTicks !== undefined && positionSide !== 'net', 'a trigger order has a trigger price and a position side');
  const trigger = instrument.tick.toText(triggerTicks);
  return {
    symbol: wireSymbol(instrument.symbol),
    client_oid: clientOrderId,
    size: quantityText(order),
    type: triggerType({ side, positionSide }),
    match_type: type === 'market' ? '1' : '0',
    // Required for market orders too, where the document's own sample repeats the trigger.
    execute_price: priceTicks === undefined ? trigger : instrument.tick.toText(priceTicks),
    trigger_price: trigger,
  };
}

/** In base, or in quote for an order by amount. */
function quantityText({ steps, quoteQuantity, instrument }: OrderRequest): string {
  if (quoteQuantity !== undefined) return quoteQuantity.toFixed();
  invariant(steps !== undefined, 'an order has steps or a quote quantity');
  return instrument.step.toText(steps);
}

/** The state of an order at the venue. `canceling` is on its way to `canceled`. */
export type VenueStatus = 'pending' | 'untriggered' | 'open' | 'partiallyFilled' | 'filled' | 'canceling' | 'canceled';

/** Values of both hosts, documented and recorded ones, without case and separators. */
const STATUSES: Readonly<Record<string, VenueStatus>> = {
  new: 'open',
  open: 'open',
  partialfill: 'partiallyFilled',
  partialfilled: 'partiallyFilled',
  partiallyfilled: 'partiallyFilled',
  fullfill: 'filled',
  filled: 'filled',
  cancelled: 'canceled',
  canceled: 'canceled',
  pending: 'pending',
  canceling: 'canceling',
  cancelling: 'canceling',
  untriggered: 'untriggered',
};

/** The meaning of a status of either host; `undefined` for an unknown value. */
export function statusOf(wire: string): VenueStatus | undefined {
  const word = wire.toLowerCase().replace(/[^a-z]/g, '');
  return Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined;
}

export type SpotFillRecord = PayloadOf<'fills'>['fillsOrderResultList'][number];

/** A fill record in exact numbers. */
interface SpotFillFigures {
  readonly side: 'buy' | 'sell';
  readonly price: Decimal;
  readonly quantity: Decimal;
  /** In quote. */
  readonly notional: Decimal;
  readonly fee: Decimal;
  /** The fee is paid in the received asset: base on a buy, quote on a sell. */
  readonly feeAsset: string;
}

/** `undefined` for a record that cannot be a fill: without a known side, or without quantity. An empty price is total / quantity. */
export function spotFillFigures(record: SpotFillRecord): SpotFillFigures | undefined {
  const side = record.side.toLowerCase();
  const quantity = new Decimal(record.fillQuantity);
  if ((side !== 'buy' && side !== 'sell') || !quantity.isPositive() || quantity.isZero()) return undefined;
  const notional = new Decimal(record.fillTotalAmount);
  const price = record.fillPrice === '' ? notional.div(quantity) : new Decimal(record.fillPrice);
  return {
    side,
    price,
    quantity,
    notional,
    fee: new Decimal(record.fees),
    feeAsset: side === 'buy' ? record.baseCoin : record.quoteCoin,
  };
}

/**
 * A mark price as a market event, in its own decimals. Digits beyond an exact integer are cut off.
 * `undefined` if it is no price (not above 0).
 */
export function markEvent(instrument: Instrument, markPrice: string, time: number, sequence: number): Mark | undefined {
  const price = new Decimal(markPrice);
  if (!price.isFinite() || !price.greaterThan(0)) return undefined;
  for (let decimals = price.decimalPlaces(); decimals >= 0; decimals--) {
    const units = price.times(new Decimal(10).pow(decimals)).trunc().toNumber();
    if (Number.isSafeInteger(units)) return units > 0 ? new Mark(instrument, time, sequence, units, decimals) : undefined;
  }
  return undefined;
}

/** A last price of either host as a market event; `undefined` if it is no price of the instrument (for example not above 0). */
export function tickerEvent(instrument: Instrument, lastPrice: string, time: number, sequence: number): Ticker | undefined {
  const ticks = instrument.tick.snap(lastPrice, 'down');
  return ticks !== undefined && ticks > 0 ? new Ticker(instrument, time, sequence, ticks) : undefined;
}

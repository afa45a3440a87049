import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../../exchange/errors.ts';
import { statusOf } from '../../../exchange/mapping.ts';
import type { PayloadOf } from '../../../exchange/operations/operations.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { Decimal, ZERO } from '../../../model/decimal.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { OrderRequest } from '../../../model/order.ts';
import { type Adoption, type OrderLife, unitsOn } from '../order-life.ts';
import { isOlder, TrackedOrder, type TrackedOrders } from '../tracked-orders.ts';
import type { LostOrders } from '../trading.ts';

type OrderRecord = PayloadOf<'orderInfo'>[number];

/** The exchange's code for an order that does not exist. */
const NOT_FOUND = '43001';
/** Batches of client ids after which a start stops searching. */
const MOST_BATCHES = 50;
const TRIES = 3;
/**
 * How an order of the exchange differs from ours under the same client id. An exchange accepts an id again after its order has
 * ended. @returns undefined if it may be the same order.
 */
export function unlikeSent(record: OrderRecord, { request, orderId, sentAt, shown }: TrackedOrder): string | undefined {
  const { instrument, side, type, priceTicks, steps, quoteQuantity } = request;
  const price = priceTicks === undefined ? undefined : instrument.tick.toDecimal(priceTicks);
  const quantity = quoteQuantity ?? (steps === undefined ? undefined : instrument.step.toDecimal(steps));
  if (orderId !== '' && record.orderId === orderId) return undefined;
  if (orderId !== '' && shown) return `it is order ${record.orderId}, not ${orderId}`;
  if (isOther(record.side, side) || isOther(record.orderType, type)) return `it is a ${record.orderType} ${record.side}`;
  if (isOther(record.symbol, wireSymbol(instrument.symbol))) return `it is on ${record.symbol}`;
  if (isUnequal(record.price, price)) return `its price is ${record.price}`;
  if (isUnequal(record.quantity, quantity)) return `its quantity is ${record.quantity}`;
  return isOlder(Number(record.cTime), sentAt) ? 'it is older than the request' : undefined;
}

/** An empty field of the exchange is no difference. */
function isOther(there: string | undefined, here: string): boolean {
  return there !== undefined && there !== '' && there.toLowerCase() !== here.toLowerCase();
}

function isUnequal(there: string | undefined, here: Decimal | undefined): boolean {
  if (there === undefined || there === '' || here === undefined) return false;
  const amount = new Decimal(there);
  return !amount.isZero() && !amount.equals(here);
}

interface LostSpotParts {
  readonly client: Pick<ExchangeClient, 'orderInfo'>;
  readonly orders: TrackedOrders;
  readonly life: OrderLife;
  readonly adoption: Adoption;
  readonly lost: LostOrders;
}

/**
 * Recovers spot orders of this bot that the exchange has and the journal lacks, whatever their state. Each becomes an order of
 * its strategy again, so that its fills count and no closed position remains in the books.
 */
export class LostSpot {
  /** The start is over: an order without a known strategy now halts instead of refusing the start. */
  isOpen = false;
  /** Client ids that were looked up, and whether an order existed. */
  readonly #probed = new Map<string, boolean>();

  constructor(private readonly parts: LostSpotParts) {}
  /**
   * @returns `later` if its quantity is not known yet; undefined if the order is not ours, or its strategy is unknown: then its fills
   * belong to no strategy.
   * @throws TidegateError START_REFUSED during the start, if its strategy is unknown: the positions would be uncertain.
   */
  take(record: OrderRecord, instrument: Instrument): TrackedOrder | 'later' | undefined {
    const { lost, adoption } = this.parts;
    const held = lost.heldUnder(record.clientOrderId);
    if (held !== undefined && isAlike(record, held)) return this.#takeHeld(record, held);
    const owner = lost.ownerOf(record.clientOrderId, instrument.symbol);
    if (owner === undefined) return undefined;
    lost.found(record.clientOrderId);
    const side = record.side.toLowerCase();
    if (owner.strategyId === undefined && !this.isOpen) throw unclaimed(record);
    if (owner.strategyId === undefined || (side !== 'buy' && side !== 'sell')) return undefined;
    const { step, tick } = instrument;
    const priceTicks = record.price === '' ? undefined : unitsOn(tick, new Decimal(record.price));
    const filled = record.fillQuantity === '' ? ZERO : new Decimal(record.fillQuantity);
    const isLimit = priceTicks !== undefined && record.orderType.toLowerCase() !== 'market';
    // A market order states its quantity in a different unit. Once it has ended, the filled quantity counts.
    const status = statusOf(record.status);
    if (!isLimit && status !== 'filled' && status !== 'canceled') return 'later';
    const steps = unitsOn(step, isLimit ? new Decimal(record.quantity) : filled);
    if (steps === undefined) return undefined;
    return adoption.adopt(
      {
        orderId: record.orderId,
        instrument,
        side,
        positionSide: 'net',
        type: isLimit ? 'limit' : 'market',
        timeInForce: isLimit ? 'GTC' : 'IOC',
        postOnly: false,
        reduceOnly: false,
        priceTicks: isLimit ? priceTicks : undefined,
        steps,
        filledSteps: 0,
        filledNotional: ZERO,
        fillIds: [],
      },
      owner.strategyId,
    );
  }

  /** A held order was sent after all: its fills belong to it, and it is not sent again. */
  #takeHeld(record: OrderRecord, held: OrderRequest): TrackedOrder {
    const { lost, orders, life } = this.parts;
    lost.found(record.clientOrderId);
    const known = orders.find(record.clientOrderId);
    if (known !== undefined) return known;
    const order = new TrackedOrder(asSent(record, held));
    order.phase = 'unknown';
    orders.add(order);
    life.accepted(order, record.orderId);
    life.lookIn(order, 0);
    return order;
  }

  /**
   * Looks up the next client ids. An order under one of them comes from a run that the journal has lost. Continues
   * as long as it finds one.
   */
  async probe(nextIds: (batch: number) => readonly string[], instruments: readonly Instrument[]): Promise<void> {
    for (let batch = 0, isFound = true; isFound && batch < MOST_BATCHES; batch++) {
      isFound = false;
      for (const clientOrderId of nextIds(batch)) {
        // A retried start does not look it up again.
        const isLost = this.#probed.get(clientOrderId) ?? (await this.#tried(clientOrderId, instruments));
        this.#probed.set(clientOrderId, isLost);
        isFound ||= isLost;
      }
    }
  }

  /** An exchange with occasional errors must not fail a start at each look-up. */
  async #tried(clientOrderId: string, instruments: readonly Instrument[]): Promise<boolean> {
    for (let left = TRIES - 1; ; left--) {
      try {
        return await this.#isLost(clientOrderId, instruments);
      } catch (error) {
        if (left === 0 || !(error instanceof ExchangeError) || !error.retryable) throw error;
      }
    }
  }

  async #isLost(clientOrderId: string, instruments: readonly Instrument[]): Promise<boolean> {
    const record = await this.#find(clientOrderId);
    const instrument = instruments.find(({ symbol }) => wireSymbol(symbol).toUpperCase() === record?.symbol.toUpperCase());
    if (record === undefined || instrument === undefined) return false;
    const status = statusOf(record.status);
    this.parts.lost.found(clientOrderId);
    // Otherwise an ended order that has filled something shows in the fills.
    const isHeld = this.parts.lost.heldUnder(clientOrderId) !== undefined;
    if (status === 'open' || status === 'partiallyFilled' || isHeld) this.take(record, instrument);
    return true;
  }

  async #find(clientOrderId: string): Promise<OrderRecord | undefined> {
    try {
      const [record] = await this.parts.client.orderInfo({ clientOrderId });
      return record;
    } catch (error) {
      if (error instanceof ExchangeError && error.exchangeCode === NOT_FOUND) return undefined;
      throw error;
    }
  }
}

/** Same instrument and side. Price and size may have changed before it was sent. */
function isAlike({ symbol, side }: OrderRecord, held: OrderRequest): boolean {
  return !isOther(symbol, wireSymbol(held.instrument.symbol)) && !isOther(side, held.side);
}

/**
 * The held order with the terms that it has at the exchange. A market buy may state an amount as its quantity: then its fills give the
 * size.
 */
function asSent({ orderType, price, quantity }: OrderRecord, held: OrderRequest): OrderRequest {
  const { tick, step } = held.instrument;
  const amount = quantity === '' ? ZERO : new Decimal(quantity);
  const isMarket = orderType === '' ? held.type === 'market' : !isOther(orderType, 'market');
  if (isMarket) {
    if (held.side === 'buy') return { ...held, type: 'market', priceTicks: undefined, steps: undefined, quoteQuantity: amount };
    return { ...held, type: 'market', priceTicks: undefined, steps: unitsOn(step, amount) ?? held.steps };
  }
  const priceTicks = (price === '' ? undefined : unitsOn(tick, new Decimal(price))) ?? held.priceTicks;
  // If a market buy takes no quantity, an IOC limit order is sent instead.
  const timeInForce = held.type === 'market' && held.timeInForce === 'GTC' ? 'IOC' : held.timeInForce;
  return { ...held, type: 'limit', timeInForce, priceTicks, steps: unitsOn(step, amount) ?? held.steps };
}

function unclaimed({ orderId, clientOrderId, symbol, side, fillQuantity }: OrderRecord): TidegateError {
  return new TidegateError(
    'START_REFUSED',
    [
      'not started: the journal lacks an order of this bot that the exchange has, and no one strategy of the config is certain to have placed it:',
      `- ${clientOrderId} (${orderId}): ${side} on ${symbol}, ${fillQuantity === '' ? '0' : fillQuantity} filled`,
      'Add its strategy again, with its id and its symbols. Or close and cancel everything of the bot at the exchange, and move the journal away.',
    ].join('\n'),
  );
}

import { ZERO } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderRequest } from '../../model/order.ts';
import { type Adoption, isOther, unitsOn, waitingTicks } from './foreign.ts';
import type { OrderLife } from './order-life.ts';
import { TrackedOrder, type TrackedOrders } from './order-record.ts';
import { type Asking, ask, type SeenOrder } from './records.ts';
import type { LostIds } from './settings.ts';

/** Batches of client ids after which a start stops searching. */
const MOST_BATCHES = 50;

interface LostOrdersParts {
  readonly orders: TrackedOrders;
  readonly life: OrderLife;
  readonly adoption: Adoption;
  readonly lost: LostIds;
}

/**
 * Recovers orders of this bot that the exchange has and the journal lacks, whatever their state. Each becomes an order of
 * its strategy again, so that its fills count and no closed position remains in the books.
 */
export class LostOrders {
  /** The start is over: an order without a known strategy now halts instead of refusing the start. */
  isOpen = false;
  /** Client ids that were looked up, and whether an order existed. */
  readonly #probed = new Map<string, boolean>();

  constructor(private readonly parts: LostOrdersParts) {}

  /**
   * @returns `later` if its quantity is not known yet; undefined if the order is not ours, or its strategy is unknown: then its fills
   * belong to no strategy.
   * @throws TidegateError START_REFUSED during the start, if its strategy is unknown: the positions would be uncertain.
   */
  take(seen: SeenOrder, instrument: Instrument): TrackedOrder | 'later' | undefined {
    const { lost, adoption } = this.parts;
    const { orderId, clientOrderId, side, status } = seen;
    const held = lost.heldUnder(clientOrderId);
    // Price and size may have changed before it was sent.
    if (held !== undefined && !isOther(seen.symbol, held.instrument.symbol) && !isOther(side, held.side)) return this.#takeHeld(seen, held);
    const owner = lost.ownerOf(clientOrderId, instrument.symbol);
    if (owner === undefined) return undefined;
    lost.found(clientOrderId);
    if (owner.strategyId === undefined && !this.isOpen) throw unclaimed(seen);
    if (owner.strategyId === undefined || (side !== 'buy' && side !== 'sell')) return undefined;
    const { step, tick } = instrument;
    const priceTicks = seen.price === undefined ? undefined : unitsOn(tick, seen.price);
    const isLimit = priceTicks !== undefined && seen.type !== 'market';
    // A market order states its quantity in a different unit. Once it has ended, the filled quantity counts.
    if (!isLimit && status !== 'filled' && status !== 'canceled') return 'later';
    const steps = unitsOn(step, isLimit ? (seen.quantity ?? ZERO) : seen.filled);
    if (steps === undefined) return undefined;
    return adoption.adopt(
      {
        orderId,
        instrument,
        side,
        positionSide: seen.positionSide ?? 'net',
        type: isLimit ? 'limit' : 'market',
        timeInForce: isLimit ? 'GTC' : 'IOC',
        postOnly: false,
        reduceOnly: false,
        priceTicks: isLimit ? priceTicks : undefined,
        triggerTicks: waitingTicks(seen, instrument),
        steps,
        filledSteps: 0,
        filledNotional: ZERO,
        fillIds: [],
      },
      owner.strategyId,
    );
  }

  /** A held order was sent after all: its fills belong to it, and it is not sent again. */
  #takeHeld(seen: SeenOrder, held: OrderRequest): TrackedOrder {
    const { lost, orders, life } = this.parts;
    lost.found(seen.clientOrderId);
    const known = orders.find(seen.clientOrderId);
    if (known !== undefined) return known;
    const order = new TrackedOrder(asSent(seen, held));
    order.phase = 'unknown';
    orders.add(order);
    life.accepted(order, seen.orderId);
    life.lookIn(order, 0);
    return order;
  }

  /**
   * Looks up the next client ids. An order under one of them comes from a run that the journal has lost. Continues
   * as long as it finds one.
   */
  *probe(nextIds: (batch: number) => readonly string[], instruments: readonly Instrument[]): Asking {
    for (let batch = 0, isFound = true; isFound && batch < MOST_BATCHES; batch++) {
      isFound = false;
      for (const clientOrderId of nextIds(batch)) {
        // A retried start does not look it up again.
        const isLost = this.#probed.get(clientOrderId) ?? (yield* this.#isLost(clientOrderId, instruments));
        this.#probed.set(clientOrderId, isLost);
        isFound ||= isLost;
      }
    }
  }

  *#isLost(clientOrderId: string, instruments: readonly Instrument[]): Asking<boolean> {
    const seen = yield* ask({ ask: 'order', id: { clientOrderId } });
    const instrument = instruments.find(({ symbol }) => symbol === seen?.symbol);
    if (seen === undefined || instrument === undefined) return false;
    const { lost } = this.parts;
    lost.found(clientOrderId);
    // Otherwise an ended order that has filled something shows in the fills.
    const isHeld = lost.heldUnder(clientOrderId) !== undefined;
    if (seen.status === 'open' || seen.status === 'partiallyFilled' || isHeld) this.take(seen, instrument);
    return true;
  }
}

/**
 * The held order with the terms that it has at the exchange. A spot market buy for an amount states that as its quantity: its fills give
 * the size.
 */
function asSent({ type, price, quantity }: SeenOrder, held: OrderRequest): OrderRequest {
  const { tick, step, contract } = held.instrument;
  const amount = quantity ?? ZERO;
  const isMarket = type === '' ? held.type === 'market' : type === 'market';
  if (isMarket) {
    if (held.steps === undefined && contract === undefined)
      return { ...held, type: 'market', priceTicks: undefined, steps: undefined, quoteQuantity: amount };
    return { ...held, type: 'market', priceTicks: undefined, steps: unitsOn(step, amount) ?? held.steps };
  }
  const priceTicks = (price === undefined ? undefined : unitsOn(tick, price)) ?? held.priceTicks;
  // If a market buy takes no quantity, an IOC limit order is sent instead.
  const timeInForce = held.type === 'market' && held.timeInForce === 'GTC' ? 'IOC' : held.timeInForce;
  return { ...held, type: 'limit', timeInForce, priceTicks, steps: unitsOn(step, amount) ?? held.steps };
}

function unclaimed({ orderId, clientOrderId, symbol, side, filled }: SeenOrder): TidegateError {
  return new TidegateError(
    'START_REFUSED',
    [
      'not started: the journal lacks an order of this bot that the exchange has, and no one strategy of the config is certain to have placed it:',
      `- ${clientOrderId} (${orderId}): ${side} on ${symbol}, ${filled.toFixed()} filled`,
      'Add its strategy again, with its id and its symbols. Or close and cancel everything of the bot at the exchange, and move the journal away.',
    ].join('\n'),
  );
}

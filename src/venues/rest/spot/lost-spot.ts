import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../../exchange/errors.ts';
import { statusOf } from '../../../exchange/mapping.ts';
import type { PayloadOf } from '../../../exchange/operations/operations.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { Decimal, ZERO } from '../../../model/decimal.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Adoption } from '../order-life.ts';
import { unitsOn } from '../order-life.ts';
import type { TrackedOrder } from '../tracked-orders.ts';
import type { LostOrders } from '../trading.ts';

type OrderRecord = PayloadOf<'orderInfo'>[number];

/** The exchange's word for an order that is not there. */
const NOT_FOUND = '43001';
/** A start that finds so many in a row has seen enough. */
const MOST_BATCHES = 50;
const TRIES = 3;
/** An order that was made so long before it was sent is another one, whatever the clocks say. In ms. */
const OLDER_BY_MS = 60_000;

/**
 * How an order of the exchange differs from the one that was sent under its client id: an exchange takes an id again once its order is
 * over. @returns nothing where it may be the same.
 */
export function unlikeSent(record: OrderRecord, { request, orderId, sentAt }: TrackedOrder): string | undefined {
  const { instrument, side, type, priceTicks, steps, quoteQuantity } = request;
  const price = priceTicks === undefined ? undefined : instrument.tick.toDecimal(priceTicks);
  const quantity = quoteQuantity ?? (steps === undefined ? undefined : instrument.step.toDecimal(steps));
  if (orderId !== '') return record.orderId === orderId ? undefined : `it is order ${record.orderId}, not ${orderId}`;
  if (isOther(record.side, side) || isOther(record.orderType, type)) return `it is a ${record.orderType} ${record.side}`;
  if (isOther(record.symbol, wireSymbol(instrument.symbol))) return `it is on ${record.symbol}`;
  if (isUnequal(record.price, price)) return `its price is ${record.price}`;
  if (isUnequal(record.quantity, quantity)) return `its quantity is ${record.quantity}`;
  const madeAt = Number(record.cTime);
  return madeAt > 0 && madeAt < sentAt - OLDER_BY_MS ? 'it is older than the request' : undefined;
}

/** Fields that the exchange left empty say nothing. */
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
  readonly adoption: Adoption;
  readonly lost: LostOrders;
}

/**
 * Takes back spot orders of this bot that the exchange has and the journal lacks, whatever has become of them: each becomes an order of
 * its strategy, so that its fills count and no position is left that was closed long ago.
 */
export class LostSpot {
  /** The start is over: what cannot be attributed any more halts, and no longer refuses. */
  isOpen = false;
  /** Client ids that were looked up, and whether there was an order. */
  readonly #probed = new Map<string, boolean>();

  constructor(private readonly parts: LostSpotParts) {}

  /**
   * @returns `later` for one that does not say yet how much it is; undefined where the order is not ours, or of a strategy that nobody can tell: its fills are nobody's then.
   * @throws TidegateError START_REFUSED at the start, where nobody can tell the strategy: what it holds would be in doubt.
   */
  take(record: OrderRecord, instrument: Instrument): TrackedOrder | 'later' | undefined {
    const { lost, adoption } = this.parts;
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
    // A market order says its quantity in its own way: what it has filled is what counts, once it is over.
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

  /**
   * Looks for orders under client ids that come next: one that is there was given by a run that the journal does not know. It looks on
   * for as long as it finds one.
   */
  async probe(nextIds: (batch: number) => readonly string[], instruments: readonly Instrument[]): Promise<void> {
    for (let batch = 0, isFound = true; isFound && batch < MOST_BATCHES; batch++) {
      isFound = false;
      for (const clientOrderId of nextIds(batch)) {
        // A start that is tried again does not ask again.
        const isLost = this.#probed.get(clientOrderId) ?? (await this.#tried(clientOrderId, instruments));
        this.#probed.set(clientOrderId, isLost);
        isFound ||= isLost;
      }
    }
  }

  /** An exchange that fails now and then must not hold up a start for each of its look-ups. */
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
    // One that is over and has filled something shows in the fills.
    if (status === 'open' || status === 'partiallyFilled') this.take(record, instrument);
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

function unclaimed({ orderId, clientOrderId, symbol, side, fillQuantity }: OrderRecord): TidegateError {
  return new TidegateError(
    'START_REFUSED',
    [
      'not started: the journal lacks an order of this bot that the exchange has, and no one strategy of the config is certain to have placed it:',
      `- ${clientOrderId} (${orderId}): ${side} on ${symbol}, ${fillQuantity === '' ? '0' : fillQuantity} filled`,
      'Put its strategy back, with its id and its symbols. Or close and cancel by hand what the bot has, and put the journal aside.',
    ].join('\n'),
  );
}

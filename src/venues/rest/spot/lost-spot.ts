import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../../exchange/errors.ts';
import { statusOf } from '../../../exchange/mapping.ts';
import type { PayloadOf } from '../../../exchange/operations/operations.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { Decimal, ZERO } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Adoption } from '../order-life.ts';
import { unitsOn } from '../order-life.ts';
import type { TrackedOrder } from '../tracked-orders.ts';
import type { LostOrders } from '../trading.ts';

type OrderRecord = PayloadOf<'orderInfo'>[number];

/** The exchange's word for an order that is not there. */
const NOT_FOUND = '43001';
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
  if (orderId !== '' && record.orderId !== orderId) return `it is order ${record.orderId}, not ${orderId}`;
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
  constructor(private readonly parts: LostSpotParts) {}

  /** @returns undefined where the order is not ours, or of a strategy that nobody can tell: its fills are nobody's then. */
  take(record: OrderRecord, instrument: Instrument): TrackedOrder | undefined {
    const { lost, adoption } = this.parts;
    const owner = lost.ownerOf(record.clientOrderId, instrument.symbol);
    if (owner === undefined) return undefined;
    lost.found(record.clientOrderId);
    const side = record.side.toLowerCase();
    if (owner.strategyId === undefined || (side !== 'buy' && side !== 'sell')) return undefined;
    const { step, tick } = instrument;
    const priceTicks = record.price === '' ? undefined : unitsOn(tick, new Decimal(record.price));
    const filled = record.fillQuantity === '' ? ZERO : new Decimal(record.fillQuantity);
    const isLimit = priceTicks !== undefined && record.orderType.toLowerCase() !== 'market';
    // A market order says its quantity in its own way: what it has filled is what counts.
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

  /** Looks for orders under client ids that come next: one that is there was given by a run that the journal does not know. */
  async probe(clientOrderIds: readonly string[], instruments: readonly Instrument[]): Promise<void> {
    for (const clientOrderId of clientOrderIds) {
      const record = await this.#find(clientOrderId);
      const instrument = instruments.find(({ symbol }) => wireSymbol(symbol).toUpperCase() === record?.symbol.toUpperCase());
      if (record === undefined || instrument === undefined) continue;
      const status = statusOf(record.status);
      this.parts.lost.found(clientOrderId);
      // One that is over and has filled something shows in the fills.
      if (status === 'open' || status === 'partiallyFilled') this.take(record, instrument);
    }
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

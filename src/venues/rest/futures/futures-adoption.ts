import { directionOfRecord } from '../../../exchange/mapping/futures-direction.ts';
import { statusOf } from '../../../exchange/mapping/order-status.ts';
import { termsOf, type WireTerms } from '../../../exchange/mapping/order-terms.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { Decimal, ZERO } from '../../../model/decimal.ts';
import { closes } from '../../../model/order.ts';
import { type Adoption, type FoundOrder, unitsOn } from '../adoption.ts';
import type { Sights } from './attribution/sights.ts';
import type { FuturesBooks } from './futures-books.ts';
import type { Stranger } from './futures-lists.ts';

export interface FuturesAdoptionParts {
  readonly adoption: Adoption;
  readonly sights: Sights;
  readonly books: FuturesBooks;
}

const TERMS: readonly WireTerms[] = ['normal', 'postOnly', 'fok', 'ioc'];

/** Adopts futures orders of others that the lists show. */
export class FuturesAdoption {
  constructor(private readonly parts: FuturesAdoptionParts) {}

  /**
   * To be called once the picture that was asked for after the lists has been taken in, and its trades told: where an order
   * has filled something, it becomes ours when nothing that was traded its way waits to be told, so all of that is nobody's.
   */
  run(strangers: Iterable<Stranger>): void {
    const { adoption, books, sights } = this.parts;
    for (const { record, instrument, askedAt } of strangers) {
      const found = adoption.isPossible(instrument) ? foundOrder({ record, instrument }) : undefined;
      if (found === undefined) continue;
      const { positionSide, filledSteps, orderId } = found;
      const action = closes(found) ? 'close' : 'open';
      const waits =
        books.hides(instrument.quote) ||
        books.pools.waiting(wireSymbol(instrument.symbol), positionSide, action, (opener) => opener === orderId) > 0;
      if (waits && filledSteps > 0) continue;
      const order = adoption.adopt(found);
      if (order === undefined) continue;
      sights.found(order, askedAt);
      sights.note(order, record, askedAt);
    }
  }
}

/** @returns undefined for what is over (or about to be), the exchange's own, or beside our units. */
function foundOrder({ record, instrument }: Pick<Stranger, 'record' | 'instrument'>): FoundOrder | undefined {
  const { order_id: orderId, size, filled_qty: filled, price, price_avg: average, type, order_type: word } = record;
  const direction = directionOfRecord(type);
  const status = statusOf(record.status);
  if (size === undefined || price === undefined || average === undefined) return undefined;
  if (direction === undefined || direction.forced !== undefined) return undefined;
  if (status === undefined || status === 'filled' || status === 'canceled' || status === 'canceling') return undefined;
  const steps = unitsOn(instrument.step, new Decimal(size));
  const limit = price === '' ? ZERO : new Decimal(price);
  const priceTicks = limit.isZero() ? undefined : unitsOn(instrument.tick, limit);
  if (steps === undefined || (priceTicks === undefined && !limit.isZero())) return undefined;
  const { side, positionSide } = direction;
  const terms = TERMS.find((one) => one === word);
  return {
    orderId,
    instrument,
    side,
    positionSide,
    type: priceTicks === undefined ? 'market' : 'limit',
    ...(priceTicks === undefined || terms === undefined ? termsOf('normal') : termsOf(terms)),
    reduceOnly: closes(direction),
    priceTicks,
    steps,
    filledSteps: instrument.step.floorUnits(new Decimal(filled)),
    filledNotional: average === '' ? ZERO : new Decimal(average).times(filled),
    fillIds: [],
  };
}

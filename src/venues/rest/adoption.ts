import type { Decimal } from '../../model/decimal.ts';
import type { Grid } from '../../model/grid.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderRequest } from '../../model/order.ts';
import type { OrderLife } from './order-life.ts';
import type { Outlets } from './outlets.ts';
import type { RestSettings } from './settings.ts';
import { TrackedOrder } from './tracked-order.ts';
import type { TrackedOrders } from './tracked-orders.ts';

/** An open order of somebody else, in our units. */
export interface FoundOrder
  extends Pick<OrderRequest, 'instrument' | 'side' | 'positionSide' | 'type' | 'timeInForce' | 'postOnly' | 'reduceOnly' | 'priceTicks'> {
  readonly orderId: string;
  /** Of the whole order. */
  readonly steps: number;
  /** Steps of it that have been filled, which are nobody's, and what they were worth in quote. */
  readonly filledSteps: number;
  readonly filledNotional: Decimal;
  /** The fills that these steps are, where the exchange names them. */
  readonly fillIds: readonly string[];
}

export interface AdoptionParts {
  readonly orders: TrackedOrders;
  readonly life: OrderLife;
  readonly settings: RestSettings;
  readonly outlets: Outlets;
  /** Which strategy adopts orders of an instrument; `undefined` where none does. */
  readonly adopterOf: (instrument: Instrument) => string | undefined;
}

/** Strategies, and whoever reads the journal, know adopted orders by this. */
const TAG = 'adopted';

/** Makes orders of others ours: known by the exchange's id, told once, and looked after from here like any other. */
export class Adoption {
  constructor(private readonly parts: AdoptionParts) {}

  isPossible(instrument: Instrument): boolean {
    return this.parts.adopterOf(instrument) !== undefined;
  }

  /** To be called when everything that was filled of it before has been told as nobody's. */
  adopt({ orderId, filledSteps, filledNotional, fillIds, ...terms }: FoundOrder): TrackedOrder | undefined {
    const { orders, life, settings, outlets, adopterOf } = this.parts;
    const strategyId = adopterOf(terms.instrument);
    if (strategyId === undefined || orders.byOrderId(orderId) !== undefined) return undefined;
    const clientOrderId = `${TAG}-${orderId}`;
    // No data decided it, and a trigger price is in no list: it counts as an order that works.
    const unknown = { triggerTicks: undefined, quoteQuantity: undefined, decidedSequence: 0, seenSequence: 0 };
    const request: OrderRequest = { ...terms, ...unknown, clientOrderId, strategyId, tag: TAG, fromNextBar: false, released: false };
    const order = new TrackedOrder(request);
    order.phase = 'open';
    order.seenOpen = true;
    order.orderId = orderId;
    order.toldSteps = filledSteps;
    for (const fillId of fillIds) order.fillIds.add(fillId);
    orders.add(order);
    outlets.tell({
      kind: 'orderAdopted',
      time: outlets.clock.now(),
      clientOrderId,
      orderId,
      request,
      filledSteps,
      filledNotional,
      fillIds,
    });
    life.lookIn(order, settings.lookupMs);
    return order;
  }
}

/** The units of a value that lies on the grid; `undefined` where it lies beside, or is not above 0. */
export function unitsOn(grid: Grid, value: Decimal): number | undefined {
  const units = grid.floorUnits(value);
  return units > 0 && Number.isSafeInteger(units) && grid.toDecimal(units).equals(value) ? units : undefined;
}

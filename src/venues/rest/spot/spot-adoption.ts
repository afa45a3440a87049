import { statusOf } from '../../../exchange/mapping/order-status.ts';
import type { SpotFillRecord } from '../../../exchange/mapping/spot-fill-figures.ts';
import type { PayloadOf } from '../../../exchange/operations/operations.ts';
import { Decimal, ZERO } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { type Adoption, type FoundOrder, unitsOn } from '../adoption.ts';

type OrderRecord = PayloadOf<'orderInfo'>[number];

export interface SpotAdoptionParts {
  readonly adoption: Adoption;
  find(orderId: string): Promise<OrderRecord | undefined>;
  /** All fills of an order, with whether each has been told. */
  allFillsOf(orderId: string, instrument: Instrument): Promise<readonly { readonly record: SpotFillRecord; readonly told: boolean }[]>;
}

interface Candidate {
  readonly instrument: Instrument;
  /** A fill of it has come since it was asked after last. */
  isDue: boolean;
}

/**
 * Adopts spot orders of others. No operation lists them: one is known from its first fill, which names it. It becomes ours
 * at a moment at which all that it has filled has been told as nobody's, so that each fill is counted on one side.
 */
export class SpotAdoption {
  readonly #candidates = new Map<string, Candidate>();

  constructor(private readonly parts: SpotAdoptionParts) {}

  /** A fill of an order that is not ours. */
  met(orderId: string, instrument: Instrument): void {
    const candidate = this.#candidates.get(orderId);
    if (candidate !== undefined) candidate.isDue = true;
    else if (this.parts.adoption.isPossible(instrument)) this.#candidates.set(orderId, { instrument, isDue: true });
  }

  /** An order of this instrument may become ours at the next look. */
  waitsFor(instrument: Instrument): boolean {
    return [...this.#candidates.values()].some((one) => one.isDue && one.instrument === instrument);
  }

  /** @throws ExchangeError. */
  async run(): Promise<void> {
    for (const [orderId, candidate] of this.#candidates) if (candidate.isDue) await this.#try(orderId, candidate);
  }

  async #try(orderId: string, candidate: Candidate): Promise<void> {
    const { instrument } = candidate;
    const { adoption, find, allFillsOf } = this.parts;
    if (!adoption.isPossible(instrument)) {
      candidate.isDue = false;
      return;
    }
    const record = await find(orderId);
    if (record === undefined) return;
    const fills = await allFillsOf(orderId, instrument);
    const found = foundOrder(
      record,
      fills.map((one) => one.record),
      instrument,
    );
    if (found === undefined) this.#candidates.delete(orderId);
    else if (found.filledSteps === sumOf(record, instrument) && fills.every(({ told }) => told)) {
      this.#candidates.delete(orderId);
      adoption.adopt(found);
    }
  }
}

function sumOf({ fillQuantity }: OrderRecord, { step }: Instrument): number {
  return step.floorUnits(fillQuantity === '' ? ZERO : new Decimal(fillQuantity));
}

/** @returns undefined for what is over, is no limit order, or does not fit our units. */
function foundOrder(record: OrderRecord, fills: readonly SpotFillRecord[], instrument: Instrument): FoundOrder | undefined {
  const { orderId, side: sideWord, orderType, price, quantity } = record;
  const side = sideWord.toLowerCase();
  const status = statusOf(record.status);
  if ((side !== 'buy' && side !== 'sell') || orderType.toLowerCase() !== 'limit' || price === '') return undefined;
  if (status !== 'open' && status !== 'partiallyFilled') return undefined;
  const priceTicks = unitsOn(instrument.tick, new Decimal(price));
  const steps = unitsOn(instrument.step, new Decimal(quantity));
  if (priceTicks === undefined || steps === undefined) return undefined;
  const sum = (of: 'fillQuantity' | 'fillTotalAmount') => fills.reduce((all, fill) => all.plus(fill[of]), ZERO);
  return {
    orderId,
    instrument,
    side,
    positionSide: 'net',
    type: 'limit',
    // What is open waits for its price; whether it may take is not told.
    timeInForce: 'GTC',
    postOnly: false,
    reduceOnly: false,
    priceTicks,
    steps,
    filledSteps: instrument.step.floorUnits(sum('fillQuantity')),
    filledNotional: sum('fillTotalAmount'),
    fillIds: fills.map(({ fillId }) => fillId),
  };
}

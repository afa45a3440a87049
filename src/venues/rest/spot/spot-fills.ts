import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { type SpotFillRecord, statusOf } from '../../../exchange/mapping.ts';
import type { PayloadOf } from '../../../exchange/operations/operations.ts';
import { Decimal, ZERO } from '../../../model/decimal.ts';
import { invariant } from '../../../model/errors.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { type Adoption, type FoundOrder, type OrderLife, unitsOn } from '../order-life.ts';
import type { TrackedOrder, TrackedOrders } from '../tracked-orders.ts';
import type { RestSettings, VenueContext } from '../trading.ts';
import type { ForeignOrders } from './balance-check.ts';
import { FillWindow, fillOfRecord } from './fill-window.ts';
import { type LostSpot, unlikeSent } from './lost-spot.ts';
import type { SpotWallet } from './spot-wallet.ts';

/** Error of our estimate of the exchange's time: twice the error at which it refuses a request. */
const CLOCK_SLACK_MS = 60_000;

interface SpotFillsParts {
  readonly client: ExchangeClient;
  readonly instruments: readonly Instrument[];
  readonly settings: RestSettings;
  readonly context: VenueContext;
  readonly orders: TrackedOrders;
  readonly life: OrderLife;
  readonly wallet: SpotWallet;
  readonly foreignOrders: ForeignOrders;
  readonly adoption: Adoption;
  readonly isOwn: (clientOrderId: string) => boolean;
  readonly lost: LostSpot;
  find(orderId: string): Promise<PayloadOf<'orderInfo'>[number] | undefined>;
  /** The wallet has changed. */
  moved(): void;
}

/** Reads fill records, finds the order of each, and reports it once. Only fills change balances. */
export class SpotFills {
  readonly #windows = new Map<Instrument, FillWindow>();
  /** Reported buys minus reported sells and fees. */
  readonly #reported = new Map<Instrument, Decimal>();

  readonly #adoption: SpotAdoption;

  constructor(private readonly parts: SpotFillsParts) {
    this.#adoption = new SpotAdoption({
      adoption: parts.adoption,
      find: (orderId) => parts.find(orderId),
      allFillsOf: (orderId, instrument) => this.#window(instrument).allOf(orderId),
    });
  }

  /** @param from epoch ms: older fills are no news. */
  begin(from: number, seen: readonly string[]): void {
    const { client, settings, instruments, context } = this.parts;
    const overlapMs = settings.visibilityLagMs + 2 * settings.clockErrorMs;
    const common = { client, log: context.log, overlapMs, clockSlackMs: CLOCK_SLACK_MS, from, seen };
    for (const instrument of instruments) {
      const { symbol } = instrument;
      this.#windows.set(instrument, new FillWindow({ ...common, symbol }));
    }
  }

  /** Skips the existing fills. */
  async passOver(): Promise<void> {
    for (const window of this.#windows.values()) {
      for (const record of await window.news()) window.keep(record);
      window.advance();
    }
  }

  /** Quantity that strategies hold of it. @param before steps held before fills were reported. */
  held(instrument: Instrument, before: number): Decimal {
    return instrument.step.toDecimal(before).plus(this.#reported.get(instrument) ?? ZERO);
  }

  /** Handles new fills of all pairs in the order in which they happened. */
  async read(instruments: readonly Instrument[]): Promise<void> {
    const news: [SpotFillRecord, Instrument][] = [];
    for (const instrument of instruments) for (const record of await this.#window(instrument).news()) news.push([record, instrument]);
    news.sort(([a], [b]) => a.cTime - b.cTime);
    for (const [record, instrument] of news) await this.#take(record, instrument);
    for (const instrument of instruments) this.#window(instrument).advance();
    await this.#adoption.run();
  }

  /** A foreign order on it may be adopted at the next poll. */
  adopts(instrument: Instrument): boolean {
    return this.#adoption.waitsFor(instrument);
  }

  /** The new fills of one order. The window forgets old fills, the order does not. */
  async ofOrder({ request, orderId, fillIds }: TrackedOrder): Promise<readonly SpotFillRecord[]> {
    const records = await this.#window(request.instrument).ofOrder(orderId);
    return records.filter(({ fillId }) => !fillIds.has(fillId));
  }

  async #take(record: SpotFillRecord, instrument: Instrument): Promise<void> {
    const order = this.parts.orders.byOrderId(record.orderId) ?? (await this.#ownerOf(record.orderId, instrument));
    // A fill that is not kept is new again at the next poll.
    if (order === 'later') return;
    if (order === undefined) this.#foreign(record, instrument);
    else if (order.request.steps !== undefined || !order.alive) this.report(order, [record], false);
    else this.parts.life.lookIn(order, 0);
  }

  /** An unknown order id may belong to a request without a reply. */
  async #ownerOf(orderId: string, instrument: Instrument): Promise<TrackedOrder | 'later' | undefined> {
    if (this.parts.foreignOrders.isForeign(orderId)) return undefined;
    const record = await this.parts.find(orderId);
    const known = record === undefined ? undefined : this.parts.orders.find(record.clientOrderId);
    const isNamesake = known?.phase === 'ended' && known.orderId !== '';
    const isSame = known !== undefined && !isNamesake && unlikeSent(record!, known) === undefined;
    const order = isSame ? known : record === undefined ? undefined : this.parts.lost.take(record, instrument);
    if (isSame && known.orderId !== '' && known.alive) {
      // Its reply named another order, which is perhaps not visible yet: look-ups decide.
      this.parts.life.lookIn(known, 0);
      return 'later';
    }
    if (isSame) this.#shown(known, orderId);
    else if (order === undefined && record !== undefined)
      this.parts.foreignOrders.met(orderId, record.clientOrderId, this.parts.isOwn(record.clientOrderId));
    return order;
  }

  #shown(order: TrackedOrder, orderId: string): void {
    if (order.orderId === '') this.parts.life.accepted(order, orderId);
    else this.parts.life.renamed(order, orderId);
    order.shown = true;
  }

  /** @param complete these are its last fills. */
  report(order: TrackedOrder, records: readonly SpotFillRecord[], complete: boolean): void {
    const { request } = order;
    const window = this.#window(request.instrument);
    const news = records.filter((record) => this.isNews(record, order, window));
    for (const { fillId } of news) order.fillIds.add(fillId);
    news.forEach((record, index) => {
      const fill = fillOfRecord(record, request);
      if (fill === undefined) {
        this.parts.context.log.warn('a fill record that does not fit its order', {
          clientOrderId: order.clientOrderId,
          fillId: record.fillId,
        });
        return;
      }
      const sum = order.reportedSteps + fill.steps;
      const last = index === news.length - 1;
      this.parts.wallet.settle(fill);
      this.#noteHeld(fill);
      this.parts.life.filled(order, fill, (complete && last) || (request.steps !== undefined && sum >= request.steps));
    });
    if (news.length === 0) return;
    this.parts.moved();
    // It is partially filled, so the rest may have ended already.
    if (order.alive) this.parts.life.lookIn(order, 0);
  }

  #noteHeld({ instrument, side, steps, fee, feeAsset }: Fill): void {
    const quantity = instrument.step.toDecimal(side === 'buy' ? steps : -steps);
    const net = feeAsset === instrument.base ? quantity.minus(fee) : quantity;
    this.#reported.set(instrument, (this.#reported.get(instrument) ?? ZERO).plus(net));
  }

  /** The fill of a foreign order changes the wallet too. */
  #foreign(record: SpotFillRecord, instrument: Instrument): void {
    if (!this.parts.foreignOrders.isForeign(record.orderId) || !this.#window(instrument).keep(record)) return;
    this.parts.foreignOrders.settle(record, instrument, this.parts.wallet);
    this.#adoption.met(record.orderId, instrument);
    this.parts.moved();
  }

  /** @returns false if it was reported before. */
  isNews(record: SpotFillRecord, order: TrackedOrder, window: FillWindow): boolean {
    return window.keep(record) && !order.fillIds.has(record.fillId);
  }

  #window(instrument: Instrument): FillWindow {
    const window = this.#windows.get(instrument);
    invariant(window !== undefined, 'fills are read once it is known from where');
    return window;
  }
}

type OrderRecord = PayloadOf<'orderInfo'>[number];

interface SpotAdoptionParts {
  readonly adoption: Adoption;
  find(orderId: string): Promise<OrderRecord | undefined>;
  /** All fills of an order, and whether each has been reported. */
  allFillsOf(orderId: string, instrument: Instrument): Promise<readonly { readonly record: SpotFillRecord; readonly reported: boolean }[]>;
}

interface Candidate {
  readonly instrument: Instrument;
  /** It has a fill since its last look-up. */
  isDue: boolean;
}

/**
 * Adopts foreign spot orders. No operation lists them: one is known from its first fill, which has its id. It is adopted
 * at a moment at which all its fills have been reported as fills of no strategy, so that each fill counts once.
 */
class SpotAdoption {
  readonly #candidates = new Map<string, Candidate>();

  constructor(private readonly parts: SpotAdoptionParts) {}

  /** A fill of a foreign order has appeared. */
  met(orderId: string, instrument: Instrument): void {
    const candidate = this.#candidates.get(orderId);
    if (candidate !== undefined) candidate.isDue = true;
    else if (this.parts.adoption.isPossible(instrument)) this.#candidates.set(orderId, { instrument, isDue: true });
  }

  /** An order of this instrument may be adopted at the next poll. */
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
    else if (found.filledSteps === sumOf(record, instrument) && fills.every(({ reported }) => reported)) {
      this.#candidates.delete(orderId);
      adoption.adopt(found);
    }
  }
}

function sumOf({ fillQuantity }: OrderRecord, { step }: Instrument): number {
  return step.floorUnits(fillQuantity === '' ? ZERO : new Decimal(fillQuantity));
}

/** @returns undefined if it has ended, is no limit order, or is not on our grid. */
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
    // An open order rests at its price. The exchange does not show whether it is post-only.
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

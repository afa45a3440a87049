import { invariant } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import { closes, forcedWords, type LiquidationType } from '../../model/order.ts';
import { contentKey, isTwin, lessBy, type Unfilled, unlikeOrder, wrongFigures } from './fill-checks.ts';
import { fillOf, forcedFillOf } from './fill-of-record.ts';
import { contentOf, FillWindow, isSame } from './fill-window.ts';
import type { FiredTriggers } from './fired-triggers.ts';
import { type Adoption, FillAdoption, type ForeignOrders, unlikeSent } from './foreign.ts';
import type { LostOrders } from './lost-orders.ts';
import type { Money, PendingFill } from './money.ts';
import type { OrderLife } from './order-life.ts';
import type { TrackedOrder, TrackedOrders } from './order-record.ts';
import { type Asking, ask, type SeenFill } from './records.ts';
import type { RefusedFills } from './refused-fills.ts';
import type { ReconcileSettings, VenueContext } from './settings.ts';

/** Error of our estimate of the exchange's time: twice the error at which it refuses a request. */
const CLOCK_SLACK_MS = 60_000;

interface FillsParts {
  readonly instruments: readonly Instrument[];
  readonly settings: ReconcileSettings;
  readonly context: VenueContext;
  readonly orders: TrackedOrders;
  readonly life: OrderLife;
  readonly money: Money;
  readonly foreignOrders: ForeignOrders;
  readonly adoption: Adoption;
  readonly isOwn: (clientOrderId: string) => boolean;
  readonly lost: LostOrders;
  readonly fired: FiredTriggers;
  readonly refused: RefusedFills;
  /** Epoch ms on the exchange's clock, as estimated. */
  readonly exchangeTime: () => number;
  /** The wallet has changed. */
  moved(): void;
}

/**
 * Takes fill records, finds the order of each, compares them, and reports each fill once. Only fills change balances. The id of a record is
 * remembered once it has counted.
 */
export class Fills {
  readonly #windows = new Map<Instrument, FillWindow>();
  /** Ids of the records that the present poll has refused. */
  readonly #refusedNow = new Set<string>();
  readonly #adoption: FillAdoption;

  constructor(private readonly parts: FillsParts) {
    this.#adoption = new FillAdoption(parts.adoption, (orderId, instrument) => this.#window(instrument).allOf(orderId));
  }

  /** @param from epoch ms: older fills are no news. */
  begin(from: number, seen: readonly string[]): void {
    const { settings, instruments, exchangeTime } = this.parts;
    const overlapMs = settings.visibilityLagMs + 2 * settings.clockErrorMs;
    const common = { exchangeTime, overlapMs, clockSlackMs: CLOCK_SLACK_MS, from, seen };
    for (const instrument of instruments) this.#windows.set(instrument, new FillWindow({ ...common, instrument }));
  }

  /** Skips the existing fills. @returns the ids of the newest ones: a later start must skip them too. */
  *passOver(): Asking<readonly string[]> {
    const passed: string[] = [];
    for (const window of this.#windows.values()) {
      for (const fill of yield* window.news()) if (window.keep(fill)) passed.push(fill.fillId);
      window.advance();
    }
    return passed;
  }

  /** Handles new fills of all pairs in the order in which they happened. */
  *read(instruments: readonly Instrument[]): Asking {
    const news: [SeenFill, Instrument][] = [];
    const { context, exchangeTime } = this.parts;
    const windows = instruments.map((instrument) => this.#window(instrument));
    // One list of several contracts costs as much as that of one.
    const shared = windows.length > 1 ? { since: context.clock.now(), from: Math.min(...windows.map(({ from }) => from)) } : undefined;
    const askedAt = exchangeTime();
    for (const [index, instrument] of instruments.entries())
      for (const fill of yield* windows[index]!.news(askedAt, shared)) news.push([fill, instrument]);
    news.sort(([a], [b]) => a.time - b.time);
    this.#refusedNow.clear();
    for (const [fill, instrument] of news) yield* this.#take(fill, instrument);
    for (const instrument of instruments) yield* this.#lookAgain(instrument);
    for (const instrument of instruments)
      this.#window(instrument).advance((fill) => this.#waitsForEnd(this.parts.orders.byOrderId(fill.orderId)));
    yield* this.#adoption.run();
  }

  /** A fill was read, and it is not known yet whose it is. */
  get waits(): boolean {
    return [...this.#windows.values()].some(({ waits }) => waits);
  }

  /** Fills that have changed the account, and wait for the end of an order that the exchange has left open. */
  get pending(): readonly PendingFill[] {
    const waiting = [...this.parts.orders.alive].filter((order) => this.#waitsForEnd(order));
    return waiting.flatMap(({ waitingFills, fillIds, request: { instrument } }) =>
      waitingFills.filter(({ fillId }) => !fillIds.has(fillId)).map((fill): PendingFill => [fill, instrument]),
    );
  }

  #waitsForEnd(order: TrackedOrder | undefined): boolean {
    const { context, settings } = this.parts;
    return order !== undefined && order.request.steps === undefined && order.isLeftOpen(context.clock.now(), settings);
  }

  /** The reason to halt the instrument; `undefined` if there is none. */
  haltOf(instrument: Instrument): string | undefined {
    const { refused, settings, exchangeTime } = this.parts;
    const isEndless = exchangeTime() - this.#window(instrument).partSince > settings.fillGapMs;
    return refused.haltOf(instrument) ?? (isEndless ? 'the list of its fills does not end' : undefined);
  }

  /** Epoch ms on the exchange's clock, as estimated, of the newest request whose answer is handled: what was visible then is known. */
  readAt(instrument: Instrument): number {
    return this.#window(instrument).readAt;
  }

  /** A foreign order on it may be adopted at the next poll. */
  adopts(instrument: Instrument): boolean {
    return this.#adoption.waitsFor(instrument);
  }

  /**
   * The new fills of one order that fit it. The window forgets old fills, the order does not.
   * @param filledSteps that its record shows: what is like a counted fill counts as far as they say so.
   */
  *ofOrder(order: TrackedOrder, filledSteps = 0): Asking<readonly SeenFill[]> {
    const { request, orderId, fillIds } = order;
    if (orderId === '') return [];
    const fills = yield* this.#window(request.instrument).ofOrder(orderId);
    const news = fills.filter(({ fillId }) => !fillIds.has(fillId));
    return this.#fitting(order, this.#withoutTwins(order, news, filledSteps));
  }

  *#take(fill: SeenFill, instrument: Instrument): Asking {
    const counted = this.#window(instrument).countedAs(fill);
    if (counted !== undefined) {
      // The first of two records with one id has counted.
      const why = `its id has counted as a ${contentOf(counted)}, and is that of a ${contentOf(fill)}`;
      if (!isSame(counted, fill)) this.#refuse(fill, instrument, why, '', contentOf(counted));
      return;
    }
    const order = this.parts.orders.byOrderId(fill.orderId) ?? (yield* this.#ownerOf(fill.orderId, instrument));
    // A fill that is not kept is new again at the next poll.
    if (order === 'later') return;
    if (typeof order === 'string') {
      this.#forced(fill, instrument, order);
      return;
    }
    if (order === undefined) this.#foreign(fill, instrument);
    // It has counted, and the window has forgotten it: a record had another time.
    else if (!this.isNews(fill, order, this.#window(instrument))) this.#window(instrument).keep(fill);
    else this.#reportNow(order, yield* this.#proved(order, fill));
  }

  /** The fills of an order by amount wait for its end: it does not show when it is complete. */
  #reportNow(order: TrackedOrder, fills: readonly SeenFill[]): void {
    if (order.request.steps !== undefined || !order.alive) {
      this.report(order, fills, false);
      return;
    }
    const waiting = new Map([...order.waitingFills, ...fills].map((fill) => [fill.fillId, fill]));
    order.waitingFills = this.#fitting(order, [...waiting.values()]);
    this.parts.life.lookIn(order, 0);
  }

  /** The fill, unless it may be one that has counted under another id: all fills of the order decide then. */
  *#proved(order: TrackedOrder, fill: SeenFill): Asking<readonly SeenFill[]> {
    const mayBeTwin = isTwin(fill, order.request.instrument, [...order.fillIds.values()]);
    return mayBeTwin ? yield* this.ofOrder(order, yield* this.#filledOf(order)) : [fill];
  }

  /** Filled steps that the record of an order shows. */
  *#filledOf({ request: { instrument }, orderId }: TrackedOrder): Asking<number> {
    const seen = yield* ask({ ask: 'order', instrument, id: { orderId } });
    return seen === undefined ? 0 : instrument.step.floorUnits(seen.filled);
  }

  /**
   * Leaves out what is like another fill but for its id, unless all of them together are what the record of the order shows. Either may be
   * late.
   */
  #withoutTwins(order: TrackedOrder, fills: readonly SeenFill[], filledSteps: number): readonly SeenFill[] {
    const { settings, exchangeTime } = this.parts;
    const { instrument } = order.request;
    const { step } = instrument;
    const counted = [...order.fillIds.values()];
    const twins = fills.filter((seen) => {
      const isSecond = isTwin(seen, instrument, counted);
      counted.push(contentKey({ time: seen.time, steps: step.floorUnits(seen.quantity) }));
      return isSecond;
    });
    const sum = fills.reduce((steps, { quantity }) => steps + step.floorUnits(quantity), order.reportedSteps);
    if (twins.length === 0 || sum === filledSteps) return fills;
    const why = `another fill of the order is the same but for its id, and the order shows ${step.toText(filledSteps)} filled`;
    for (const seen of twins)
      if (exchangeTime() > seen.time + 2 * settings.visibilityLagMs) this.#refuse(seen, instrument, why, order.clientOrderId);
    return fills.filter((seen) => !twins.includes(seen));
  }

  /** An unknown order id may belong to a request without a reply. */
  *#ownerOf(orderId: string, instrument: Instrument): Asking<TrackedOrder | LiquidationType | 'later' | undefined> {
    const { foreignOrders, orders, life, lost, isOwn } = this.parts;
    if (foreignOrders.isForeign(orderId)) return undefined;
    const seen = yield* ask({ ask: 'order', instrument, id: { orderId } });
    if (seen === undefined) return undefined;
    if (seen.forced !== undefined) return seen.forced;
    const fired = yield* this.parts.fired.orderOf(seen, instrument);
    if (fired !== undefined) return fired;
    const known = orders.find(seen.clientOrderId);
    const isNamesake = known?.phase === 'ended' && known.orderId !== '';
    if (known !== undefined && !isNamesake && unlikeSent(seen, known) === undefined) {
      if (known.orderId !== '' && known.alive && !known.shown) {
        // Its reply named another order, which is perhaps not visible yet: look-ups decide.
        life.lookIn(known, 0);
        return 'later';
      }
      life.shown(known, orderId);
      life.triggered(known);
      return known;
    }
    const order = lost.take(seen, instrument);
    if (order === undefined) foreignOrders.met(orderId, seen.clientOrderId, isOwn(seen.clientOrderId));
    return order;
  }

  /** Steps of orders that may have opened more than their fills show so far. */
  #mayHaveOpened(instrument: Instrument, side: 'long' | 'short'): number {
    const { alive, refused, vanished } = this.parts.orders;
    const left = [...alive, ...refused, ...vanished].map(({ request, reportedSteps }) => {
      const opens = request.instrument === instrument && request.positionSide === side && !closes(request);
      return opens ? Math.max(0, (request.steps ?? 0) - reportedSteps) : 0;
    });
    return left.reduce((sum, steps) => sum + steps, 0);
  }

  /** A close by the exchange: the engine divides it among the strategies that hold the side. */
  #forced(seen: SeenFill, instrument: Instrument, type: LiquidationType): void {
    const { context, money, refused, settings, exchangeTime } = this.parts;
    const { orderId, positionSide } = seen;
    const why = wrongFigures(seen, instrument, false);
    if (why !== undefined || positionSide === undefined) {
      this.#refuse(seen, instrument, why ?? 'it closes a position, and names no side');
      return;
    }
    const held = money.heldSteps?.(instrument, positionSide) ?? 0;
    if (instrument.step.floorUnits(seen.quantity) > held + this.#mayHaveOpened(instrument, positionSide)) {
      // The fills that opened the rest may be late.
      const isLate = exchangeTime() <= seen.time + 2 * settings.visibilityLagMs;
      const text = `it closes ${seen.quantity.toFixed()} by force, and records explain a position of ${instrument.step.toText(held)}`;
      if (!isLate) this.#refuse(seen, instrument, text);
      return;
    }
    if (!this.#window(instrument).keep(seen)) return;
    refused.drop({ symbol: instrument.symbol, fillId: seen.fillId });
    const { kind, tag } = forcedWords(type);
    const fill = forcedFillOf(seen, instrument, positionSide, tag);
    const positionId = money.positionClosed?.(instrument, positionSide, fill.steps);
    money.settleForced(seen, instrument);
    const position = positionId === undefined ? {} : { positionId };
    context.report({ kind, time: context.clock.now(), orderId, type, ...position, fill });
    this.parts.moved();
  }

  /** An open foreign order is listed: it may be adopted. */
  metForeign(orderId: string, instrument: Instrument): void {
    this.#adoption.met(orderId, instrument);
  }

  /** @param complete these are its last fills. */
  report(order: TrackedOrder, fills: readonly SeenFill[], complete: boolean): void {
    const { request } = order;
    const { money, life, refused } = this.parts;
    const { instrument } = request;
    const window = this.#window(instrument);
    const news = this.#fitting(
      order,
      fills.filter((seen) => this.isNews(seen, order, window)),
    );
    news.forEach((seen, index) => {
      const fill = fillOf(seen, request);
      window.keep(seen);
      order.fillIds.set(seen.fillId, contentKey(fill));
      refused.drop({ symbol: instrument.symbol, fillId: seen.fillId });
      const sum = order.reportedSteps + fill.steps;
      const last = index === news.length - 1;
      money.settle(fill, seen);
      life.filled(order, fill, (complete && last) || (request.steps !== undefined && sum >= request.steps));
    });
    if (news.length === 0) return;
    this.parts.moved();
    // It is partially filled, so the rest may have ended already.
    if (order.alive) life.lookIn(order, 0);
  }

  /** @returns false if it was reported before. */
  isNews({ fillId }: SeenFill, order: TrackedOrder, window: FillWindow): boolean {
    return !window.has(fillId) && !order.fillIds.has(fillId);
  }

  /** Those that may be fills of the order, one after another. The others are refused. */
  #fitting(order: TrackedOrder, fills: readonly SeenFill[]): readonly SeenFill[] {
    const { request, clientOrderId, reportedSteps, reportedNotional, isComplete } = order;
    const { instrument, steps, quoteQuantity } = request;
    const rest = steps === undefined ? undefined : Math.max(0, steps - reportedSteps);
    let left: Unfilled = { steps: isComplete ? 0 : rest, amount: quoteQuantity?.minus(reportedNotional) };
    return fills.filter((seen) => {
      const why = unlikeOrder(seen, request, left);
      if (why === undefined) left = lessBy(left, seen, instrument);
      else {
        this.#refuse(seen, instrument, why, clientOrderId);
        // Its id may be that of another order.
        if (order.isNamedAlone) this.parts.life.lookIn(order, 0);
      }
      return why === undefined;
    });
  }

  #refuse({ fillId }: SeenFill, { symbol }: Instrument, why: string, clientOrderId = '', counted?: string): void {
    this.#refusedNow.add(fillId);
    this.parts.refused.refuse({ symbol, fillId, clientOrderId, why, ...(counted !== undefined && { counted }) });
  }

  /** Reads again what was refused before and this poll does not show: an order may have it beyond the window. */
  *#lookAgain(instrument: Instrument): Asking {
    const { refused, orders } = this.parts;
    for (const one of refused.of(instrument)) {
      const { fillId, clientOrderId, counted } = one;
      if (this.#refusedNow.has(fillId)) continue;
      if (counted !== undefined) {
        if (this.#window(instrument).showsOnly(fillId, counted)) refused.drop(one);
        continue;
      }
      const order = orders.find(clientOrderId);
      if (order !== undefined) this.#reportNow(order, yield* this.ofOrder(order, yield* this.#filledOf(order)));
      if (!this.#refusedNow.has(fillId)) refused.drop(one);
    }
  }

  /** A person has allowed trading again: what has counted is accepted as it has counted. */
  lift(): void {
    for (const { symbol, fillId, counted } of this.parts.refused.lift()) {
      if (counted === undefined) continue;
      for (const [instrument, window] of this.#windows) if (instrument.symbol === symbol) window.accept(fillId);
    }
  }

  /** The fill of a foreign order changes the wallet too. */
  #foreign(fill: SeenFill, instrument: Instrument): void {
    const { foreignOrders, money, refused } = this.parts;
    if (!foreignOrders.isForeign(fill.orderId)) return;
    const why = wrongFigures(fill, instrument);
    if (why !== undefined) {
      this.#refuse(fill, instrument, why);
      return;
    }
    if (!this.#window(instrument).keep(fill)) return;
    refused.drop({ symbol: instrument.symbol, fillId: fill.fillId });
    foreignOrders.traded(instrument);
    money.settleForeign(fill, instrument);
    this.#adoption.met(fill.orderId, instrument);
    this.parts.moved();
  }

  #window(instrument: Instrument): FillWindow {
    const window = this.#windows.get(instrument);
    invariant(window !== undefined, 'fills are read once it is known from where');
    return window;
  }
}

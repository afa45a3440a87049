import type { AccountEvent, CloseOvershot, TradeStopped } from '../../model/account-events.ts';
import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { PlaceOrder } from '../../model/intents.ts';
import { opposite, type PositionSide, type Side } from '../../model/order.ts';
import type { RejectionCode } from '../../model/reasons.ts';
import { type EquityLimit, type ErrorBudget, type LossPerTrade, lossLimit, type RiskLimits, type ScopeLimits } from '../../risk/limits.ts';
import type { DayLoss, Drawdown } from '../../state/drawdown.ts';
import type { PriceWatcher } from '../../state/own-equity.ts';
import type { ReadonlyPosition, State } from '../../state/state.ts';
import type { EndedTrade } from '../../state/trade-results.ts';
import type { Flattening } from './flattening.ts';
import type { RiskLatches } from './risk-latches.ts';

/** Events that limits with a window have counted before a restart, oldest first. */
export interface RecentEvents {
  /** Orders that were sent. */
  readonly sent: readonly { readonly time: number; readonly strategyId: string }[];
  /** Events that may count as errors of the venue, with their strategy. */
  readonly errors: readonly { readonly event: AccountEvent; readonly owner: string | undefined }[];
  /** When each open trade was last stopped by its loss, by `symbol/strategy`, in epoch ms. */
  readonly stopped: ReadonlyMap<string, number>;
}

/** An equity, as the state tracks it. */
interface GuardedEquity {
  readonly drawdown: Drawdown;
  readonly day: DayLoss | undefined;
  onUnknown: (() => void) | undefined;
}

/**
 * Latches when an equity has fallen too far. The state calls it when the fall grows, the only moment at which a limit
 * can be reached: the latch is set at the very event. Whatever the limits are, equity that cannot be computed ends the opening of positions;
 * it closes none, as nothing is known about their loss.
 */
function guardEquity(
  equity: GuardedEquity,
  limits: { readonly maxDrawdown?: EquityLimit | undefined; readonly dailyLoss?: EquityLimit | undefined },
  latches: RiskLatches,
  strategyId: string | undefined,
): void {
  const { drawdown, day } = equity;
  const { maxDrawdown, dailyLoss } = limits;
  drawdown.onDeeper = undefined;
  if (day !== undefined) day.onDeeper = undefined;
  equity.onUnknown = () => latches.latch({ rule: 'reduce', strategyId, drawdown: 0, limit: 0, reason: 'equity cannot be computed' });
  if (maxDrawdown !== undefined) {
    const { share } = maxDrawdown;
    drawdown.onDeeper = () => {
      if (!(drawdown.depth <= share)) latches.latch({ rule: 'maxDrawdown', strategyId, drawdown: drawdown.current, limit: share });
    };
  }
  if (dailyLoss !== undefined && day !== undefined) {
    const { share, resetAt } = dailyLoss;
    day.onDeeper = () => {
      const { current, dayEnd } = day;
      if (current <= share) return;
      latches.latch({ rule: 'dailyLoss', strategyId, drawdown: current, limit: share, until: resetAt === undefined ? undefined : dayEnd });
    };
  }
}

const NO_ERRORS: ReadonlySet<RejectionCode> = new Set(['postOnlyWouldTake', 'waitedTooLong', 'gridChanged', 'tradingSuspended']);

/**
 * Latches when the venue has refused or failed too often within a window. Counted are refusals of orders (except
 * post-only orders that would take, orders that waited too long for the rate limits, orders on a grid that the exchange has
 * changed, and orders of a pair in which it has suspended trading), unknown outcomes, and for the account also the times at which it or a market became unreliable.
 */
export class ErrorGuard {
  readonly #times: number[];

  /** @param before of the same scope, with another budget: its errors count. */
  constructor(
    private readonly budget: ErrorBudget,
    private readonly latches: Pick<RiskLatches, 'latch'>,
    /** The strategy whose orders count; `undefined`: all. */
    readonly strategyId: string | undefined,
    before?: ErrorGuard,
  ) {
    this.#times = before === undefined ? [] : [...before.#times];
  }

  /** @param owner strategy of the event's order, if it is about one. */
  onEvent(event: AccountEvent, owner: string | undefined): void {
    const count = this.#count(event, owner);
    const { errors, forMs } = this.budget;
    if (count < errors) return;
    const { strategyId } = this;
    const until = forMs === undefined ? undefined : event.time + forMs;
    this.latches.latch({ rule: 'venueErrors', strategyId, drawdown: 0, limit: errors, count, until });
    this.#times.length = 0;
  }

  /** Restores the events that an earlier run has counted. It has latched already if they reached the limit. */
  restore(seen: RecentEvents['errors']): void {
    for (const { event, owner } of seen) if (this.#count(event, owner) >= this.budget.errors) this.#times.length = 0;
  }

  /** @returns errors in the window that ends with the event; zero if the event is no error. */
  #count(event: AccountEvent, owner: string | undefined): number {
    if (!this.#counts(event, owner)) return 0;
    const times = this.#times;
    const { time } = event;
    while (times.length > 0 && times[0]! <= time - this.budget.perMs) times.shift();
    return times.push(time);
  }

  #counts(event: AccountEvent, owner: string | undefined): boolean {
    if (event.kind === 'healthChanged') return this.strategyId === undefined && event.condition !== 'fresh';
    const failed = event.kind === 'orderUnknown' || (event.kind === 'orderRejected' && !NO_ERRORS.has(event.reason.code));
    return failed && (this.strategyId === undefined || this.strategyId === owner);
  }
}

/** Minimum time between two tries to close one trade. */
const RETRY_MS = 60_000;

/** A strategy whose open trades are watched, and the smallest of its limits for the loss of one. */
interface Watched {
  readonly strategyId: string;
  readonly limits: readonly { readonly limit: LossPerTrade; readonly equity: () => Decimal }[];
}

/**
 * Watches open trades whose loss is limited, if the config closes them at the limit. Between two fills a trade's limit is
 * a price, so that each market event costs two comparisons. A limit that is a share of equity uses the equity
 * at the fill.
 */
export class TradeStops implements PriceWatcher {
  #watched: readonly Watched[] = [];
  /** By instrument index, in ticks: at marks below the first or above the second, a trade must be closed. */
  readonly #below: Float64Array;
  readonly #above: Float64Array;
  /** When a trade was last reported, by symbol and strategy. */
  readonly #reportedAt = new Map<string, number>();

  constructor(
    private readonly state: State,
    limits: RiskLimits,
    private readonly flattening: Flattening,
    private readonly context: { emit(event: TradeStopped): void; now(): number },
  ) {
    this.#below = new Float64Array(state.markets.length);
    this.#above = new Float64Array(state.markets.length);
    this.renew(limits);
  }

  /** Other limits from now on, also for open trades. */
  renew(limits: RiskLimits): void {
    const { state } = this;
    const accounts = { limit: limits.maxLossPerTrade, equity: () => state.portfolio.exactEquity() };
    this.#watched = [...state.books.keys()].flatMap((strategyId) => {
      const own = {
        limit: limits.strategies?.get(strategyId)?.maxLossPerTrade,
        equity: () => state.ownEquities.get(strategyId)?.exactEquity() ?? ZERO,
      };
      const closing = [accounts, own].flatMap(({ limit, equity }) => (limit?.close ? [{ limit, equity }] : []));
      return closing.length === 0 ? [] : [{ strategyId, limits: closing }];
    });
    this.#below.fill(Number.NEGATIVE_INFINITY);
    this.#above.fill(Number.POSITIVE_INFINITY);
    if (this.#watched.length === 0) return;
    if (!state.watchers.includes(this)) state.watchers.push(this);
    for (const instrument of state.instruments) this.onFill(instrument);
  }

  /** Restores when trades that are still open were last stopped. */
  restore(stopped: RecentEvents['stopped']): void {
    for (const [key, time] of stopped) this.#reportedAt.set(key, time);
  }

  observe(index: number): void {
    const { markTicks } = this.state.markets[index]!;
    if (markTicks < this.#below[index]! || markTicks > this.#above[index]!) this.#stop(this.state.markets[index]!.instrument);
  }

  /** A position in the instrument has changed. */
  onFill(instrument: Instrument): void {
    if (this.#watched.length === 0) return;
    const { index, tick, step, symbol } = instrument;
    for (const { strategyId } of this.#watched) this.#reportedAt.delete(`${symbol}/${strategyId}`);
    let below = Number.NEGATIVE_INFINITY;
    let above = Number.POSITIVE_INFINITY;
    for (const { position, limit } of this.#open(instrument)) {
      const steps = step.toNumber(Math.abs(position.steps)) * tick.toNumber(1);
      const worst = (position.steps > 0 ? position.cost.minus(limit) : position.cost.plus(limit)).toNumber() / steps;
      if (position.steps > 0) below = Math.max(below, worst);
      else above = Math.min(above, worst);
    }
    this.#below[index] = below;
    this.#above[index] = above;
  }

  #stop(instrument: Instrument): void {
    const mark = this.state.market(instrument).exactMark()!;
    for (const { strategyId, position, limit } of this.#open(instrument)) {
      const value = instrument.step.toDecimal(Math.abs(position.steps)).times(mark);
      const loss = position.steps > 0 ? position.cost.minus(value) : value.minus(position.cost);
      if (loss.lessThanOrEqualTo(limit) || !this.#due(instrument.symbol, strategyId)) continue;
      const rate = this.state.portfolio.rateOf(instrument.quote) ?? ZERO;
      const texts = { loss: loss.times(rate).toFixed(), limit: limit.times(rate).toFixed() };
      this.context.emit({ kind: 'tradeStopped', time: this.context.now(), strategyId, instrument, ...texts });
    }
  }

  /** Not while the position is being closed. After a failed close, at intervals. */
  #due(symbol: string, strategyId: string): boolean {
    const { time } = this.state;
    const key = `${symbol}/${strategyId}`;
    if (this.flattening.concerns(symbol, strategyId) !== undefined || time < (this.#reportedAt.get(key) ?? 0) + RETRY_MS) return false;
    this.#reportedAt.set(key, time);
    return true;
  }

  /** Open positions in the instrument, each with its loss limit in quote. */
  *#open(instrument: Instrument): Generator<{ strategyId: string; position: ReadonlyPosition; limit: Decimal }> {
    const rate = this.state.portfolio.rateOf(instrument.quote);
    if (rate === undefined) return;
    for (const { strategyId, limits } of this.#watched) {
      for (const position of this.state.books.get(strategyId)!.sides(instrument)) {
        if (position.steps === 0) continue;
        const least = limits.map(({ limit, equity }) => lossLimit(limit, equity)).reduce((a, b) => (a.lessThan(b) ? a : b));
        yield { strategyId, position, limit: least.div(rate) };
      }
    }
  }
}

/** Tag of the orders that reopen a position that was closed by mistake. */
const OVERSHOOT = 'overshoot';

/**
 * Reopens the part of another strategy's position that a close has closed: it filled more than its own strategy still held. A simulator
 * has the strategies' positions and trims such a close; a real exchange has only the account's.
 */
export class Overshoots {
  #running = false;

  constructor(
    private readonly state: State,
    private readonly context: {
      emit(event: CloseOvershot): void;
      /** Submits an intent in the name of a strategy. */
      submit(strategyId: string, intent: PlaceOrder): void;
    },
  ) {}

  /** The run begins: reopens excess closes of the time before, except those with an order on its way. */
  start(): void {
    this.#running = true;
    const { overshot, openOrders, books } = this.state;
    for (const { strategyId, instrument, positionSide } of overshot.values()) {
      const held = books.get(strategyId)?.position(instrument, positionSide).steps ?? 0;
      const sent = [...openOrders.values()].some((order) => {
        return order.strategyId === strategyId && order.instrument === instrument && order.tag === OVERSHOOT;
      });
      const over = positionSide === 'short' ? held : -held;
      if (over > 0 && !sent) this.#reopen(strategyId, instrument, positionSide, positionSide === 'short' ? 'sell' : 'buy', over);
    }
  }

  /** Called after the state has the fill. */
  onFill({ clientOrderId, strategyId, instrument, positionSide, side, steps: filled, time }: Fill): void {
    const { state } = this;
    if (!state.order(clientOrderId)?.request.reduceOnly) return;
    const held = state.books.get(strategyId)?.position(instrument, positionSide).steps ?? 0;
    const over = Math.min(filled, side === 'sell' ? -held : held);
    if (over <= 0) return;
    this.context.emit({ kind: 'closeOvershot', time, strategyId, instrument, positionSide, steps: over });
    // Before the run there are no turns.
    if (this.#running) this.#reopen(strategyId, instrument, positionSide, opposite(side), over);
  }

  #reopen(strategyId: string, { symbol, step }: Instrument, positionSide: PositionSide, side: Side, steps: number): void {
    this.context.submit(strategyId, {
      kind: 'place',
      symbol,
      side,
      type: 'market',
      quantity: step.toText(steps),
      ...(positionSide === 'net' ? {} : { positionSide }),
      tag: OVERSHOOT,
    });
  }
}

interface RiskGuardsParts {
  readonly state: State;
  readonly limits: RiskLimits;
  readonly latches: RiskLatches;
  readonly flattening: Flattening;
  readonly stops: TradeStops;
  readonly overshoots: Overshoots;
}

/** Guards of a running bot: limits that the market, the venue or a series of losses can break. */
export class RiskGuards {
  #errors: readonly ErrorGuard[] = [];
  /** The limits that ended trades can reach. */
  #onTrades: readonly { readonly strategyId: string | undefined; readonly limits: ScopeLimits }[] = [];

  constructor(private readonly parts: RiskGuardsParts) {
    this.#guard(parts.limits);
  }

  /** Other limits from now on. A fall of equity that is beyond its new limit latches at once. */
  renew(limits: RiskLimits): void {
    const { state, stops } = this.parts;
    this.#guard(limits);
    stops.renew(limits);
    for (const { drawdown, day } of [state.measured, ...state.ownEquities.values()]) {
      drawdown.onDeeper?.();
      day?.onDeeper?.();
    }
  }

  #guard(limits: RiskLimits): void {
    const { state, latches } = this.parts;
    const scopes: [strategyId: string | undefined, limits: ScopeLimits][] = [[undefined, limits], ...(limits.strategies ?? [])];
    if (state.measured !== state.portfolio) guardEquity(state.portfolio, {}, latches, undefined);
    guardEquity(state.measured, limits, latches, undefined);
    for (const [id, equity] of state.ownEquities) guardEquity(equity, limits.strategies?.get(id) ?? {}, latches, id);
    this.#errors = scopes.flatMap(([id, { errorBudget }]) => {
      const before = this.#errors.find(({ strategyId }) => strategyId === id);
      return errorBudget === undefined ? [] : [new ErrorGuard(errorBudget, latches, id, before)];
    });
    this.#onTrades = state.results === undefined ? [] : scopes.map(([strategyId, own]) => ({ strategyId, limits: own }));
  }

  /** The run begins: timed latches of an earlier run continue. */
  start(): void {
    this.parts.latches.start();
    this.parts.overshoots.start();
  }

  /** Restores the counts of an earlier run. */
  restore({ errors, stopped }: RecentEvents): void {
    for (const guard of this.#errors) guard.restore(errors);
    this.parts.stops.restore(stopped);
  }

  /** Called after the state has the event. @param owner the strategy of the event. */
  onEvent(event: AccountEvent, owner: string | undefined): void {
    const { latches, flattening, stops, overshoots } = this.parts;
    flattening.onEvent(event);
    if (event.kind === 'riskLatched' || event.kind === 'latchReset') latches.onEvent(event);
    else if (event.kind === 'tradeStopped') {
      const { strategyId, instrument } = event;
      flattening.begin({ cause: 'maxLossPerTrade', strategyId }, [instrument.symbol]);
    } else if (event.kind === 'orderFilled') {
      stops.onFill(event.fill.instrument);
      overshoots.onFill(event.fill);
      if (this.#onTrades.length > 0) this.#onTrade(event.time, owner);
    }
    for (const guard of this.#errors) guard.onEvent(event, owner);
  }

  /** A fill may have ended a trade. */
  #onTrade(time: number, owner: string | undefined): void {
    const { latches, state } = this.parts;
    const results = state.results!;
    const ended = results.takeEnded();
    for (const { strategyId, limits } of this.#onTrades) {
      if (strategyId !== undefined && strategyId !== owner) continue;
      const { cooldown } = limits;
      const count = cooldown === undefined ? 0 : results.lossesInARow(strategyId);
      if (cooldown !== undefined && count >= cooldown.losses) {
        latches.latch({ rule: 'cooldown', strategyId, drawdown: 0, limit: cooldown.losses, count, until: time + cooldown.forMs });
      }
      if (ended !== undefined) this.#lock(ended, strategyId, limits);
    }
  }

  #lock({ time, symbol, lost, byStop }: EndedTrade, strategyId: string | undefined, { symbolCooldown, stopLossGuard }: ScopeLimits): void {
    const { latches, state } = this.parts;
    if (symbolCooldown !== undefined && (lost || symbolCooldown.after === 'close')) {
      latches.latch({ rule: 'symbolCooldown', strategyId, symbol, drawdown: 0, limit: 0, until: time + symbolCooldown.forMs });
    }
    if (stopLossGuard === undefined || !lost || !byStop) return;
    const { stops, withinMs, forMs, scope } = stopLossGuard;
    const of = scope === 'symbol' ? symbol : undefined;
    const count = state.results!.losingStops(time - withinMs, strategyId, of);
    if (count < stops) return;
    latches.latch({ rule: 'stopLossGuard', strategyId, symbol: of, drawdown: 0, limit: stops, count, until: time + forMs });
  }
}

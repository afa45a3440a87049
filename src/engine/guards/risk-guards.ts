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
import type { Flattening } from './flattening.ts';
import type { LatchDesk } from './latch-desk.ts';

/** What limits with a window have counted before a restart, oldest first. */
export interface RecentEvents {
  /** Orders that went out. */
  readonly sent: readonly { readonly time: number; readonly strategyId: string }[];
  /** What may count as an error of the venue, with the strategy that it concerns. */
  readonly errors: readonly { readonly event: AccountEvent; readonly owner: string | undefined }[];
  /** When each open trade was last stopped by its loss, by `symbol/strategy`, in epoch ms. */
  readonly stopped: ReadonlyMap<string, number>;
}

/** Whose equity, as the state follows it. */
interface GuardedEquity {
  readonly drawdown: Drawdown;
  readonly day: DayLoss | undefined;
}

/**
 * Latches when an equity has fallen too far. The state calls when a fall grows, which is the only moment at which a limit
 * can be passed: the latch is set at the very event that passes it.
 */
function guardEquity(
  { drawdown, day }: GuardedEquity,
  limits: { readonly maxDrawdown?: EquityLimit | undefined; readonly dailyLoss?: EquityLimit | undefined },
  desk: LatchDesk,
  strategyId: string | undefined,
): void {
  const { maxDrawdown, dailyLoss } = limits;
  if (maxDrawdown !== undefined) {
    const { share } = maxDrawdown;
    drawdown.onDeeper = () => {
      if (drawdown.depth > share) desk.latch({ rule: 'maxDrawdown', strategyId, drawdown: drawdown.current, limit: share });
    };
  }
  if (dailyLoss !== undefined && day !== undefined) {
    const { share, resetAt } = dailyLoss;
    day.onDeeper = () => {
      const { current, dayEnd } = day;
      if (!(current > share)) return;
      desk.latch({ rule: 'dailyLoss', strategyId, drawdown: current, limit: share, until: resetAt === undefined ? undefined : dayEnd });
    };
  }
}

const NO_ERRORS: ReadonlySet<RejectionCode> = new Set(['postOnlyWouldTake', 'waitedTooLong']);

/**
 * Latches when the venue has refused or failed too often within a window. Counted are refusals of orders (but for a
 * post-only that would have taken and for what waited too long for the exchange's limits, which are no errors), outcomes that are not known, and for the account the times at
 * which it or a market can no longer be relied on.
 */
export class ErrorGuard {
  readonly #times: number[] = [];

  constructor(
    private readonly budget: ErrorBudget,
    private readonly desk: Pick<LatchDesk, 'latch'>,
    /** Whose orders count; `undefined`: all. */
    private readonly strategyId: string | undefined,
  ) {}

  /** @param owner strategy of the event's order, if it is about one. */
  onEvent(event: AccountEvent, owner: string | undefined): void {
    const count = this.#count(event, owner);
    const { errors, forMs } = this.budget;
    if (count < errors) return;
    const { strategyId } = this;
    const until = forMs === undefined ? undefined : event.time + forMs;
    this.desk.latch({ rule: 'venueErrors', strategyId, drawdown: 0, limit: errors, count, until });
    this.#times.length = 0;
  }

  /** Goes on from what an earlier run has seen: what broke the budget then has latched. */
  restore(seen: RecentEvents['errors']): void {
    for (const { event, owner } of seen) if (this.#count(event, owner) >= this.budget.errors) this.#times.length = 0;
  }

  /** @returns errors in the window that ends with the event; zero where that is none. */
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

/** Between two tries to close one trade. */
const RETRY_MS = 60_000;

/** A strategy whose open trades are watched, and what one of them may lose: the smallest of these. */
interface Watched {
  readonly strategyId: string;
  readonly limits: readonly { readonly limit: LossPerTrade; readonly equity: () => Decimal }[];
}

/**
 * Watches open trades that may lose only so much, where the config has them closed. Between two fills a trade's limit is
 * a price, so that each market event costs two comparisons; a limit that is a share of equity is taken as equity stands
 * at the fill.
 */
export class TradeStops implements PriceWatcher {
  readonly #watched: readonly Watched[];
  /** By the index of the instrument, in ticks: at marks below the first or above the second, somebody's trade is to be closed. */
  readonly #below: Float64Array;
  readonly #above: Float64Array;
  /** When a trade was last told of, by symbol and strategy. */
  readonly #told = new Map<string, number>();

  constructor(
    private readonly state: State,
    limits: RiskLimits,
    private readonly flattening: Flattening,
    private readonly outlets: { emit(event: TradeStopped): void; now(): number },
  ) {
    const accounts = { limit: limits.maxLossPerTrade, equity: () => state.portfolio.exactEquity() };
    this.#watched = [...state.books.keys()].flatMap((strategyId) => {
      const own = {
        limit: limits.strategies?.get(strategyId)?.maxLossPerTrade,
        equity: () => state.ownEquities.get(strategyId)?.exactEquity() ?? ZERO,
      };
      const closing = [accounts, own].flatMap(({ limit, equity }) => (limit?.close ? [{ limit, equity }] : []));
      return closing.length === 0 ? [] : [{ strategyId, limits: closing }];
    });
    this.#below = new Float64Array(state.markets.length).fill(Number.NEGATIVE_INFINITY);
    this.#above = new Float64Array(state.markets.length).fill(Number.POSITIVE_INFINITY);
    if (this.#watched.length === 0) return;
    state.watchers.push(this);
    for (const instrument of state.instruments) this.onFill(instrument);
  }

  /** When trades that are still open were last stopped, before a restart. */
  restore(stopped: RecentEvents['stopped']): void {
    for (const [key, time] of stopped) this.#told.set(key, time);
  }

  observe(index: number): void {
    const { markTicks } = this.state.markets[index]!;
    if (markTicks < this.#below[index]! || markTicks > this.#above[index]!) this.#stop(this.state.markets[index]!.instrument);
  }

  /** Some position in the instrument has changed. */
  onFill(instrument: Instrument): void {
    if (this.#watched.length === 0) return;
    const { index, tick, step, symbol } = instrument;
    for (const { strategyId } of this.#watched) this.#told.delete(`${symbol}/${strategyId}`);
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
      this.outlets.emit({ kind: 'tradeStopped', time: this.outlets.now(), strategyId, instrument, ...texts });
    }
  }

  /** Not while the position is being closed; and when that was in vain, now and then. */
  #due(symbol: string, strategyId: string): boolean {
    const { time } = this.state;
    const key = `${symbol}/${strategyId}`;
    if (this.flattening.concerns(symbol, strategyId) !== undefined || time < (this.#told.get(key) ?? 0) + RETRY_MS) return false;
    this.#told.set(key, time);
    return true;
  }

  /** Open positions in the instrument, each with what it may lose in its quote. */
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

/** Tag of the orders that open anew what was closed too much. */
const OVERSHOOT = 'overshoot';

/**
 * Opens anew what a close in flight closed of another strategy's: it filled more than its own strategy still held. A simulator
 * that knows the strategies cuts such a close; a real exchange knows the account alone.
 */
export class Overshoots {
  #running = false;

  constructor(
    private readonly state: State,
    private readonly outlets: {
      emit(event: CloseOvershot): void;
      /** Takes an intent in the name of a strategy. */
      want(strategyId: string, intent: PlaceOrder): void;
    },
  ) {}

  /** The run begins: what was closed too much before it, or by an earlier run, is opened anew, but for what is on its way. */
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
    this.outlets.emit({ kind: 'closeOvershot', time, strategyId, instrument, positionSide, steps: over });
    // Before the run nobody takes turns.
    if (this.#running) this.#reopen(strategyId, instrument, positionSide, opposite(side), over);
  }

  #reopen(strategyId: string, { symbol, step }: Instrument, positionSide: PositionSide, side: Side, steps: number): void {
    this.outlets.want(strategyId, {
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
  readonly desk: LatchDesk;
  readonly flattening: Flattening;
  readonly stops: TradeStops;
  readonly overshoots: Overshoots;
}

/** What watches a run after its orders were approved: limits that the market, the venue or a run of losses can break. */
export class RiskGuards {
  readonly #errors: readonly ErrorGuard[];
  readonly #cooldowns: readonly { readonly strategyId: string | undefined; readonly losses: number; readonly forMs: number }[];

  constructor(private readonly parts: RiskGuardsParts) {
    const { state, limits, desk } = parts;
    const scopes: [strategyId: string | undefined, limits: ScopeLimits][] = [[undefined, limits], ...(limits.strategies ?? [])];
    guardEquity(state.measured, limits, desk, undefined);
    for (const [id, equity] of state.ownEquities) guardEquity(equity, limits.strategies?.get(id) ?? {}, desk, id);
    this.#errors = scopes.flatMap(([id, { errorBudget }]) => (errorBudget === undefined ? [] : [new ErrorGuard(errorBudget, desk, id)]));
    this.#cooldowns = scopes.flatMap(([strategyId, { cooldown }]) => (cooldown === undefined ? [] : [{ strategyId, ...cooldown }]));
  }

  /** The run begins: what an earlier one latched for a time goes on. */
  start(): void {
    this.parts.desk.start();
    this.parts.overshoots.start();
  }

  /** Goes on from what an earlier run had counted. */
  restore({ errors, stopped }: RecentEvents): void {
    for (const guard of this.#errors) guard.restore(errors);
    this.parts.stops.restore(stopped);
  }

  /** Called after the state has the event. @param owner the strategy that it belongs to. */
  onEvent(event: AccountEvent, owner: string | undefined): void {
    const { desk, flattening, stops, overshoots } = this.parts;
    flattening.onEvent(event);
    if (event.kind === 'riskLatched' || event.kind === 'latchReset') desk.onEvent(event);
    else if (event.kind === 'tradeStopped') {
      const { strategyId, instrument } = event;
      flattening.begin({ cause: 'maxLossPerTrade', strategyId }, [instrument.symbol]);
    } else if (event.kind === 'orderFilled') {
      stops.onFill(event.fill.instrument);
      overshoots.onFill(event.fill);
      this.#coolDown(event.time, owner);
    }
    for (const guard of this.#errors) guard.onEvent(event, owner);
  }

  #coolDown(time: number, owner: string | undefined): void {
    for (const { strategyId, losses, forMs } of this.#cooldowns) {
      if (strategyId !== undefined && strategyId !== owner) continue;
      const count = this.parts.state.results!.lossesInARow(strategyId);
      if (count >= losses) this.parts.desk.latch({ rule: 'cooldown', strategyId, drawdown: 0, limit: losses, count, until: time + forMs });
    }
  }
}

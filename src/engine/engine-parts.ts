import type { AccountEvent } from '../model/account-events.ts';
import type { Intent, LockSymbol } from '../model/intents.ts';
import type { MarketEvent } from '../model/market-events.ts';
import type { OrderRequest } from '../model/order.ts';
import type { Clock } from '../ports/clock.ts';
import type { ExecutionVenue } from '../ports/execution-venue.ts';
import type { Journal } from '../ports/journal.ts';
import type { RiskGate } from '../risk/gate.ts';
import type { RiskLimits } from '../risk/limits.ts';
import type { State } from '../state/state.ts';
import type { Strategy } from '../strategy/strategy.ts';
import { AccountEvents } from './account-path.ts';
import { BarMaker, type BarPlan } from './bar-maker.ts';
import type { Broadcast } from './broadcast.ts';
import { Closing } from './guards/closing.ts';
import { Commands } from './guards/commands.ts';
import { Flattening, isFlattening } from './guards/flattening.ts';
import { Overshoots, type RecentEvents, RiskGuards, TradeStops } from './guards/risk-guards.ts';
import { RiskLatches } from './guards/risk-latches.ts';
import { type HeldSnapshot, rememberHeld, restoreHeld } from './held/held-memory.ts';
import type { LostExit } from './held/held-order.ts';
import { HeldOrders } from './held/held-orders.ts';
import type { QueuedReview, Waiting } from './inbox.ts';
import { Amendments } from './orders/amendments.ts';
import type { OrderBuilder } from './orders/order-builder.ts';
import { Outbox } from './orders/outbox.ts';
import { Reviewer } from './orders/reviewer.ts';
import type { Joins } from './strategies/joins.ts';
import { type ClosedBars, Moments } from './strategies/moments.ts';
import { StateFollowers } from './strategies/state-followers.ts';
import type { StrategyHost } from './strategies/strategy-host.ts';
import { StrategyRunner } from './strategies/strategy-runner.ts';
import { TimerBook } from './strategies/timer-book.ts';

/** Where an earlier run stopped. */
export interface ResumeOptions {
  readonly held?: HeldSnapshot | undefined;
  /** The saved state of each strategy, by its id. */
  readonly saves: ReadonlyMap<string, unknown>;
  readonly recent?: RecentEvents | undefined;
}

/** The parts of one engine: the parts of the core, and the ports to the outside. */
export interface EngineOptions {
  readonly state: State;
  readonly strategies: readonly Strategy[];
  readonly gate: RiskGate;
  readonly builder: OrderBuilder;
  readonly venue: ExecutionVenue;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly bars: BarPlan;
  /** Where closed bars are kept that strategies read. */
  readonly closedBars?: ClosedBars | undefined;
  /** The symbols that strategies receive later. */
  readonly joins?: Joins | undefined;
  readonly exitsWaitForNextBar: boolean;
  /** Close every strategy's position at the last price when the recording ends. */
  readonly closeAtEnd: boolean;
  /** See `LostExit`; by default they are restored. */
  readonly lostExit?: LostExit | undefined;
  /** State of an earlier run of the same bot, in addition to the restored `state`. */
  readonly resume?: ResumeOptions | undefined;
  /** See `RULES_VERSION`; the newest by default. */
  readonly rules?: number | undefined;
}

/** The functions of the loop that the parts need. */
interface LoopHooks {
  readonly broadcast: Broadcast;
  readonly waiting: Waiting;
  emit(event: AccountEvent): void;
  queueReview(queueReview: QueuedReview): void;
  submit(host: StrategyHost, intent: Intent, ours?: boolean): void;
  /** Something became due outside the feed. */
  wake(event?: AccountEvent | MarketEvent): void;
}

export interface EngineParts {
  readonly outbox: Outbox;
  readonly held: HeldOrders;
  readonly amendments: Amendments;
  readonly reviewer: Reviewer;
  readonly runner: StrategyRunner;
  readonly account: AccountEvents;
  readonly closing: Closing;
  readonly flattening: Flattening;
  readonly commands: Commands;
  readonly bars: BarMaker;
  readonly moments: Moments;
  readonly followers: StateFollowers;
}

/** Builds the parts of one engine, in the state of an earlier run if there was one. */
export function assemble(options: EngineOptions, hooks: LoopHooks): EngineParts {
  const { state, venue, clock, gate, builder, journal, resume } = options;
  const { broadcast, emit, queueReview } = hooks;
  const now = () => clock.now();
  const killed = () => (options.rules === 0 ? undefined : state.latches.get('kill'));
  const ended = (request: OrderRequest) => killed() !== undefined && !isFlattening(request);
  const outbox = new Outbox(venue);
  const cancelAtVenue: Reviewer['cancelAtVenue'] = (...order) => reviewer.cancelAtVenue(...order);
  const held: HeldOrders = new HeldOrders(
    state,
    builder,
    clock,
    {
      emit,
      now,
      release: (order) => queueReview({ release: order }),
      cancelAtVenue,
      cancel: (order, reason) => reviewer.cancel(order, reason),
      isShared: (id, { symbol }) => options.strategies.some((one) => one.id !== id && one.symbols.includes(symbol)),
      slice: (close, ticks) => gate.slice(close, ticks),
      wake: () => hooks.wake(),
      lostExit: options.lostExit ?? 'restore',
      stopLost: (strategyId) => {
        if (options.lostExit !== 'reduce') return;
        latches.latch({ rule: 'reduce', strategyId, drawdown: 0, limit: 0, reason: 'its stop was canceled at the exchange' });
      },
    },
    options.exitsWaitForNextBar,
  );
  const lock = (strategyId: string, which: LockSymbol) => latches.lock(strategyId, which);
  const timers = new TimerBook(clock, (event) => hooks.wake(event));
  const amendments: Amendments = new Amendments({
    state,
    gate,
    builder,
    held,
    emit,
    now,
    cancel: (order, reason) => reviewer.cancel(order, reason),
    cancelAtVenue: ({ clientOrderId, instrument }) => cancelAtVenue(clientOrderId, instrument, 'amended'),
    send: (...order) => reviewer.sendReplacement(...order),
    queue: (amended, amendment) => queueReview({ amended, amendment }),
  });
  const reviewer: Reviewer = new Reviewer({
    ...{ state, gate, builder, held, outbox, timers, amendments },
    ...{ emit, now, ended, lock, rules: options.rules },
    warn: (strategyId, message) => runner.warn(strategyId, message),
    submit: (strategyId, intent) => submitFor(strategyId, intent),
  });
  const moments: Moments = new Moments(
    {
      isOpen: (symbol, intervals, time) => bars.isOpen(symbol, intervals, time),
      show: (host, list) => runner.showBars(host, list),
      wake: () => hooks.wake(),
    },
    hooks.waiting,
  );
  const runner: StrategyRunner = new StrategyRunner(options.strategies, state, hooks.submit, moments, options.closedBars, options.joins);
  const call: StrategyRunner['call'] = (...doing) => runner.call(...doing);
  const followers = new StateFollowers(runner.hosts, { state, broadcast, waiting: hooks.waiting, call });
  const submitFor = (id: string, intent: Intent) => {
    for (const host of runner.hosts) if (host.id === id) hooks.submit(host, intent, true);
  };
  const closing = new Closing(state, reviewer, submitFor);
  const flattening: Flattening = new Flattening({
    state,
    reviewer,
    clock,
    emit,
    submit: submitFor,
    slice: (close) => gate.sliceAhead(close),
    wake: () => hooks.wake(),
    flattens: (latched) => latches.flattens(latched),
  });
  const { limits } = gate;
  const latches: RiskLatches = new RiskLatches({
    ...{ state, reviewer, flattening, clock, emit },
    limits: () => gate.limits,
    wake: (event) => hooks.wake(event),
  });
  const stops = new TradeStops(state, limits, flattening, { emit, now });
  const overshoots = new Overshoots(state, { emit, submit: submitFor });
  const guards = new RiskGuards({ state, limits, latches, flattening, stops, overshoots });
  const account = new AccountEvents({ state, journal, held, amendments, guards, broadcast, runner, groups: reviewer.groups });
  const limit = (changed: RiskLimits) => {
    gate.renew(changed);
    guards.renew(changed);
  };
  const commands = new Commands({ state, reviewer, amendments, runner, flattening, latches, emit, now, killed, limit });
  const bars = new BarMaker(state.instruments, options.bars, clock, { late: (bar) => hooks.wake(bar), passed: () => moments.passed() });
  moments.restore(runner.hosts, options.bars.before);
  if (resume?.held !== undefined) {
    restoreHeld(held, resume.held, state);
    flattening.resume(resume.held.flattening);
    amendments.restore(resume.held.amendments ?? []);
  }
  if (resume?.recent !== undefined) {
    gate.restore(resume.recent.sent);
    guards.restore(resume.recent);
  }
  return { outbox, held, amendments, reviewer, runner, account, closing, flattening, commands, bars, moments, followers };
}

/** The engine runs: timers that were set before start now. */
export function startWaits({ held, bars }: EngineParts): void {
  held.start();
  bars.start();
}

export function snapshotOf({ held, amendments: { waiting }, flattening }: EngineParts): HeldSnapshot {
  return { ...rememberHeld(held), flattening: flattening.targets, ...(waiting && { amendments: waiting }) };
}

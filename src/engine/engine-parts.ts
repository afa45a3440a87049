import type { AccountEvent } from '../model/account-events.ts';
import type { Intent } from '../model/intents.ts';
import type { MarketEvent } from '../model/market-events.ts';
import type { OrderRequest } from '../model/order.ts';
import type { Clock } from '../ports/clock.ts';
import type { ExecutionVenue } from '../ports/execution-venue.ts';
import type { Journal } from '../ports/journal.ts';
import type { RiskGate } from '../risk/gate.ts';
import type { State } from '../state/state.ts';
import type { Strategy } from '../strategy/strategy.ts';
import { AccountEvents } from './account-path.ts';
import { BarMaker, type BarPlan } from './bar-maker.ts';
import type { Broadcast } from './broadcast.ts';
import { Commands } from './guards/commands.ts';
import { Closing, Flattening, isFlattening } from './guards/flattening.ts';
import { LatchDesk } from './guards/latch-desk.ts';
import { Overshoots, type RecentEvents, RiskGuards, TradeStops } from './guards/risk-guards.ts';
import { HeldDesk } from './held/held-desk.ts';
import { type HeldSnapshot, rememberHeld, restoreHeld } from './held/held-memory.ts';
import { TriggerTimeouts } from './held/trigger-timeouts.ts';
import type { Wish } from './inbox.ts';
import type { OrderDesk } from './orders/order-desk.ts';
import { Outbox } from './orders/outbox.ts';
import { Reviewer } from './orders/reviewer.ts';
import { Audience } from './strategies/audience.ts';
import type { StrategyHost } from './strategies/strategy-host.ts';
import { TimerBook } from './strategies/timer-book.ts';

/** Where an earlier run stopped. */
export interface ResumeOptions {
  readonly held?: HeldSnapshot | undefined;
  /** What each strategy saved, by its id. */
  readonly saves: ReadonlyMap<string, unknown>;
  readonly recent?: RecentEvents | undefined;
}

/** What one engine is made of: the parts of the core, and the outside through its ports. */
export interface EngineOptions {
  readonly state: State;
  readonly strategies: readonly Strategy[];
  readonly gate: RiskGate;
  readonly desk: OrderDesk;
  readonly venue: ExecutionVenue;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly bars: BarPlan;
  readonly exitsWaitForNextBar: boolean;
  /** Close every strategy's position at the last price when the recording ends. */
  readonly closeAtEnd: boolean;
  /** Ms after which a trigger at the last price that has not fired is canceled and replaced; 5000 unless said otherwise. */
  readonly triggerTimeoutMs?: number | undefined;
  /** What an earlier run of the same bot left, beside the state that is handed in as it stood. */
  readonly resume?: ResumeOptions | undefined;
  /** See `RULES`; the newest if left out. */
  readonly rules?: number | undefined;
}

/** What the parts ask of the loop. */
interface LoopHooks {
  readonly broadcast: Broadcast;
  emit(event: AccountEvent): void;
  wish(wish: Wish): void;
  want(host: StrategyHost, intent: Intent, ours?: boolean): void;
  /** Something came due outside the feed. */
  wake(event?: AccountEvent | MarketEvent): void;
}

export interface EngineParts {
  readonly outbox: Outbox;
  readonly held: HeldDesk;
  readonly timeouts: TriggerTimeouts;
  readonly reviewer: Reviewer;
  readonly audience: Audience;
  readonly account: AccountEvents;
  readonly closing: Closing;
  readonly flattening: Flattening;
  readonly commands: Commands;
  readonly bars: BarMaker;
}

/** Puts together what one engine is made of, as an earlier run left it where there was one. */
export function assemble(options: EngineOptions, hooks: LoopHooks): EngineParts {
  const { state, venue, clock, gate, desk, journal, resume } = options;
  const { broadcast, emit, wish } = hooks;
  const now = () => clock.now();
  const killed = () => (options.rules === 0 ? undefined : state.latches.get('kill'));
  const ended = (request: OrderRequest) => killed() !== undefined && !isFlattening(request);
  const outbox = new Outbox(venue);
  const cancelAtVenue: Reviewer['cancelAtVenue'] = (...order) => reviewer.cancelAtVenue(...order);
  const timeouts: TriggerTimeouts = new TriggerTimeouts(state, clock, options.triggerTimeoutMs, {
    cancelAtVenue,
    replace: (order, steps) => {
      const leg = held.book.find(order.clientOrderId);
      if (leg !== undefined) return held.renew(leg, steps, state.market(leg.request.instrument).lastTicks);
      wish({ replace: order, steps });
      return true;
    },
    wake: () => hooks.wake(),
  });
  const held: HeldDesk = new HeldDesk(
    state,
    desk,
    clock,
    {
      emit,
      now,
      release: (order) => wish({ release: order }),
      cancelAtVenue,
      cancel: (order, reason) => reviewer.cancel(order, reason),
      watch: (id) => timeouts.watch(id),
      slice: (close, ticks) => gate.slice(close, ticks),
      wake: () => hooks.wake(),
    },
    options.exitsWaitForNextBar,
  );
  const timers = new TimerBook(clock, (event) => hooks.wake(event));
  const reviewer: Reviewer = new Reviewer({ state, gate, desk, held, outbox, timers, timeouts, emit, now, ended });
  const audience = new Audience(options.strategies, state, hooks.want);
  const wantFor = (id: string, intent: Intent) => {
    for (const host of audience.hosts) if (host.id === id) hooks.want(host, intent, true);
  };
  const closing = new Closing(state, reviewer, wantFor);
  const flattening: Flattening = new Flattening({
    state,
    reviewer,
    clock,
    emit,
    want: wantFor,
    slice: (close) => gate.sliceAhead(close),
    wake: () => hooks.wake(),
    flattens: (latched) => latches.flattens(latched),
  });
  const { limits } = gate;
  const latches: LatchDesk = new LatchDesk({ state, limits, reviewer, flattening, clock, emit, wake: (event) => hooks.wake(event) });
  const stops = new TradeStops(state, limits, flattening, { emit, now });
  const overshoots = new Overshoots(state, { emit, want: wantFor });
  const guards = new RiskGuards({ state, limits, desk: latches, flattening, stops, overshoots });
  const account = new AccountEvents({ state, journal, held, timeouts, guards, broadcast, audience });
  const commands = new Commands({ state, reviewer, audience, flattening, latches, emit, now, killed });
  const bars = new BarMaker(state.instruments, options.bars, clock, (bar) => hooks.wake(bar));
  if (resume?.held !== undefined) {
    restoreHeld(held, resume.held, state);
    timeouts.restoreRecalled(resume.held.recalled);
    flattening.resume(resume.held.flattening);
  }
  if (resume?.recent !== undefined) {
    gate.restore(resume.recent.sent);
    guards.restore(resume.recent);
  }
  return { outbox, held, timeouts, reviewer, audience, account, closing, flattening, commands, bars };
}

/** The engine runs: what waits for its time waits from here. */
export function startWaits({ timeouts, held, bars }: EngineParts, resume: EngineOptions['resume']): void {
  timeouts.start(resume && (resume.held?.watched ?? []));
  held.start();
  bars.start();
}

export function snapshotOf({ held, timeouts: { watched, recalled }, flattening }: EngineParts): HeldSnapshot {
  return { ...rememberHeld(held), watched, recalled, flattening: flattening.targets };
}

import 'reflect-metadata';
import { Container, type ServiceIdentifier } from 'inversify';
import { blamed } from '../../engine/blame.ts';
import { ClientIds } from '../../engine/client-ids.ts';
import { Engine } from '../../engine/engine.ts';
import { OrderDesk } from '../../engine/order-desk.ts';
import { MatchingEngine } from '../../matching/matching-engine.ts';
import { NettingAccount } from '../../matching/netting-account.ts';
import type { SimulatedAccount } from '../../matching/simulated-account.ts';
import { SpotAccount } from '../../matching/spot-account.ts';
import { parseInterval } from '../../model/interval.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ExecutionVenue } from '../../ports/execution-venue.ts';
import type { Journal } from '../../ports/journal.ts';
import type { FeedItem, MarketFeed } from '../../ports/market-feed.ts';
import { RiskGate } from '../../risk/gate.ts';
import { State } from '../../state/state.ts';
import { createSource } from '../../venues/simulated/create-source.ts';
import { HeldLevelsRelay } from '../../venues/simulated/held-levels-relay.ts';
import { RecordedFeed } from '../../venues/simulated/recorded-feed.ts';
import { SimulatedClock } from '../../venues/simulated/simulated-clock.ts';
import { SimulatedVenue } from '../../venues/simulated/simulated-venue.ts';
import { Timeline } from '../../venues/simulated/timeline.ts';
import type { BacktestPlan } from '../backtest/backtest-plan.ts';
import { capabilitiesOf } from './profiles.ts';

const token = <T>(name: string): ServiceIdentifier<T> => Symbol.for(`tidegate.${name}`);

/** What the container of one run resolves. */
export const TOKENS = {
  plan: token<BacktestPlan>('plan'),
  journal: token<Journal>('journal'),
  state: token<State>('state'),
  clock: token<Clock>('clock'),
  feed: token<MarketFeed>('feed'),
  venue: token<ExecutionVenue>('venue'),
  gate: token<RiskGate>('gate'),
  desk: token<OrderDesk>('desk'),
  engine: token<Engine>('engine'),
  simulation: token<Simulation>('simulation'),
};

/** The simulated outside: its parts know each other, the ports show them to the engine. */
export interface Simulation {
  readonly clock: SimulatedClock;
  readonly venue: SimulatedVenue;
  readonly matching: MatchingEngine;
  readonly account: SimulatedAccount;
  readonly timeline: Timeline;
  readonly feed: RecordedFeed;
  /** Lets go of the recordings' files: for a run that stops before its end. */
  close(): void;
}

/** Wires one backtest: the ports bound to the simulator, the core as in every other mode. */
export function backtestContainer(plan: BacktestPlan, journal: Journal): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  container.bind(TOKENS.plan).toConstantValue(plan);
  container.bind(TOKENS.journal).toConstantValue(journal);
  container.bind(TOKENS.simulation).toResolvedValue(simulate, [TOKENS.plan]);
  container.bind(TOKENS.clock).toResolvedValue((simulation: Simulation) => simulation.clock, [TOKENS.simulation]);
  container.bind(TOKENS.feed).toResolvedValue((simulation: Simulation) => simulation.feed, [TOKENS.simulation]);
  container.bind(TOKENS.venue).toResolvedValue((simulation: Simulation) => simulation.venue, [TOKENS.simulation]);
  bindCore(container);
  return container;
}

function bindCore(container: Container): void {
  container.bind(TOKENS.state).toResolvedValue(
    (plan: BacktestPlan) =>
      new State(
        plan.instruments,
        plan.strategies.map(({ id }) => id),
        plan.account,
      ),
    [TOKENS.plan],
  );
  container
    .bind(TOKENS.gate)
    .toResolvedValue((plan: BacktestPlan, state: State) => new RiskGate({ state, limits: plan.limits }), [TOKENS.plan, TOKENS.state]);
  container
    .bind(TOKENS.desk)
    .toResolvedValue(
      (plan: BacktestPlan, state: State, venue: ExecutionVenue) =>
        new OrderDesk(state, venue.capabilities, new ClientIds(plan.name), plan.marketBuyCollar),
      [TOKENS.plan, TOKENS.state, TOKENS.venue],
    );
  container
    .bind(TOKENS.engine)
    .toResolvedValue(createEngine, [TOKENS.plan, TOKENS.state, TOKENS.gate, TOKENS.desk, TOKENS.venue, TOKENS.clock, TOKENS.journal]);
}

function createEngine(
  plan: BacktestPlan,
  state: State,
  gate: RiskGate,
  desk: OrderDesk,
  venue: ExecutionVenue,
  clock: Clock,
  journal: Journal,
): Engine {
  const strategies = plan.strategies.map(({ id, symbols, params, create }) => {
    const history = (symbol: string, interval?: string) =>
      plan.history(id, symbol, interval === undefined ? undefined : parseInterval(interval));
    try {
      return create({ id, symbols, params, state, log: plan.log, now: () => clock.now(), history });
    } catch (error) {
      throw blamed(error, { who: `strategy "${id}"`, what: 'its constructor', time: clock.now() });
    }
  });
  const onBars = plan.sources.some(({ kind }) => kind === 'bar');
  return new Engine({
    state,
    strategies,
    gate,
    desk,
    venue,
    clock,
    journal,
    bars: plan.bars,
    exitsWaitForNextBar: onBars && plan.exits === 'nextBar',
    closeAtEnd: plan.closeAtEnd,
  });
}

function simulate(plan: BacktestPlan): Simulation {
  const clock = new SimulatedClock();
  const held = new HeldLevelsRelay();
  const out: { emit: (item: FeedItem) => void } = { emit: () => {} };
  const venue = new SimulatedVenue(capabilitiesOf(plan.profile), clock, plan.latency, held);
  const account = plan.account.kind === 'spot' ? new SpotAccount(venue.reply) : new NettingAccount(venue.reply);
  const matching = new MatchingEngine({
    instruments: plan.instruments,
    onBars: plan.sources.some(({ kind }) => kind === 'bar'),
    settings: plan.fills,
    held,
    pause: (instrument, time, sequence, priceTicks) => {
      out.emit({ kind: 'priceInstant', instrument, time, sequence, priceTicks });
    },
  });
  venue.connect(matching, account);
  const sources = plan.sources.map(({ instrument, kind, open }) => createSource(kind, instrument, open(), plan.from, plan.to));
  const timeline = new Timeline(clock, sources, matching, plan.monitor);
  const close = () => {
    for (const source of sources) source.close();
  };
  return { clock, venue, matching, account, timeline, feed: new RecordedFeed(timeline, out), close };
}

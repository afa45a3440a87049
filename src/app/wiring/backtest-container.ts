import 'reflect-metadata';
import { Container, type ServiceIdentifier } from 'inversify';
import { blamed } from '../../engine/blame.ts';
import { ClientIds } from '../../engine/client-ids.ts';
import { Engine } from '../../engine/engine.ts';
import { OrderDesk } from '../../engine/order-desk.ts';
import { parseInterval } from '../../model/interval.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ExecutionVenue } from '../../ports/execution-venue.ts';
import type { Journal } from '../../ports/journal.ts';
import type { MarketFeed } from '../../ports/market-feed.ts';
import { RiskGate } from '../../risk/gate.ts';
import { State } from '../../state/state.ts';
import type { BacktestPlan } from '../backtest/backtest-plan.ts';
import { type Simulation, simulate } from './simulation.ts';

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
    triggerTimeoutMs: plan.triggerTimeoutMs,
  });
}

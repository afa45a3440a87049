import 'reflect-metadata';
import { Container, type ServiceIdentifier } from 'inversify';
import { blamed } from '../../engine/blame.ts';
import { Engine } from '../../engine/engine.ts';
import type { ResumeOptions } from '../../engine/engine-parts.ts';
import type { ClientIds } from '../../engine/orders/client-ids.ts';
import { OrderDesk } from '../../engine/orders/order-desk.ts';
import { parseInterval } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ExecutionVenue } from '../../ports/execution-venue.ts';
import type { Journal } from '../../ports/journal.ts';
import type { EngineItem, MarketFeed } from '../../ports/market-feed.ts';
import { RiskGate } from '../../risk/gate.ts';
import { followedFor } from '../../risk/limits.ts';
import { State } from '../../state/state.ts';
import type { CorePlan } from '../planning/run-plans.ts';

const token = <T>(name: string): ServiceIdentifier<T> => Symbol.for(`tidegate.${name}`);

/** What the container of one run resolves, whatever the wiring. */
export const TOKENS = {
  plan: token<CorePlan>('plan'),
  journal: token<Journal>('journal'),
  state: token<State>('state'),
  clock: token<Clock>('clock'),
  feed: token<MarketFeed<EngineItem>>('feed'),
  venue: token<ExecutionVenue>('venue'),
  ids: token<ClientIds>('ids'),
  resume: token<ResumeOptions | undefined>('resume'),
  gate: token<RiskGate>('gate'),
  desk: token<OrderDesk>('desk'),
  engine: token<Engine>('engine'),
};

/** What a live run has in place of the simulator. */
interface LivePorts {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly feed: MarketFeed;
  readonly venue: ExecutionVenue;
  readonly ids: ClientIds;
  /** As the journal says that it stood. */
  readonly state: State;
  readonly resume: ResumeOptions;
}

/** Wires a run against an exchange, local or real: the core is that of a backtest. */
export function liveContainer(plan: CorePlan, ports: LivePorts): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  container.bind(TOKENS.plan).toConstantValue(plan);
  container.bind(TOKENS.journal).toConstantValue(ports.journal);
  container.bind(TOKENS.clock).toConstantValue(ports.clock);
  container.bind(TOKENS.feed).toConstantValue(ports.feed);
  container.bind(TOKENS.venue).toConstantValue(ports.venue);
  container.bind(TOKENS.ids).toConstantValue(ports.ids);
  container.bind(TOKENS.state).toConstantValue(ports.state);
  container.bind(TOKENS.resume).toConstantValue(ports.resume);
  bindCore(container);
  return container;
}

/** Binds the core between the ports and the state: the same in every mode. */
export function bindCore(container: Container): void {
  container.bind(TOKENS.gate).toResolvedValue(createGate, [TOKENS.plan, TOKENS.state]);
  container.bind(TOKENS.desk).toResolvedValue(createDesk, [TOKENS.plan, TOKENS.state, TOKENS.venue, TOKENS.ids]);
  container
    .bind(TOKENS.engine)
    .toResolvedValue(createEngine, [
      TOKENS.plan,
      TOKENS.state,
      TOKENS.gate,
      TOKENS.desk,
      TOKENS.venue,
      TOKENS.clock,
      TOKENS.journal,
      TOKENS.resume,
    ]);
}

/** The empty state of a run. @param profit what the strategies have made is followed, whether or not a limit asks for it. */
export function stateOf({ instruments, strategies, account, limits }: CorePlan, profit = false): State {
  return new State(
    instruments,
    strategies.map(({ id }) => id),
    account,
    { ...followedFor(limits), profit },
  );
}

function createGate({ limits, rules }: CorePlan, state: State): RiskGate {
  return new RiskGate({ state, limits, rules });
}

function createDesk({ marketBuyCollar }: CorePlan, state: State, { capabilities }: ExecutionVenue, ids: ClientIds): OrderDesk {
  return new OrderDesk(state, capabilities, ids, marketBuyCollar);
}

function createEngine(
  plan: CorePlan,
  state: State,
  gate: RiskGate,
  desk: OrderDesk,
  venue: ExecutionVenue,
  clock: Clock,
  journal: Journal,
  resume: ResumeOptions | undefined,
): Engine {
  const strategies = plan.strategies.map(({ id, symbols, params, create }) => {
    const history = (symbol: string, interval?: string) =>
      plan.history(id, symbol, interval === undefined ? undefined : parseInterval(interval));
    try {
      const requests = () => venue.requests?.();
      return create({ id, symbols, params, state, log: plan.log, now: () => clock.now(), requests, history });
    } catch (error) {
      throw blamed(error, { who: `strategy "${id}"`, what: 'its constructor', time: clock.now() });
    }
  });
  const { bars, exitsWaitForNextBar, closeAtEnd, triggerTimeoutMs, rules } = plan;
  return new Engine({
    state,
    strategies,
    gate,
    desk,
    venue,
    clock,
    journal,
    bars,
    exitsWaitForNextBar,
    closeAtEnd,
    triggerTimeoutMs,
    resume,
    rules,
  });
}

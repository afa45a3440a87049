import 'reflect-metadata';
import { Container, type ServiceIdentifier } from 'inversify';
import { Engine } from '../../engine/engine.ts';
import type { ResumeOptions } from '../../engine/engine-parts.ts';
import type { ClientIds } from '../../engine/orders/client-ids.ts';
import { OrderBuilder } from '../../engine/orders/order-builder.ts';
import { Joins } from '../../engine/strategies/joins.ts';
import { ClosedBars } from '../../engine/strategies/moments.ts';
import { strategyError } from '../../engine/strategy-error.ts';
import { type BarInterval, isCalendar } from '../../model/bar-interval.ts';
import type { Bar } from '../../model/market-events.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ExecutionVenue } from '../../ports/execution-venue.ts';
import type { Journal } from '../../ports/journal.ts';
import type { EngineItem, MarketFeed } from '../../ports/market-feed.ts';
import { RiskGate } from '../../risk/gate.ts';
import { trackedFiguresFor } from '../../risk/limits.ts';
import { State } from '../../state/state.ts';
import { OPEN_BARS } from '../planning/planned-history.ts';
import type { CorePlan } from '../planning/run-plans.ts';

const token = <T>(name: string): ServiceIdentifier<T> => Symbol.for(`tidegate.${name}`);

/** The services that the container of every run resolves. */
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
  orderBuilder: token<OrderBuilder>('orderBuilder'),
  engine: token<Engine>('engine'),
};

/** The ports of a bot, in place of the simulator. */
interface LivePorts {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly feed: MarketFeed;
  readonly venue: ExecutionVenue;
  readonly ids: ClientIds;
  /** The state that was rebuilt from the journal. */
  readonly state: State;
  readonly resume: ResumeOptions;
}

/** Builds a run against an exchange, local or real. The core is the same as in a backtest. */
export function liveContainer(given: CorePlan, ports: LivePorts): Container {
  const plan = { ...given, bars: { ...given.bars, open: openBars(given) } };
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

/** The weeks and months that are open at the start of a bot, as far as their beginning is known. */
function openBars({ bars, instruments, history }: CorePlan): Bar[] {
  return instruments.flatMap(({ index, symbol }) =>
    (bars.intervals[index] ?? []).filter(isCalendar).flatMap((interval) => history(OPEN_BARS, symbol, interval)),
  );
}

/** Binds the core between the ports and the state. It is the same in every mode. */
export function bindCore(container: Container): void {
  container.bind(TOKENS.gate).toResolvedValue(createGate, [TOKENS.plan, TOKENS.state]);
  container.bind(TOKENS.orderBuilder).toResolvedValue(createOrderBuilder, [TOKENS.plan, TOKENS.state, TOKENS.venue, TOKENS.ids]);
  container
    .bind(TOKENS.engine)
    .toResolvedValue(createEngine, [
      TOKENS.plan,
      TOKENS.state,
      TOKENS.gate,
      TOKENS.orderBuilder,
      TOKENS.venue,
      TOKENS.clock,
      TOKENS.journal,
      TOKENS.resume,
    ]);
}

/** The empty state of a run. @param profit also compute the profit of each strategy if no limit needs it. */
export function stateOf({ instruments, strategies, account, limits }: CorePlan, profit = false): State {
  return new State(
    instruments,
    strategies.map(({ id }) => id),
    account,
    { ...trackedFiguresFor(limits), profit },
  );
}

function createGate({ limits, rules }: CorePlan, state: State): RiskGate {
  return new RiskGate({ state, limits, rules });
}

function createOrderBuilder({ marketBuyCollar }: CorePlan, state: State, { capabilities }: ExecutionVenue, ids: ClientIds): OrderBuilder {
  return new OrderBuilder(state, capabilities, ids, marketBuyCollar);
}

function createEngine(
  plan: CorePlan,
  state: State,
  gate: RiskGate,
  desk: OrderBuilder,
  venue: ExecutionVenue,
  clock: Clock,
  journal: Journal,
  resume: ResumeOptions | undefined,
): Engine {
  const closedBars = new ClosedBars();
  const joins = joinsOf(plan, closedBars);
  const read = joins?.history ?? plan.history;
  const strategies = plan.strategies.map(({ id, symbols, references = [], params, needs, create }) => {
    const history = (symbol: string, interval?: BarInterval) => read(id, symbol, interval);
    try {
      const requests = () => venue.requests?.();
      return create({
        id,
        symbols,
        references,
        params,
        needs,
        state,
        log: plan.log,
        now: () => clock.now(),
        requests,
        history,
        closedBars: (...series) => closedBars.of(...series),
        plots: plan.plots,
      });
    } catch (error) {
      throw strategyError(error, { who: `strategy "${id}"`, what: 'its constructor', time: clock.now() });
    }
  });
  const { bars, exitsWaitForNextBar, closeAtEnd, lostExit, rules } = plan;
  return new Engine({
    state,
    strategies,
    gate,
    builder: desk,
    venue,
    clock,
    journal,
    bars,
    closedBars,
    joins,
    exitsWaitForNextBar,
    closeAtEnd,
    lostExit,
    resume,
    rules,
  });
}

/** The symbols that strategies receive later, if the plan allows it. */
function joinsOf({ strategies, history, log }: CorePlan, closedBars: ClosedBars): Joins | undefined {
  if (strategies.every(({ joins }) => joins === undefined)) return undefined;
  const report = ({ strategyId, symbol }: { strategyId: string; symbol: string }) =>
    log.info('a symbol begins: its history is complete', { strategy: strategyId, symbol });
  const found = new Joins(closedBars, history, report);
  for (const { id, symbols, references = [], joins } of strategies)
    if (joins !== undefined) found.expect(id, [...symbols, ...references], joins);
  return found;
}

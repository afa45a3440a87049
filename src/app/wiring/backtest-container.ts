import { Container, type ServiceIdentifier } from 'inversify';
import { ClientIds } from '../../engine/orders/client-ids.ts';
import type { Journal } from '../../ports/journal.ts';
import type { BacktestPlan } from '../planning/run-plans.ts';
import { bindCore, stateOf, TOKENS } from './core-container.ts';
import { type Simulation, simulate } from './simulation.ts';

/** Beside the ports: the simulator behind them. */
export const SIMULATION: ServiceIdentifier<Simulation> = Symbol.for('tidegate.simulation');

/** Wires one backtest: the ports bound to the simulator, the core as in every other mode. */
export function backtestContainer(plan: BacktestPlan, journal: Journal): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  container.bind(TOKENS.plan).toConstantValue(plan);
  container.bind(TOKENS.journal).toConstantValue(journal);
  container.bind(TOKENS.ids).toConstantValue(new ClientIds(plan.name));
  container.bind(TOKENS.resume).toConstantValue(undefined);
  container.bind(SIMULATION).toDynamicValue(() => simulate(plan));
  container.bind(TOKENS.clock).toResolvedValue((simulation: Simulation) => simulation.clock, [SIMULATION]);
  container.bind(TOKENS.feed).toResolvedValue((simulation: Simulation) => simulation.feed, [SIMULATION]);
  container.bind(TOKENS.venue).toResolvedValue((simulation: Simulation) => simulation.venue, [SIMULATION]);
  container.bind(TOKENS.state).toResolvedValue(stateOf, [TOKENS.plan]);
  bindCore(container);
  return container;
}

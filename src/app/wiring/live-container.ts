import { Container } from 'inversify';
import type { ResumeOptions } from '../../engine/engine-parts.ts';
import type { ClientIds } from '../../engine/orders/client-ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ExecutionVenue } from '../../ports/execution-venue.ts';
import type { Journal } from '../../ports/journal.ts';
import type { MarketFeed } from '../../ports/market-feed.ts';
import type { State } from '../../state/state.ts';
import type { CorePlan } from '../planning/run-plans.ts';
import { bindCore, TOKENS } from './core-container.ts';

/** What a live run has in place of the simulator. */
export interface LivePorts {
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

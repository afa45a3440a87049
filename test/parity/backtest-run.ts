import { tap } from 'rxjs';
import type { BacktestPlan } from '../../src/app/planning/run-plans.ts';
import { TOKENS } from '../../src/app/wiring/container.ts';
import { backtestContainer, SIMULATION } from '../../src/app/wiring/simulation.ts';
import type { Journal } from '../../src/ports/journal.ts';
import { order } from '../builders.ts';
import type { ForeignOrder } from './foreign-order.ts';
import { type Trace, Tracer } from './trace.ts';

/** The backtest of a plan, as it stands when the data is over. */
export async function runBacktest(plan: BacktestPlan, foreign?: ForeignOrder): Promise<Trace> {
  const tracer = new Tracer(() => simulation.clock.now());
  const journal: Journal = {
    intent: (_sequence, _time, strategyId, intent) => tracer.intent(strategyId, intent),
    event: () => {},
    commit: () => {},
  };
  const container = backtestContainer(plan, journal);
  const simulation = container.get(SIMULATION);
  const state = container.get(TOKENS.state);
  simulation.clock.advanceTo(simulation.timeline.startTime);
  const engine = container.get(TOKENS.engine);
  simulation.venue.deposit(plan.account.kind === 'futures' ? 'futures' : 'spot', plan.balances);
  if (plan.spotBalances !== undefined) simulation.venue.deposit('spot', plan.spotBalances);
  tracer.observe(engine);
  if (foreign !== undefined) {
    const request = order({ ...foreign, clientOrderId: 'foreign' });
    simulation.clock.schedule(foreign.time, () => simulation.matching.submit(simulation.account, request, foreign.time));
  }
  let trace: Trace | undefined;
  const end = () => {
    trace = tracer.trace(state);
    tracer.closed = true;
  };
  await engine.run({ events$: simulation.feed.events$.pipe(tap(({ kind }) => (kind === 'ending' ? end() : undefined))) });
  return trace!;
}

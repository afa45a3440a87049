import { performance } from 'node:perf_hooks';
import { simulateRun } from '../../dist/app/backtest/simulate-run.js';
import { bareDepth, makeDepth } from '../lib/depth.mjs';
import { measureBeside, row } from '../lib/measure.mjs';
import { makeInstruments, makePlan } from '../lib/plan.mjs';
import { rowsOf } from '../lib/quotes.mjs';
import { DepthQuoter } from '../lib/strategies.mjs';

const ROWS = 2_000_000;
const COLD_ROWS = 8_000_000;
const LATENCY_MS = 5;

function planned({ depth, trades }) {
  const strategy = {
    id: 'quoter',
    symbols: ['COIN0-USD'],
    params: { quantity: '20', most: 200 },
    create: (context) => new DepthQuoter(context),
  };
  return makePlan({
    instruments: makeInstruments(1),
    kinds: { depth: () => rowsOf(depth), trade: () => rowsOf(trades) },
    strategies: [strategy],
    cash: '1000000000000',
    latencyMs: LATENCY_MS,
    fills: { limit: { queue: 'power', exponent: 3 } },
  });
}

/** Level changes and trades a second, with a strategy that quotes at both best prices, a probabilistic queue and latency. */
export async function depthReplayCase() {
  const made = makeDepth(ROWS, 5);
  const { depth, trades } = made;
  const events = depth.time.length + trades.time.length;
  const { bareNs, nsPerEvent, bareLast, last } = await measureBeside(
    { events: depth.time.length, run: () => bareDepth(depth) },
    { events, run: (plan) => simulateRun(plan), prepare: () => planned(made) },
  );
  if (last.failure !== undefined) throw last.failure.error;
  const { book } = last.state.markets[0];
  if (book.bids.bestTicks !== bareLast.bestBid || book.asks.bestTicks !== bareLast.bestAsk) throw new Error('the books differ at the end');
  const { recorder, marketEvents } = last;
  const messages = marketEvents - trades.time.length;
  const detail = `${messages} messages of ${Math.round(depth.time.length / messages)} levels, ${trades.time.length} trades, ${recorder.fills.length} fills, ${LATENCY_MS} ms latency`;
  return [row('depth-replay', events, nsPerEvent, bareNs, detail)];
}

/** The same in the first and only replay of a process: it compiles on the way. */
export async function depthReplayColdCase() {
  const made = makeDepth(COLD_ROWS, 5);
  const events = made.depth.time.length + made.trades.time.length;
  const plan = planned(made);
  const started = performance.now();
  const { failure, recorder } = await simulateRun(plan);
  const nsPerEvent = ((performance.now() - started) * 1e6) / events;
  if (failure !== undefined) throw failure.error;
  return [row('depth-replay-cold', events, nsPerEvent, undefined, `one run, ${recorder.fills.length} fills`)];
}

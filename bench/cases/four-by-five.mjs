import { simulateRun } from '../../dist/app/backtest/simulate-run.js';
import { bareQuotes } from '../bare-quotes.mjs';
import { measureBeside, row } from '../lib/measure.mjs';
import { makeInstruments, makePlan } from '../lib/plan.mjs';
import { makeQuotes, rowsOf } from '../lib/quotes.mjs';
import { QuoteCross } from '../lib/strategies.mjs';

const SYMBOLS = 4;
const STRATEGIES = 5;
const QUOTES_EACH = 400_000;
const LATENCY_MS = 20;
const BARE = { fast: 500, slow: 2000, steps: 100, cash: 1_000_000_000 };

/** Four symbols whose quotes come at their own times, five strategies on each, orders under way for 20 ms. */
export async function fourByFiveCase() {
  const quotes = Array.from({ length: SYMBOLS }, (_, index) => makeQuotes(QUOTES_EACH, 11 + index, index * 25));
  const strategies = quotes.flatMap((_, symbol) =>
    Array.from({ length: STRATEGIES }, (__, index) => ({
      id: `s${symbol}-${index}`,
      symbols: [`COIN${symbol}-USD`],
      params: { fast: 500 + index * 25, slow: 2000 + index * 100, steps: '10' },
      create: (context) => new QuoteCross(context),
    })),
  );
  const planned = () =>
    makePlan({
      instruments: makeInstruments(SYMBOLS),
      kind: 'quote',
      rows: (index) => rowsOf(quotes[index]),
      strategies,
      cash: '10000000000',
      latencyMs: LATENCY_MS,
    });
  const [bids, asks] = quotes[0].columns;
  const events = QUOTES_EACH * SYMBOLS;
  const { bareNs, nsPerEvent, last } = await measureBeside(
    { events: QUOTES_EACH, run: () => bareQuotes(bids, asks, BARE) },
    { events, run: (plan) => simulateRun(plan), prepare: planned },
  );
  if (last.failure !== undefined) throw last.failure.error;
  const { fills } = last.recorder;
  return [
    row(
      'engine-4x5',
      events,
      nsPerEvent,
      bareNs,
      `${SYMBOLS} symbols x ${STRATEGIES} strategies, ${LATENCY_MS} ms latency, ${fills.length} fills`,
    ),
  ];
}

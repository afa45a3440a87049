import { simulateRun } from '../../dist/app/backtest/simulate-run.js';
import { bareQuotes } from '../bare-quotes.mjs';
import { makeBars } from '../lib/bars.mjs';
import { measureBeside, row } from '../lib/measure.mjs';
import { makeInstruments, makePlan } from '../lib/plan.mjs';
import { rowsOf } from '../lib/quotes.mjs';
import { BarCross } from '../lib/strategies.mjs';

const EVENTS = 1_000_000;

/** One-minute bars: an open, a walk and a close each. */
export async function barsCase() {
  const bars = makeBars(EVENTS, 5);
  const settings = { fast: 60, slow: 240, steps: 100, cash: 1_000_000_000 };
  const planned = () =>
    makePlan({
      instruments: makeInstruments(1),
      kind: 'bar',
      rows: () => rowsOf(bars),
      intervalMs: 60_000,
      strategies: [
        { id: 'cross', symbols: ['COIN0-USD'], params: { fast: 60, slow: 240, steps: '100' }, create: (context) => new BarCross(context) },
      ],
      cash: '1000000000',
    });
  const [opens, , , closes] = bars.columns;
  const { bareNs, nsPerEvent, last } = await measureBeside(
    { events: EVENTS, run: () => bareQuotes(opens, closes, settings) },
    { events: EVENTS, run: (plan) => simulateRun(plan), prepare: planned },
  );
  if (last.failure !== undefined) throw last.failure.error;
  return [row('engine-bars', EVENTS, nsPerEvent, bareNs, `${last.recorder.fills.length} fills`)];
}

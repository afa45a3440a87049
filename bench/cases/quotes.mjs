import { simulateRun } from '../../dist/app/backtest/simulate-run.js';
import { bareQuotes } from '../bare-quotes.mjs';
import { agree } from '../lib/agree.mjs';
import { measure, measureBeside, row } from '../lib/measure.mjs';
import { makeInstruments, makePlan } from '../lib/plan.mjs';
import { makeQuotes, rowsOf } from '../lib/quotes.mjs';
import { Idle, PlottedCross, QuoteCross } from '../lib/strategies.mjs';

const EVENTS = 2_000_000;
const SETTINGS = { fast: 200, slow: 800, steps: 100, cash: 1_000_000_000 };
const quotes = makeQuotes(EVENTS, 7);
const [bids, asks] = quotes.columns;

function planned(Type = QuoteCross) {
  const instruments = makeInstruments(1);
  const strategies = [
    { id: 'cross', symbols: ['COIN0-USD'], params: { ...SETTINGS, steps: '100' }, create: (context) => new Type(context) },
  ];
  return makePlan({ instruments, kind: 'quote', rows: () => rowsOf(quotes), strategies, cash: String(SETTINGS.cash) });
}

export async function bareQuotesCase() {
  const { nsPerEvent, last } = await measure(EVENTS, () => bareQuotes(bids, asks, SETTINGS));
  return [row('bare-quotes', EVENTS, nsPerEvent, nsPerEvent, `${last.fills} fills`)];
}

async function engineCase(name, { observe, Type } = {}) {
  const { bareNs, nsPerEvent, bareLast, last } = await measureBeside(
    { events: EVENTS, run: () => bareQuotes(bids, asks, SETTINGS) },
    { events: EVENTS, run: (plan) => simulateRun(plan, { observe }), prepare: () => planned(Type) },
  );
  agree(bareLast, last);
  const share = ((last.recorder.fills.length / EVENTS) * 100).toFixed(2);
  return [row(name, EVENTS, nsPerEvent, bareNs, `${last.recorder.fills.length} fills (${share} % of quotes), equal to the bare loop`)];
}

export const engineQuotesCase = () => engineCase('engine-quotes');

/** One subscriber on the market stream. */
export const engineQuotesObservedCase = () =>
  engineCase('engine-quotes-observed', {
    observe: (engine) => {
      let seen = 0;
      engine.market$.subscribe(({ sequence }) => {
        if (sequence <= seen) throw new Error('market events out of order');
        seen = sequence;
      });
    },
  });

/** Two values plotted at every quote, and nobody takes them. */
export const engineQuotesPlotsCase = () => engineCase('engine-quotes-plots', { Type: PlottedCross });

/** A strategy that receives every quote and does nothing: it measures the cost of the path of a quote alone. */
export async function engineQuotesIdleCase() {
  const { bareNs, nsPerEvent } = await measureBeside(
    { events: EVENTS, run: () => bareQuotes(bids, asks, SETTINGS) },
    { events: EVENTS, run: (plan) => simulateRun(plan, {}), prepare: () => planned(Idle) },
  );
  return [row('engine-quotes-idle', EVENTS, nsPerEvent, bareNs, 'no order, no work of the strategy')];
}

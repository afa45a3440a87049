import { simulateRun } from '../../dist/app/backtest/simulate-run.js';
import { Decimal } from '../../dist/model/decimal.js';
import { Instrument } from '../../dist/model/instrument.js';
import { bareQuotes } from '../bare-quotes.mjs';
import { measureBeside, row } from '../lib/measure.mjs';
import { makePlan } from '../lib/plan.mjs';
import { makeFundings, makeMarks, makeQuotes, rowsOf } from '../lib/quotes.mjs';
import { HedgedCross } from '../lib/strategies.mjs';

const SYMBOLS = 4;
const STRATEGIES = 5;
const QUOTES_EACH = 400_000;
const MARK_EVERY = 10;
const LATENCY_MS = 20;
const BARE = { fast: 500, slow: 2000, steps: 100, cash: 1_000_000_000 };
const CONTRACT = {
  value: '1',
  tiers: [{ upTo: '100000000', maintenance: '0.004' }, { maintenance: '0.005' }],
  liquidationFee: '0.001',
  triggerBy: 'last',
};

/** Four perpetuals on shared margin, five strategies on each, a mark every ten quotes, funding every hour. */
export async function futuresFourByFiveCase() {
  const quotes = Array.from({ length: SYMBOLS }, (_, index) => makeQuotes(QUOTES_EACH, 11 + index, index * 25));
  const marks = quotes.map((one) => makeMarks(one, MARK_EVERY));
  const fundings = quotes.map((one, index) => makeFundings(one, 31 + index));
  const instruments = quotes.map(
    (_, index) =>
      new Instrument(index, {
        symbol: `COIN${index}-USD-PERP`,
        tickSize: '1',
        stepSize: '1',
        makerFee: '0.0005',
        takerFee: '0.0005',
        contract: CONTRACT,
      }),
  );
  const strategies = quotes.flatMap((_, symbol) =>
    Array.from({ length: STRATEGIES }, (__, index) => ({
      id: `s${symbol}-${index}`,
      symbols: [`COIN${symbol}-USD-PERP`],
      params: { fast: 500 + index * 25, slow: 2000 + index * 100, steps: '10' },
      create: (context) => new HedgedCross(context),
    })),
  );
  const margin = {
    mode: 'shared',
    separated: false,
    longLeverage: new Decimal(5),
    shortLeverage: new Decimal(5),
    autoAppend: false,
  };
  const planned = () => {
    const plan = makePlan({
      instruments,
      kind: 'quote',
      rows: (index) => rowsOf(quotes[index]),
      strategies,
      cash: '10000000000',
      latencyMs: LATENCY_MS,
    });
    const series = (kind, data, decimals) =>
      instruments.map((instrument, index) => ({
        instrument,
        kind,
        open: () => ({ ...plan.sources[0].open(), rows: rowsOf(data[index]), priceDecimals: decimals }),
      }));
    return {
      ...plan,
      account: { ...plan.account, kind: 'futures', margin: new Map(instruments.map(({ symbol }) => [symbol, margin])) },
      sources: [...plan.sources, ...series('mark', marks, 2), ...series('funding', fundings, 6)],
    };
  };
  const [bids, asks] = quotes[0].columns;
  const events = SYMBOLS * (QUOTES_EACH + marks[0].time.length + fundings[0].time.length);
  const { bareNs, nsPerEvent, last } = await measureBeside(
    { events: QUOTES_EACH, run: () => bareQuotes(bids, asks, BARE) },
    { events, run: (plan) => simulateRun(plan), prepare: planned },
  );
  if (last.failure !== undefined) throw last.failure.error;
  const { fills } = last.recorder;
  return [
    row(
      'futures-4x5',
      events,
      nsPerEvent,
      bareNs,
      `${SYMBOLS} perpetuals x ${STRATEGIES} strategies, shared margin, ${SYMBOLS * marks[0].time.length} marks, ${SYMBOLS * fundings[0].time.length} fundings, ${fills.length} fills`,
    ),
  ];
}

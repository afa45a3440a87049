import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ChartRecorder } from '../../src/app/backtest/recorders/chart-recorder.ts';
import { DiagnosisRecorder } from '../../src/app/backtest/recorders/diagnosis-recorder.ts';
import { simulateRun } from '../../src/app/backtest/simulate-run.ts';
import { QuoteFollower } from '../../src/matching/book-matching.ts';
import type { Quote } from '../../src/model/market-events.ts';
import { plainOrder } from '../../src/report/page-report.ts';
import type { ReadonlyMarket } from '../../src/state/state.ts';
import { place } from '../../src/strategy/intents.ts';
import { MergedQuoteRun } from '../../src/venues/simulated/quote-runs.ts';
import { at, instrument, type PlanOptions, plan, type Row, type Scripted, series } from '../builders.ts';
import { CollectedTables } from '../support/collected-tables.ts';
import { planOf, type RandomRun, randomRun } from './random-runs.ts';

const RUNS = 200;

const chunkRows = fc.constantFrom(3, 1_000, 1_000);
/** The quote at which the strategy throws. */
const halt = fc.option(fc.integer({ min: 0, max: 39 }), { freq: 2, nil: undefined });

/** The strategy looks at the state at every so many quotes: what nobody asks for is not worked out. */
const looks = fc.constantFrom(1, 1, 2, 7);

/** All that a run leaves behind, and what its strategy saw. */
async function outcome(random: RandomRun, chunkRows: number, halted: number | undefined, look: number) {
  const seen: unknown[] = [];
  const options: PlanOptions = planOf(random, chunkRows);
  const { onQuote } = options.script!;
  let quotes = 0;
  const script: PlanOptions['script'] = {
    ...options.script,
    onQuote(self, quote: Quote) {
      const { world } = self;
      const { equity, drawdown } = world.portfolio;
      seen.push([self.time, world.time, world.sequence, { ...quote }, equity, drawdown.current]);
      if (quotes % look === 0) seen.push(pricesOf(world.market(quote.instrument)));
      if (quotes++ === halted) throw new Error('halted');
      return onQuote!(self, quote);
    },
  };
  const planned = plan({ ...options, script });
  const charts = new ChartRecorder(planned.instruments);
  const observed = new DiagnosisRecorder();
  const tables = new CollectedTables();
  const run = await simulateRun(planned, {
    tables: [tables],
    observe: (engine, _clock, state) => {
      charts.observe(engine, state);
      observed.observe(engine, state);
    },
  });
  const { portfolio } = run.state;
  return {
    seen,
    failure: String((run.failure?.error as Error | undefined)?.message),
    log: run.eventLogSha256,
    marketEvents: run.marketEvents,
    span: [run.from, run.to],
    pathFills: run.pathFills,
    fills: tables.fills.map(({ pricedSequence, decidedSequence, time }) => [pricedSequence, decidedSequence, time]),
    ranges: Array.from(run.recorder.fills, ({ range }) => range),
    lastRanges: [...run.recorder.prices.lastRanges().values()],
    coverage: [...run.recorder.prices.coverage()],
    charts: charts.charts(run.recorder.fills).map((chart) => {
      return { ...chart, fills: [...chart.fills], orders: Array.from(chart.orders ?? [], plainOrder) };
    }),
    gaps: observed.gapsOf(run.state),
    curve: portfolio.curve.samples.map(({ time, equity, exposure }) => [time, equity.toFixed(), exposure]),
    days: portfolio.curve.days.map(({ time, equity }) => [time, equity.toFixed()]),
    drawdown: { ...portfolio.drawdown, onDeeper: undefined },
    inMarket: portfolio.timeInMarketMs,
    equity: portfolio.exactEquity().toFixed(),
    prices: run.state.markets.map(pricesOf),
  };
}

function pricesOf({ sequence, time, last, mark, quote }: ReadonlyMarket) {
  return [sequence, time, last, mark, { ...quote }];
}

test.each(['quote', 'quote and trade', 'quote of two'] as const)(
  'a run over %ss is the same whether quotes come in runs or one by one',
  async (feed) => {
    const { begin, follows } = QuoteFollower.prototype;
    const begun = { run: 0, mergedRun: 0 };
    QuoteFollower.prototype.begin = function (this: QuoteFollower, run) {
      begun[run instanceof MergedQuoteRun ? 'mergedRun' : 'run']++;
      begin.call(this, run);
    };
    try {
      await fc.assert(
        fc.asyncProperty(randomRun(feed), chunkRows, halt, looks, async (random, rows, halted, look) => {
          QuoteFollower.prototype.follows = follows;
          const inRuns = await outcome(random, rows, halted, look);
          QuoteFollower.prototype.follows = () => false;
          expect(inRuns).toEqual(await outcome(random, rows, halted, look));
        }),
        { numRuns: RUNS },
      );
    } finally {
      Object.assign(QuoteFollower.prototype, { begin, follows });
    }
    expect(feed === 'quote of two' ? begun.mergedRun : begun.run).toBeGreaterThan(RUNS / 10);
  },
);

/** What a script does over quotes of one chunk: seconds, bid, ask and the steps that stand there. */
async function scripted(rows: readonly Row[], script: Exclude<PlanOptions['script'], undefined>) {
  const traded = instrument({ stepSize: '1', tickSize: '1' });
  const source = { instrument: traded, kind: 'quote', open: () => series('quote', rows, { chunkRows: 1_000 }) } as const;
  const run = await simulateRun(plan({ sources: [source], balances: { USDT: '10000' }, script }));
  if (run.failure !== undefined) throw run.failure.error;
  return Array.from(run.recorder.fills, ({ time, priceTicks, steps }) => [(time - at(0)) / 1_000, priceTicks, steps]);
}

test('a strategy starts before it sees the first quote of a run', async () => {
  const hooks: string[] = [];
  const note = (hook: string) => () => void hooks.push(hook);
  await scripted(
    [1, 2, 3, 4].map((second) => [second, 99, 101]),
    { onStart: note('start'), onQuote: note('quote') },
  );
  expect(hooks).toEqual(['start', 'quote', 'quote', 'quote', 'quote']);
});

test('a taken quantity is available again once the price has changed in between, even if no order saw it', async () => {
  const rows: Row[] = [
    [0, 99, 101, 5, 5],
    [1, 99, 103, 5, 5],
    [2, 99, 101, 5, 5],
    [3, 99, 101, 5, 5],
    [4, 99, 101, 5, 5],
  ];
  const buy = (self: Scripted) =>
    self.time === at(0) || self.time === at(3) ? place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 5 }) : undefined;
  expect(await scripted(rows, { onQuote: buy })).toEqual([
    [0, 101, 5],
    [3, 101, 5],
  ]);
});

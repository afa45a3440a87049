import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { pollSettings } from '../../src/app/planning/plan-backtest.ts';
import type { BacktestPlan } from '../../src/app/planning/run-plans.ts';
import { RecordedJournal } from '../../src/journal/journal-reader.ts';
import { Instrument } from '../../src/model/instrument.ts';
import type { SignalReceived } from '../../src/model/signal.ts';
import { place } from '../../src/strategy/intents.ts';
import { type Intents, Strategy } from '../../src/strategy/strategy.ts';
import { at, plan, series } from '../builders.ts';
import { replayed, wrongInReplay } from '../faults/replayed.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { runBacktest } from './backtest-run.ts';
import { botPlan, runPaper } from './paper-run.ts';
import { POLL_MS, SPOT } from './random-recording.ts';
import { firstDifference } from './trace.ts';

const BTC = new Instrument(0, { symbol: 'BTC-USDT', ...SPOT, makerFee: '0', takerFee: '0' });
const SECONDS = 40;
/** Seconds at which the model writes a row; the bot looks at the file once a second. */
const ROWS: readonly (readonly [second: number, up: number])[] = [
  [5, 1],
  [11, 0],
  [20, 1],
  [20, 1],
  [31, 0],
];

/** Long after a signal of 1, flat after one of 0. */
class Following extends Strategy {
  static override readonly needs = { tickers: true, signals: 'preds' };

  override onSignal({ values }: SignalReceived): Intents {
    const { quantity } = this.position('BTC-USDT');
    if (values.up === 1 && quantity === 0) return place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: '1' });
    if (values.up === 0 && quantity > 0) return place({ symbol: 'BTC-USDT', side: 'sell', type: 'market', quantity });
  }
}

function following(): BacktestPlan {
  // The price changes at 7, 17, 27 and 37 seconds: a bot may read a row before or after the price of the same second.
  const rows = Array.from({ length: SECONDS }, (_, second): [number, number] => [second, 100_00 - Math.floor((second + 3) / 10) * 10]);
  return plan({
    kind: 'spot',
    instruments: [BTC],
    sources: [{ instrument: BTC, kind: 'ticker', open: () => series('ticker', rows) }],
    strategies: [{ id: 'following', symbols: ['BTC-USDT'], params: {}, create: (context) => new Following(context) }],
    profile: 'exchange',
    polled: pollSettings(POLL_MS),
    signals: [
      {
        name: 'preds',
        columns: ['up'],
        sourceTimes: ROWS.map(([second]) => at(second)),
        delayMs: 0,
        symbols: ROWS.map(() => undefined),
        values: [ROWS.map(([, up]) => up)],
      },
    ],
  });
}

test('a bot on a file that grows makes the decisions of a polled backtest, and its replay has no difference', async () => {
  const file = join(temporaryFolder(), 'preds.jsonl');
  writeFileSync(file, `${JSON.stringify({ time: at(-5), up: 1 })}\n`);
  const signalFiles = [{ name: 'preds', file, delayMs: 0, maxAheadMs: 86_400_000 }];
  // The whole file is written early: each row waits for its time.
  const write = () => appendFileSync(file, ROWS.map(([second, up]) => `${JSON.stringify({ time: at(second), up })}\n`).join(''));
  const { trace, journal } = await runPaper(following(), { signalFiles, byHand: { time: at(3), act: write } });
  const backtest = await runBacktest(following());
  // Both rows of second 20 come in one turn, before the first buys.
  expect(trace.intents).toHaveLength(5);
  expect(trace.intents).toEqual(backtest.intents);
  expect(firstDifference(trace, backtest)).toBeUndefined();
  expect(wrongInReplay(await replayed(journal, { ...botPlan(following(), POLL_MS), signalFiles: [] }))).toEqual([]);
  const records = RecordedJournal.open(journal);
  const signals = [...records.rowsOf('event')].filter(({ body }) => body.includes('signalReceived'));
  records.close();
  expect(signals).toHaveLength(ROWS.length);
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../../src/app/config/load-config.ts';
import { planBacktest } from '../../../src/app/planning/plan-backtest.ts';
import { readLatencyRows } from '../../../src/app/planning/planned-latency.ts';
import { BotJournal } from '../../../src/journal/bot-journal.ts';
import { roundTrips } from '../../../src/journal/round-trips.ts';
import { Ticker } from '../../../src/model/market-events.ts';
import type { Trip } from '../../../src/ports/journal.ts';
import type { RecordedDelays, RecordedLatency } from '../../../src/venues/simulated/latency.ts';
import { instrument } from '../../builders.ts';
import { troubleOf } from '../../journal/builders.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { CONFIG, STRATEGY } from '../cli/workspace.ts';

const LOG = { debug() {}, info() {}, warn() {} };
/** 2025-01-01T00:00:00Z, where the sample begins. */
const T0 = 1_735_689_600_000;

function written(content: string | Uint8Array, name = 'rows.csv'): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
}

const pairs = (leg: RecordedDelays | undefined) => leg && [...leg.times].map((time, row) => [time, leg.delays[row]]);
const legs = ({ entry, response, cancel, feed }: RecordedLatency) => ({
  entry: pairs(entry),
  response: pairs(response),
  cancel: pairs(cancel),
  feed: pairs(feed),
});

describe('rows of a file', () => {
  test('contain each leg; a refused one has no entry time, and cancels take as long as orders by default', () => {
    const path = written('time,entryMs,responseMs\n1000,5,2.5\n2000,rejected,9\n2000,,8\n2025-01-01T00:00:00.5Z,7,1\n');
    expect(legs(readLatencyRows(path))).toEqual({
      // 1000 and 2000 are seconds: plain numbers go by their size, as in every import.
      entry: [
        [1_000_000, 5],
        [2_000_000, Number.NaN],
        [2_000_000, Number.NaN],
        [T0 + 500, 7],
      ],
      response: [
        [1_000_000, 2.5],
        [2_000_000, 9],
        [2_000_000, 8],
        [T0 + 500, 1],
      ],
      cancel: [
        [1_000_000, 5],
        [T0 + 500, 7],
      ],
      feed: undefined,
    });
  });

  test('may be packed, have their columns in any order and some cells empty', () => {
    const text = `feedMs;cancelMs;responseMs;entryMs;time\n3;4;2;1;${T0}\n;;2;1;${T0 + 1}\n\n5;;2;1;${T0 + 2}\n`;
    expect(legs(readLatencyRows(written(gzipSync(text), 'rows.csv.gz')))).toMatchObject({
      cancel: [[T0, 4]],
      feed: [
        [T0, 3],
        [T0 + 2, 5],
      ],
    });
  });

  const HEAD = 'time,entryMs,responseMs,cancelMs\n';
  test.each([
    [
      'a column that is unknown',
      'time,entryMs,responseMs,x\n',
      'rows.csv: row 1: column "x": expected a header of time,entryMs,responseMs',
    ],
    ['a column that is missing', 'time,entryMs\n', 'row 1: column "responseMs": expected a header'],
    ['a column twice', 'time,entryMs,responseMs,time\n', 'row 1: column "time": expected a header'],
    ['no rows', HEAD, 'row 1: no rows below the header; expected at least one'],
    ['an empty file', '', 'row 1: the file is empty; expected rows'],
    ['a time that is none', `${HEAD}soon,1,2,3\n`, 'row 2: column "time": expected a time: epoch s'],
    ['times that go back', `${HEAD}5,1,2,3\n\n4,1,2,3\n`, 'row 4: column "time": expected a time not before the one in the row above'],
    ['text for a number', `${HEAD}5,fast,2,3\n`, 'row 2: column "entryMs": expected ms of at least 0, such as 12.5; not "fast"'],
    ['a negative time', `${HEAD}5,1,-2,3\n`, 'row 2: column "responseMs": expected ms of at least 0, such as 12.5; not "-2"'],
    ['a response that is missing', `${HEAD}5,rejected,,3\n`, 'row 2: column "responseMs": expected ms of at least 0, such as 12.5; not ""'],
    ['a row that is too short', `${HEAD}5,1\n`, 'row 2: column "responseMs": expected ms'],
  ])('are refused for %s, naming file, row and column', (_, text, expected) => {
    expect(troubleOf(() => readLatencyRows(written(text)))).toContain(expected);
  });
});

/** A bot's journal of these requests: `[operation, ids, told at, outcome, answer told at, trip]`, each told before the next. */
function journal(requests: readonly (readonly [string, readonly string[], number, string?, number?, Trip?])[]): string {
  const path = join(temporaryFolder(), 'journal.sqlite');
  let now = T0;
  const traded = instrument();
  const bot = BotJournal.open(path, { bot: 'b', now: () => now, instruments: [traded] });
  bot.market(new Ticker(traded, T0, 1, 100));
  for (const [operation, ids, repliedAt, outcome, answeredAt, trip] of requests) {
    now = repliedAt;
    bot.request(operation, ids, { symbol: 'BTCUSDT' });
    if (outcome === undefined || answeredAt === undefined) continue;
    now = answeredAt;
    bot.reply(operation, ids, outcome, 'words', trip);
  }
  bot.commit();
  bot.close();
  return path;
}

const REQUESTS = [
  ['batchOrders', ['a', 'b'], T0 + 1000, 'answered', T0 + 1080],
  ['cancelOrder', ['a'], T0 + 2000, 'answered', T0 + 2030],
  ['batchOrders', ['c'], T0 + 3000, 'unknown', T0 + 13_000],
  ['batchOrders', ['d'], T0 + 14_000, 'none', T0 + 14_001],
  ['triggerOrder', ['e'], T0 + 15_000, 'rejected', T0 + 15_120],
  ['cancelFuturesOrder', ['e'], T0 + 16_000],
] as const;

describe("a bot's journal", () => {
  test('has the round-trip time of each request with a reply, and nothing without one', () => {
    expect(roundTrips(journal(REQUESTS))).toEqual([
      { sentAt: T0 + 1000, tookMs: 80, kind: 'order' },
      { sentAt: T0 + 2000, tookMs: 30, kind: 'cancel' },
      { sentAt: T0 + 15_000, tookMs: 120, kind: 'order' },
    ]);
  });

  test('uses the times of a reply, not those of the records', () => {
    const path = journal([
      ['batchOrders', ['a'], T0 + 1000, 'answered', T0 + 1000, { sentAt: T0 + 1810, tookMs: 36.5 }],
      ['triggerOrder', ['b'], T0 + 1000, 'rejected', T0 + 1020, { sentAt: T0 + 1001, tookMs: 0 }],
      ['cancelOrder', ['c'], T0 + 1000, 'unknown', T0 + 9000, { sentAt: T0 + 1001, tookMs: 7999 }],
    ]);
    expect(roundTrips(path)).toEqual([
      { sentAt: T0 + 1001, tookMs: 0, kind: 'order' },
      { sentAt: T0 + 1810, tookMs: 36.5, kind: 'order' },
    ]);
  });

  test('that is damaged, or no journal, is refused by its name', () => {
    const path = written('SQLite format 3\0 and so on', 'broken.sqlite');
    expect(troubleOf(() => roundTrips(path))).toMatch(/^JOURNAL_DAMAGED: journal .*broken\.sqlite is damaged/);
  });
});

describe('the plan of a run', () => {
  async function planned(latency: string, files: Readonly<Record<string, string>> = {}) {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 's.ts'), STRATEGY);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, 'c.yaml'), CONFIG.replace('to: 2025-01-02', `to: 2025-01-02, latency: ${latency}`));
    const { plan, warnings } = await planBacktest(loadConfig(join(folder, 'c.yaml')), LOG);
    return { latency: plan.latency, warnings: warnings.filter((text) => text.includes('outside this run')) };
  }

  test('reads the rows of a file next to the config', async () => {
    const { latency, warnings } = await planned('{ recorded: ./rows.csv, feedMs: 2 }', {
      'rows.csv': `time,entryMs,responseMs\n${T0 + 60_000},5,6\n`,
    });
    expect(legs(latency.recorded!)).toMatchObject({ entry: [[T0 + 60_000, 5]], response: [[T0 + 60_000, 6]], feed: undefined });
    expect({ feedMs: latency.feedMs, warnings }).toEqual({ feedMs: 2, warnings: [] });
  });

  test("has half of a journal's round trips each way", async () => {
    const { latency } = await planned(`{ recorded: ${journal(REQUESTS)} }`);
    expect(legs(latency.recorded!)).toEqual({
      entry: [
        [T0 + 1000, 40],
        [T0 + 15_000, 60],
      ],
      response: [
        [T0 + 1000, 40],
        [T0 + 15_000, 60],
      ],
      cancel: [[T0 + 2000, 15]],
      feed: undefined,
    });
  });

  test('warns where no row is of its time', async () => {
    const { warnings } = await planned('{ recorded: ./rows.csv }', { 'rows.csv': 'time,entryMs,responseMs\n2026-01-01,5,6\n' });
    expect(warnings).toEqual([expect.stringContaining('outside this run: the whole run uses the first row')]);
  });

  test.each([
    ['{ recorded: ./none.csv }', 'DATA_NOT_FOUND', 'none.csv'],
    [`{ recorded: ${journal([])} }`, 'DATA_INVALID', 'no order in this journal has a reply; expected at least one'],
  ])('is refused for %s', async (latency, code, text) => {
    await expect(planned(latency)).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
  });
});

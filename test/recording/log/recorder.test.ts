import { appendFileSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import type { Clock } from '../../../src/ports/clock.ts';
import { describeRecordings } from '../../../src/recording/catalogue/describe-recording.ts';
import { findRecording, listRecordings } from '../../../src/recording/catalogue/find-recording.ts';
import { openRecording, openSeriesAt } from '../../../src/recording/catalogue/open-recording.ts';
import { SeriesReader } from '../../../src/recording/columns/series-reader.ts';
import { readCoverage } from '../../../src/recording/log/log-contents.ts';
import { keepLog } from '../../../src/recording/log/log-keeper.ts';
import { logLine, openLogFolder, openLogs, readLogLines } from '../../../src/recording/log/log-record.ts';
import { Recorder, type RecorderOptions } from '../../../src/recording/log/recorder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** 2025-01-01T00:59:58Z: two seconds before an hour. */
const T = Date.UTC(2025, 0, 1, 0, 59, 58);
const SYMBOL = 'BTC-USDT';

function workplace() {
  const dataDir = temporaryFolder('record');
  const folder = openLogFolder(dataDir, 'mine');
  const clock: Clock & { time: number } = { time: T, now: () => clock.time, schedule: () => () => {} };
  const warnings: string[] = [];
  const acknowledged: number[] = [];
  const options: RecorderOptions = {
    folder,
    symbols: [SYMBOL],
    rotateMs: 3_600_000,
    syncMs: 0,
    silentMs: 10_000,
    keepPolls: true,
    clock,
    log: { debug: () => {}, info: () => {}, warn: (message) => warnings.push(message) },
    acknowledged: (time) => acknowledged.push(time),
  };
  const open = (more: Partial<RecorderOptions> = {}) => Recorder.open({ ...options, ...more });
  return { dataDir, folder, clock, warnings, acknowledged, open, path: (name: string) => join(folder.path, name) };
}

const poll = (seconds: number, last: string, stamp = T + seconds * 1_000 - 5) => ({
  time: T + seconds * 1_000,
  prices: [{ symbol: SYMBOL, last, stamp }],
  missing: [],
});

/** [seconds after T, price] of the recording's tickers. */
async function rows(dataDir: string): Promise<[number, number][]> {
  const { series } = await openRecording(dataDir, 'mine');
  const found: [number, number][] = [];
  for (const { meta, path } of series.find((one) => one.meta.kind === 'ticker')!.parts) {
    const reader = new SeriesReader(path, meta);
    while (reader.next()) {
      for (let row = 0; row < reader.length; row++) {
        found.push([(reader.time[row]! - T) / 1_000, reader.columns[0]![row]! / 10 ** meta.priceDecimals]);
      }
    }
  }
  return found;
}

test('prices that changed become rows at the time they were received, at a rotation and at a stop', async () => {
  const { open, dataDir, folder, acknowledged, path } = workplace();
  const recorder = await open();
  recorder.poll(poll(0, '60000.1'));
  recorder.poll(poll(1, '60000.1'));
  recorder.poll(poll(2, '60000.25'));
  recorder.poll(poll(3, '60001'));
  await recorder.stop();
  expect(await rows(dataDir)).toEqual([
    [0, 60_000.1],
    [2, 60_000.25],
    [3, 60_001],
  ]);
  // Polls show a price 5 ms after its stamp.
  const { series } = await openRecording(dataDir, 'mine');
  expect(series[0]!.meta.clock).toEqual({ rows: 3, early: 0, least: 5, median: 5, greatest: 5, first: 5, last: 5 });
  expect(acknowledged).toEqual([0, 1, 2, 3].map((seconds) => T + seconds * 1_000));
  expect(openLogs(folder)).toEqual([]);
  expect(readCoverage(folder)).toMatchObject([
    { log: '20250101T005958Z', from: T, to: T + 1_000, polls: 2, rows: 1, end: 'rotated', gaps: [] },
    { log: '20250101T010000Z', from: T + 2_000, to: T + 3_000, polls: 2, rows: 2, end: 'stopped', gaps: [] },
  ]);
  const kept = readLogLines(gunzipSync(readFileSync(path('20250101T005958Z.log.gz'))));
  expect(kept.records.slice(1)).toEqual([
    { kind: 'poll', time: T, prices: [[SYMBOL, '60000.1', T - 5]] },
    { kind: 'poll', time: T + 1_000 },
    { kind: 'end', time: T + 1_000, end: 'rotated' },
  ]);
});

test('an open log is read together with its parts, and is the same series after it has become one', async () => {
  const { open, dataDir, folder } = workplace();
  const recorder = await open();
  recorder.poll(poll(0, '60000.1'));
  recorder.poll(poll(2, '60000.25'));
  recorder.poll(poll(3, '60001'));
  const expected = [
    [0, 60_000.1],
    [2, 60_000.25],
    [3, 60_001],
  ];
  expect(await rows(dataDir)).toEqual(expected);
  const { series } = await openRecording(dataDir, 'mine');
  recorder.poll(poll(4, '60001'));
  await recorder.stop();
  expect(openLogs(folder)).toEqual([]);
  expect(await rows(dataDir)).toEqual(expected);
  const kept = await openRecording(dataDir, 'mine');
  expect(kept.series.map(({ meta }) => meta)).toEqual(series.map(({ meta }) => meta));
});

test('a log that was found open and has become a part since is read as that part', async () => {
  const { open, dataDir } = workplace();
  const recorder = await open();
  recorder.poll(poll(0, '60000.1'));
  const { series } = await findRecording(dataDir, 'mine');
  expect(series[0]!.files).toEqual([expect.stringMatching(/20250101T005958Z\.log$/)]);
  await recorder.stop();
  expect((await openSeriesAt(dataDir, series[0]!)).meta.rows).toBe(1);
});

test('a recording may have nothing but a log without a poll: it is none yet', async () => {
  const { open, dataDir } = workplace();
  const recorder = await open();
  expect(await listRecordings(dataDir)).toEqual([]);
  recorder.poll(poll(0, '60000.1'));
  const [recording] = await describeRecordings(dataDir, await listRecordings(dataDir));
  expect(recording!.series).toMatchObject([{ bytes: 0, meta: { symbol: SYMBOL, rows: 1 } }]);
  await recorder.stop();
});

test('the log of a killed recorder is kept without its incomplete record, and the time until the next poll is a gap', async () => {
  const { open, dataDir, folder, warnings, clock, path } = workplace();
  const line = (seconds: number, last: string) => logLine({ kind: 'poll', time: T + seconds * 1_000, prices: [[SYMBOL, last, T]] });
  const start = logLine({ kind: 'start', version: 1, time: T, symbols: [SYMBOL], silentMs: 10_000 });
  writeFileSync(path('20250101T005958Z.log'), Buffer.concat([start, line(0, '7'), line(1, '8'), line(2, '9').subarray(0, -3)]));
  clock.time = T + 60_000;
  const recorder = await open();
  expect(warnings).toEqual(['a record that was being written is cut off']);
  recorder.poll(poll(61, '10'));
  await recorder.stop();
  expect(await rows(dataDir)).toEqual([
    [0, 7],
    [1, 8],
    [61, 10],
  ]);
  expect(readCoverage(folder)).toMatchObject([
    { end: 'cut', polls: 2, gaps: [] },
    { end: 'stopped', polls: 1, gaps: [{ symbols: [SYMBOL], from: T + 1_000, to: T + 61_000, polls: 0 }] },
  ]);
});

test('keeping a log again, after a kill at any point of it, changes nothing', async () => {
  const { open, dataDir, folder, path } = workplace();
  const name = '20250101T005958Z';
  const recorder = await open();
  recorder.poll(poll(0, '60000.1'));
  recorder.poll(poll(1, '60000.2'));
  copyFileSync(path(`${name}.log`), path('aside'));
  await recorder.stop();
  const [whole, covered] = [await rows(dataDir), readCoverage(folder)];
  copyFileSync(path('aside'), path(`${name}.log`));
  appendFileSync(path(`${name}.log`), logLine({ kind: 'end', time: T + 1_000, end: 'stopped' }));
  expect(await rows(dataDir)).toEqual(whole);
  await keepLog(folder, name, true);
  expect([await rows(dataDir), readCoverage(folder)]).toEqual([whole, covered]);
  expect(existsSync(path(`${name}.log`))).toBe(false);
});

test('a log with damage in its middle keeps its complete records, reports the gap, and is put aside', async () => {
  const { open, dataDir, folder, warnings, path } = workplace();
  const records = [0, 1, 2].map((seconds) => logLine({ kind: 'poll', time: T + seconds * 1_000, prices: [[SYMBOL, `${seconds + 1}`, T]] }));
  records[1]![30]! ^= 1;
  const start = logLine({ kind: 'start', version: 1, time: T, symbols: [SYMBOL], silentMs: 10_000 });
  writeFileSync(path('20250101T005958Z.log'), Buffer.concat([start, ...records]));
  await (await open()).stop();
  expect(await rows(dataDir)).toEqual([
    [0, 1],
    [2, 3],
  ]);
  expect(readCoverage(folder)[0]).toMatchObject({ damaged: 1, gaps: [{ from: T, to: T + 2_000, reason: 'a damaged record' }] });
  expect(warnings).toEqual(['a log has damaged parts: its readable records are kept in the series, and the log as .log.damaged']);
  expect(readdirSync(folder.path)).toContain('20250101T005958Z.log.damaged');
});

test('a price that is none, and a picture older than the newest, are no answers', async () => {
  const { open, dataDir, folder } = workplace();
  const recorder = await open();
  recorder.poll(poll(0, '5'));
  recorder.poll(poll(1, '0'));
  recorder.poll(poll(2, '6', T - 6));
  recorder.poll(poll(3, '7'));
  await recorder.stop();
  expect(await rows(dataDir)).toEqual([
    [0, 5],
    [3, 7],
  ]);
  expect(readCoverage(folder).flatMap(({ gaps }) => gaps)).toMatchObject([
    { from: T, to: T + 1_000, reason: 'its price is "0"', polls: 1 },
    { from: T + 1_000, to: T + 3_000, reason: `its ticker of ${T - 6} is older than the one before`, polls: 1 },
  ]);
  expect(recorder.status).toMatchObject({ polls: 4, incomplete: 2, lost: 0, trouble: undefined });
});

test('a recorder that begins again within a second takes another name, though nothing of the log before is left', async () => {
  const { open, dataDir, folder } = workplace();
  for (const [seconds, price] of [
    [0, '5'],
    [0.1, '6'],
  ] as const) {
    const recorder = await open({ keepPolls: false });
    recorder.poll(poll(seconds, price));
    await recorder.stop();
  }
  expect(await rows(dataDir)).toEqual([
    [0, 5],
    [0.1, 6],
  ]);
  expect(readCoverage(folder).map(({ log, end }) => [log, end])).toEqual([
    ['20250101T005958Z', 'stopped'],
    ['20250101T005959Z', 'stopped'],
  ]);
  expect(readdirSync(folder.path)).toEqual(['coverage.jsonl']);
});

test('polls that cannot be written are reported once, counted, and become a gap when writing is possible again', async () => {
  const { open, dataDir, folder, warnings } = workplace();
  const recorder = await open();
  recorder.poll(poll(0, '5'));
  rmSync(folder.path, { recursive: true });
  // Past the hour: a new log cannot be begun.
  for (const seconds of [2, 3]) recorder.poll(poll(seconds, `${seconds}`));
  expect(recorder.status).toMatchObject({ polls: 1, lost: 2, trouble: expect.stringContaining('ENOENT') });
  mkdirSync(folder.path);
  recorder.poll(poll(4, '4'));
  await recorder.stop();
  expect(warnings).toEqual(['polls cannot be written to disk: the recorder tries again with each poll', 'polls are written again']);
  expect(await rows(dataDir)).toEqual([[4, 4]]);
  expect(readCoverage(folder)[0]!.gaps).toMatchObject([{ from: T, to: T + 4_000, polls: 2, reason: expect.stringContaining('ENOENT') }]);
});

test('a recorder that died between two logs was cut off, and one that died in a first record leaves nothing', async () => {
  const { open, folder, clock, path } = workplace();
  const start = logLine({ kind: 'start', version: 1, time: T, symbols: [SYMBOL], silentMs: 10_000 });
  const end = logLine({ kind: 'end', time: T, end: 'rotated' });
  writeFileSync(path('20250101T005958Z.log'), Buffer.concat([start, logLine({ kind: 'poll', time: T }), end]));
  writeFileSync(path('20250101T005959Z.log'), start.subarray(0, 30));
  clock.time = T + 2_000;
  const recorder = await open();
  recorder.poll(poll(3, '5'));
  await recorder.stop();
  expect(readCoverage(folder)).toMatchObject([{ end: 'rotated' }, { end: 'stopped', gaps: [{ from: T, to: T + 3_000 }] }]);
  expect(readdirSync(folder.path).filter((name) => name.includes('005959'))).toEqual([]);
});

test('a first poll after the hour in which the recorder began again ends the gap before it', async () => {
  const { open, folder, clock } = workplace();
  const first = await open();
  first.poll(poll(0, '5'));
  await first.stop();
  clock.time = T + 1_000;
  const second = await open();
  for (const seconds of [3, 4]) second.poll(poll(seconds, '6'));
  await second.stop();
  const gaps = readCoverage(folder).flatMap((one) => one.gaps);
  expect(gaps).toEqual([{ symbols: [SYMBOL], from: T, to: T + 3_000, reason: 'the recorder was stopped', polls: 0 }]);
});

test('times never go back, whatever the clock does, nor do names of logs', async () => {
  const { open, dataDir, folder, clock } = workplace();
  const first = await open();
  first.poll(poll(0, '5'));
  first.poll(poll(-1, '6', T - 90_000));
  await first.stop();
  clock.time = T - 50_000;
  const second = await open();
  second.poll(poll(-40, '7', T - 90_000));
  await second.stop();
  expect(await rows(dataDir)).toEqual([
    [0, 5],
    [0.001, 6],
    [0.002, 7],
  ]);
  expect(readCoverage(folder).map(({ log }) => log)).toEqual(['20250101T005958Z', '20250101T005959Z']);
});

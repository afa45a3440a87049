import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { PlotFiles, plotsIn } from '../../../src/app/plots/plot-files.ts';
import type { Plot } from '../../../src/ports/plots.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const plot = (name: string, more: Partial<Plot> = {}): Plot => ({
  ...{ strategyId: 's', symbol: 'BTC-USDT', name, pane: 'price', style: 'line', color: undefined, ...more },
});
const [A, B] = [plot('a'), plot('b, "c"', { pane: 'own', style: 'bars', color: 'red' })];
const GAP = Number.NaN;
const MINUTE = 60_000;

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const table = () => readFileSync(join(folder, 'plots.csv'), 'utf8').trimEnd().split('\n');
const rows = () => table().slice(1);

test('a row for each value, in the order of time; at one time, the last value counts', () => {
  const files = new PlotFiles(folder);
  files.point(A, 1000, 1);
  files.point(B, 1000, -0.5);
  files.point(A, 1000, 2);
  files.point(B, 2000, 1e-7);
  files.point(A, 3000.5, 3);
  files.close();
  expect(table()).toEqual([
    'time,strategy,symbol,name,value',
    '1000,s,BTC-USDT,a,2',
    '1000,s,BTC-USDT,"b, ""c""",-0.5',
    '2000,s,BTC-USDT,"b, ""c""",1e-7',
    '3000.5,s,BTC-USDT,a,3',
  ]);
});

test('the list says how each plot is drawn, and reading gives back what was written', () => {
  const files = new PlotFiles(folder);
  files.point(A, 1000, 1);
  files.point(B, 2000, 2);
  files.point(B, 3000, GAP);
  files.close();
  expect(JSON.parse(readFileSync(join(folder, 'plots.json'), 'utf8'))).toEqual([
    { strategy: 's', symbol: 'BTC-USDT', name: 'a', pane: 'price', style: 'line' },
    { strategy: 's', symbol: 'BTC-USDT', name: 'b, "c"', pane: 'own', style: 'bars', color: 'red' },
  ]);
  expect([...plotsIn(folder)]).toEqual([
    { plot: { ...A }, time: 1000, value: 1 },
    { plot: { ...B }, time: 2000, value: 2 },
    { plot: { ...B }, time: 3000, value: GAP },
  ]);
});

test('a gap is one row without a value, and there is none before the first value', () => {
  const files = new PlotFiles(folder);
  for (const [index, value] of [GAP, GAP, 1, GAP, GAP, 2].entries()) files.point(A, index, value);
  files.close();
  expect(rows()).toEqual(['2,s,BTC-USDT,a,1', '3,s,BTC-USDT,a,', '5,s,BTC-USDT,a,2']);
});

test('a run that plots nothing writes no file', () => {
  const files = new PlotFiles(folder);
  files.point(A, 1, GAP);
  files.close();
  expect(readdirSync(folder)).toEqual([]);
  expect([...plotsIn(folder)]).toEqual([]);
});

test('a bot has one value of each plot in a minute, the last one, written when the minute is over', () => {
  const files = new PlotFiles(folder, { everyMs: MINUTE, append: true });
  files.point(A, 1000, 1);
  files.point(B, 2000, 5);
  files.point(A, 59_999, 2);
  expect(existsSync(join(folder, 'plots.csv'))).toBe(false);
  files.point(A, MINUTE, 3);
  expect(rows()).toEqual(['2000,s,BTC-USDT,"b, ""c""",5', '59999,s,BTC-USDT,a,2']);
  files.close();
  expect(rows().at(-1)).toBe('60000,s,BTC-USDT,a,3');
});

test('a restart adds its rows, after the half of a row that a killed process left', () => {
  const options = { everyMs: MINUTE, append: true };
  const first = new PlotFiles(folder, options);
  first.point(A, 1000, 1);
  first.close();
  appendFileSync(join(folder, 'plots.csv'), '2000,s,BTC');
  expect([...plotsIn(folder)]).toHaveLength(1);
  const second = new PlotFiles(folder, options);
  second.point(B, MINUTE, 2);
  second.close();
  expect(rows()).toEqual(['1000,s,BTC-USDT,a,1', '60000,s,BTC-USDT,"b, ""c""",2']);
  expect([...plotsIn(folder)].map((point) => point.plot.name)).toEqual(['a', 'b, "c"']);
});

test('a table that was moved away begins again with its header', () => {
  const files = new PlotFiles(folder, { everyMs: MINUTE, append: true });
  files.point(A, 0, 1);
  files.point(A, MINUTE, 2);
  renameSync(join(folder, 'plots.csv'), join(folder, 'old.csv'));
  files.close();
  expect(table()).toEqual(['time,strategy,symbol,name,value', '60000,s,BTC-USDT,a,2']);
});

test('a file that cannot be written ends the plots and not the run: a backtest gets the error at its end, a bot a warning', () => {
  mkdirSync(join(folder, 'plots.csv'));
  const files = new PlotFiles(folder);
  files.point(A, 1, 1);
  files.point(A, 2, 1);
  expect(() => files.close()).toThrow('EISDIR');
  const failures: unknown[] = [];
  const ofBot = new PlotFiles(folder, { everyMs: 1, append: true, failed: (error) => failures.push(error) });
  for (const time of [1, 2, 3, 4]) ofBot.point(A, time, 1);
  ofBot.close();
  expect(failures).toHaveLength(1);
});

test('a damaged list hides the plots of a folder until a run writes it again', () => {
  const files = new PlotFiles(folder);
  files.point(A, 1, 1);
  files.close();
  writeFileSync(join(folder, 'plots.json'), '[{');
  expect([...plotsIn(folder)]).toEqual([]);
});

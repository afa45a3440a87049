import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { RUN_MARK } from '../../../src/app/backtest/results/run-mark.ts';
import { listRuns, runListJson, runListText } from '../../../src/app/run-folders/list-runs.ts';
import { removeRuns } from '../../../src/app/run-folders/remove-runs.ts';
import { findRun, runJson, runText } from '../../../src/app/run-folders/show-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const NOW = Date.UTC(2026, 0, 10);
const LOOK = { columns: 120, color: false, unicode: true };

let runs: string;
beforeEach(() => {
  runs = join(temporaryFolder(), 'runs');
  mkdirSync(runs);
});

interface Parts {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly figures?: Readonly<Record<string, number | string | null>>;
  /** Day of January 2026 on which it began. */
  readonly day?: number;
  readonly ended?: object | null;
}

/** Writes the files of a backtest that the commands read. @returns its folder. */
function backtest(name: string, { params = {}, config = {}, figures = {}, day = 1, ended = {} }: Parts = {}): string {
  const folder = join(runs, name);
  const own = name.replace(/-\d+$/, '');
  mkdirSync(folder);
  const all = { name: own, ...config, strategies: [{ id: 's', params }], backtest: { data: ['sample'] } };
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify(all));
  utimesSync(join(folder, 'config.yaml'), day, Date.UTC(2026, 0, day) / 1000);
  writeFileSync(join(folder, 'orders.csv'), '');
  const tidegate = { version: '0.1.0', sha256: 'a' };
  writeFileSync(join(folder, 'code.json'), JSON.stringify({ tidegate, strategies: [], sources: {}, data: [] }));
  const times = { from: '2025-01-01T00:00:00.000Z', to: '2025-02-01T00:00:00.000Z', currency: 'USDT' };
  const summary = { name: own, ...times, statistics: figures, interrupted: false, error: null, warnings: [], findings: [], ...ended };
  if (ended !== null) writeFileSync(join(folder, 'summary.json'), JSON.stringify(summary));
  return folder;
}

function bot(name: string, time: number): string {
  const folder = join(runs, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'journal.sqlite'), '');
  writeFileSync(join(folder, 'heartbeat.json'), JSON.stringify({ pid: 1, mode: 'paper', phase: 'running', time }));
  return folder;
}

function three(): void {
  backtest('sma-1', { params: { fast: 5, slow: 20 }, figures: { totalReturn: 0.1, maxDrawdown: 0.05, sharpe: 1.5, trades: 40 }, day: 3 });
  backtest('sma-2', { params: { fast: 10, slow: 20 }, figures: { totalReturn: -0.2, maxDrawdown: 0.3, sharpe: -1, trades: 9 }, day: 2 });
  backtest('grid-1', { params: { levels: 4 }, figures: { totalReturn: 0, maxDrawdown: 0, sharpe: null, trades: 0 }, day: 1 });
}

const names = (sort: string, { reverse = false, where = [] as string[] } = {}) =>
  listRuns(runs, { sort, reverse, where }, NOW).entries.map(({ folder }) => folder.slice(runs.length + 1));

describe('runs list', () => {
  test('has the date, the period, the main figures, and the parameters that differ between runs of one name', () => {
    three();
    const { runs: rows } = runListJson(listRuns(runs, { sort: 'date', reverse: false, where: [] }, NOW)) as { runs: object[] };
    expect(rows).toHaveLength(3);
    expect(rows[2]).toEqual({
      ...{ run: join(runs, 'sma-1'), name: 'sma', kind: 'backtest', state: 'done', date: '2026-01-03T00:00:00.000Z' },
      ...{ from: '2025-01-01T00:00:00.000Z', to: '2025-02-01T00:00:00.000Z', currency: 'USDT', finalEquity: null },
      ...{ parameters: { 's.fast': '5', 's.slow': '20' }, differs: { fast: '5' } },
      ...{ totalReturn: 0.1, maxDrawdown: 0.05, sharpe: 1.5, trades: 40 },
    });
    expect(rows.map((row) => (row as { differs: object }).differs)).toEqual([{}, { fast: '10' }, { fast: '5' }]);
  });

  test('is a table that fits the terminal: texts are cut, then the last columns are left out', () => {
    three();
    backtest('sma-3', { params: { fast: 5, slow: 20 }, config: { fees: 'none' }, day: 4, ended: null });
    const text = (columns: number) => runListText(listRuns(runs, { sort: 'date', reverse: false, where: [] }, NOW), { ...LOOK, columns });
    expect(text(130).split('\n').slice(1)).toEqual(
      [
        'Run      Return  Drawdown  Sharpe  Trades       State  Differs in                    Period        Date',
        expect.stringMatching(/^─+$/),
        'grid-1   0.00 %    0.00 %     n/a       0        done                2025-01-01 to 2025-02-01  2026-01-01',
        'sma-2  -20.00 %   30.00 %   -1.00       9        done  fast=10 fees=not set  2025-01-01 to 2025-02-01  2026-01-02',
        'sma-1   10.00 %    5.00 %    1.50      40        done  fast=5 fees=not set   2025-01-01 to 2025-02-01  2026-01-03',
        'sma-3       n/a       n/a     n/a     n/a  incomplete  fast=5 fees=none                               2026-01-04',
      ].map((line) =>
        typeof line === 'string' ? expect.stringMatching(new RegExp(`^${line.replace(/[.%]/g, '\\$&').replace(/ +/g, ' +')}$`)) : line,
      ),
    );
    for (const columns of [40, 60, 80, 100])
      expect(
        Math.max(
          ...text(columns)
            .split('\n')
            .map((line) => line.length),
        ),
      ).toBeLessThanOrEqual(columns);
    expect(text(40)).toMatch(/^sma-1 +10\.00 %/m);
  });

  test('is sorted by a figure with the best first, by names and times ascending, and runs without the figure come last', () => {
    three();
    expect(names('date')).toEqual(['grid-1', 'sma-2', 'sma-1']);
    expect(names('name')).toEqual(['grid-1', 'sma-1', 'sma-2']);
    expect(names('return')).toEqual(['sma-1', 'grid-1', 'sma-2']);
    expect(names('drawdown')).toEqual(['grid-1', 'sma-1', 'sma-2']);
    expect(names('sharpe')).toEqual(['sma-1', 'sma-2', 'grid-1']);
    expect(names('sharpe', { reverse: true })).toEqual(['sma-2', 'sma-1', 'grid-1']);
    expect(names('fast')).toEqual(['sma-1', 'sma-2', 'grid-1']);
    expect(() => names('sharp')).toThrow(/^"sharp" is no fact .*\(did you mean "sharpe"\?\)$/);
  });

  test.each([
    [['return>5%'], ['sma-1']],
    [['trades<=9'], ['grid-1', 'sma-2']],
    [['name=s*'], ['sma-2', 'sma-1']],
    [['name=s*', 'fast!=5'], ['sma-2']],
    [['s.fast=5.0'], ['sma-1']],
    [['date>=2026-01-02'], ['sma-2', 'sma-1']],
    [['sharpe>-2'], ['sma-2', 'sma-1']],
  ])('lists only the runs that meet %p', (where, expected) => {
    three();
    expect(names('date', { where })).toEqual(expected);
  });

  test('refuses a condition that cannot be read, and a folder that does not exist', () => {
    three();
    expect(() => names('date', { where: ['sharpe'] })).toThrow('--where sharpe: expected a condition such as sharpe>1');
    expect(() => listRuns(join(runs, 'none'), { sort: 'date', reverse: false, where: [] }, NOW)).toThrow('is not a folder');
    expect(runListText(listRuns(runs, { sort: 'date', reverse: false, where: ['trades>99'] }, NOW), LOOK)).toMatch(/^None of the 3 runs/);
  });

  test('shows bots, runs that ended early, and says which file of a run is damaged', () => {
    bot('mine-paper', NOW - 1_000);
    bot('old-live', NOW - 60_000);
    backtest('a-1', { ended: { interrupted: true } });
    backtest('a-2', { ended: { error: { code: 'INTERNAL', message: 'x' } } });
    writeFileSync(join(backtest('a-3'), 'summary.json'), '{');
    mkdirSync(join(runs, 'compare-1'));
    const list = listRuns(runs, { sort: 'run', reverse: false, where: [] }, NOW);
    expect(list.entries.map(({ name, kind, state }) => [name, kind, state])).toEqual([
      ['a', 'backtest', 'interrupted'],
      ['a', 'backtest', 'failed'],
      ['a', 'backtest', 'unreadable'],
      ['mine', 'paper', 'running'],
      ['old', 'paper', 'stopped'],
    ]);
    expect(runListText(list, LOOK)).toContain(`${join(runs, 'a-3/summary.json')}: `);
  });
});

describe('runs show', () => {
  test('finds a run by its folder or its name, and prints parameters, figures, warnings and findings', () => {
    const findings = [{ title: 'The run never traded.' }];
    backtest('sma-1', { params: { fast: 5 }, figures: { totalReturn: 0.1, trades: 4 }, ended: { warnings: ['check the data'], findings } });
    const entry = findRun('sma-1', runs, NOW);
    expect(findRun(join(runs, 'sma-1'), 'elsewhere', NOW)).toEqual(entry);
    const text = runText(entry, LOOK);
    for (const part of [/^s\.fast +5$/m, /^Total return +10\.00 %$/m, /^- check the data$/m, /^- The run never traded\.$/m])
      expect(text).toMatch(part);
    const long = { ...entry, folder: 'runs/sma-1', summary: { ...entry.summary, warnings: ['a warning of many words '.repeat(9).trim()] } };
    expect(
      Math.max(
        ...runText(long, { ...LOOK, columns: 40 })
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(40);
    expect(runJson(entry)).toMatchObject({ name: 'sma', trades: 4, config: { name: 'sma' }, summary: { warnings: ['check the data'] } });
    expect(() => findRun('sma-9', runs, NOW)).toThrow(`there is no run sma-9 and no run ${join(runs, 'sma-9')}`);
  });
});

describe('runs rm', () => {
  test('removes finished backtests, by folder or by name', () => {
    three();
    expect(removeRuns(['sma-1', join(runs, 'grid-1'), 'sma-1'], runs)).toEqual([join(runs, 'sma-1'), join(runs, 'grid-1')]);
    expect(readdirSync(runs)).toEqual(['sma-2']);
  });

  const other = (pid: number, host = hostname()) => JSON.stringify({ pid, host });
  test.each<[string, (folder: string) => void, RegExp]>([
    ['a folder of a bot', (folder) => writeFileSync(join(folder, 'journal.sqlite'), ''), /belongs to a bot/],
    ['a run in progress', (folder) => writeFileSync(join(folder, RUN_MARK), other(process.pid)), /is in progress/],
    [
      'a run of another machine that may be in progress',
      (folder) => writeFileSync(join(folder, RUN_MARK), other(1, 'elsewhere')),
      /is in progress/,
    ],
    ['a folder with a file that no backtest writes', (folder) => writeFileSync(join(folder, 'notes.md'), ''), /also has notes\.md/],
  ])('removes nothing if one of the runs is %s', (_, change, message) => {
    three();
    change(join(runs, 'sma-2'));
    expect(() => removeRuns(['sma-1', 'sma-2'], runs)).toThrow(message);
    expect(readdirSync(runs).sort()).toEqual(['grid-1', 'sma-1', 'sma-2']);
  });

  test('removes nothing that is not a run, and a run without results only if its process has ended', () => {
    mkdirSync(join(runs, 'mine'));
    expect(() => removeRuns(['mine'], runs)).toThrow(/is not the folder of a backtest/);
    expect(() => removeRuns(['none'], runs)).toThrow(/there is no run/);
    const killed = backtest('killed-1', { ended: null });
    expect(() => removeRuns(['killed-1'], runs)).toThrow(/has no results, and nothing shows/);
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(join(killed, RUN_MARK), other(pid));
    // It was killed while it wrote a large table as Parquet.
    mkdirSync(join(killed, 'fills.parquet.pieces'));
    expect(removeRuns(['killed-1'], runs)).toEqual([killed]);
  });
});

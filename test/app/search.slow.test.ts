import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { Study } from '../../src/search/study.ts';
import { ROOT, runCli } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const folder = temporaryFolder('search');

/** Buys and sells in turn, every so many bars. `history` is that of its longest window. */
const STRATEGY = `
import { existsSync, promises } from 'node:fs';
import { Strategy, z } from 'tidegate';

let earlier = 0;

export class Turns extends Strategy {
  static readonly params = z.object({ every: z.int().min(1), skip: z.int().min(5).max(8).default(5), quantity: z.string().default('0.1'), history: z.int().default(0), fail: z.string().default('') });
  static readonly needs = (params) => ({ bars: '1m', history: params.history });
  #bars = 0;
  onBar(bar) {
    // A trial that finds a variable of the trial before it trades otherwise.
    earlier++;
    this.#bars++;
    if (this.params.fail === 'throw') throw new Error('no figures today');
    if (this.params.fail === 'hang') for (;;) {}
    if (this.params.fail === 'reads') {
      const now = new Date();
      if (!(now instanceof Date) || now.constructor !== Date || Date.now() < now || !existsSync(import.meta.filename)) throw new Error('changed');
      if (process.env.SOME_SETTING !== 'set' || !('SOME_SETTING' in process.env)) throw new Error('no setting');
      if (Math.random() > 1 || performance.now() < 0 || process.hrtime.bigint() < 0n) throw new Error('changed');
      void promises.stat(import.meta.filename);
    }
    // Neither of them is the clock.
    if (this.params.fail === 'plain') this.log.info(String(new Date(0)) + new Date(bar.time).toISOString() + Date.UTC(2025, 0));
    if (this.params.fail === 'late' && this.#bars === 1435) throw new Error('too late');
    if (earlier !== this.#bars) return [];
    if (this.#bars % this.params.every !== 0) return [];
    const side = (this.#bars / this.params.every) % 2 === 1 ? 'buy' : 'sell';
    const quantity = side === 'buy' ? this.params.quantity : this.position(bar.symbol).quantity;
    return [{ kind: 'place', symbol: bar.symbol, side, type: 'market', quantity }];
  }
}
`;

const config = (search: string) => `
name: turns
dataDir: ${join(ROOT, 'data')}
account: { kind: spot, balances: { USDT: "100000" } }
instruments: { BTC-USDT: { tickSize: "0.01", stepSize: "0.00001", makerFee: "0.001", takerFee: "0.001" } }
strategies:
  # Comments stay.
  - { id: t, file: turns.ts, symbols: [BTC-USDT], params: { every: 5 } }
backtest: { data: [sample], to: 2025-01-02 }
search:
${search}
`;

const GRID = `
  parameters:
    every: { min: 5, max: 9 }
    quantity: { min: "0.10", max: "0.30", step: "0.10" }
  objective: totalReturn
  where: [every != 7]
`;

interface Result {
  readonly trials: number;
  readonly failed: number;
  readonly pruned: number;
  readonly from?: unknown;
  readonly best: {
    readonly trial: number;
    readonly params: Record<string, string>;
    readonly objective: number;
    readonly eventLogSha256: string;
  };
}

async function search(name: string, section: string, ...args: readonly string[]): Promise<Result> {
  const files = { 'turns.ts': STRATEGY, [`${name}.yaml`]: config(section) };
  // One worker, as each takes half a second to load: the table is the same.
  const workers = args.includes('--workers') ? [] : ['--workers', '1'];
  const { stdout } = await runCli(folder, ['search', `${name}.yaml`, '--out', `studies/${name}`, '--json', ...workers, ...args], { files });
  return JSON.parse(stdout) as Result;
}

/** The trials that a study has by now. */
function endedTrials(study: string): number {
  try {
    const opened = Study.open(study);
    const { size } = opened;
    opened.close();
    return size;
  } catch {
    return 0;
  }
}

async function tableOf(study: string, out: string): Promise<string> {
  await runCli(folder, ['search', 'export', `studies/${study}`, '--out', out]);
  return readFileSync(join(folder, out), 'utf8');
}

describe('a search', () => {
  test('makes one table, with one worker, with two, and after it was ended in the middle', async () => {
    const { trials, failed, best } = await search('one', GRID, '--workers', '1');
    expect([trials, failed]).toEqual([12, 0]);
    expect(best.params).toEqual({ every: expect.any(String), quantity: expect.any(String) });
    await search('two', GRID, '--workers', '2');
    await search('parts', GRID, '--set', 'search.trials=5');
    expect((await search('parts', GRID, '--resume')).trials).toBe(12);
    const table = await tableOf('one', 'one.csv');
    expect(await tableOf('two', 'two.csv')).toBe(table);
    expect(await tableOf('parts', 'parts.csv')).toBe(table);
    expect(table).not.toContain('0.30000000000000004');
  });

  test('that was killed goes on, and makes the table of an undisturbed one', async () => {
    await search('whole', GRID);
    writeFileSync(join(folder, 'killed.yaml'), config(GRID));
    for (const after of [1, 4]) {
      const child = spawn(
        process.execPath,
        [join(ROOT, 'bin/tidegate.mjs'), 'search', 'killed.yaml', '--out', 'studies/killed', ...(after > 1 ? ['--resume'] : [])],
        {
          cwd: folder,
          stdio: 'ignore',
        },
      );
      await until(
        () => endedTrials(join(folder, 'studies/killed')),
        (ended) => ended >= after,
      );
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    expect((await search('killed', GRID, '--resume')).trials).toBe(12);
    expect(await tableOf('killed', 'killed.csv')).toBe(await tableOf('whole', 'whole.csv'));
  });

  test('goes on with the same config, code and data alone', async () => {
    await search('other', GRID, '--set', 'search.trials=1');
    const refused = async (...args: readonly string[]) =>
      (await runCli(folder, ['search', 'other.yaml', '--out', 'studies/other', '--resume', ...args], { code: 2 })).stderr;
    expect(await refused('--set', 'search.seed=2')).toContain('was made with another search section');
    expect(await refused('--set', 'backtest.to=2025-01-03')).toContain('another --set, another config');
    writeFileSync(join(folder, 'turns.ts'), STRATEGY.replace('% 2 === 1', '% 2 === 0'));
    expect(await refused()).toContain('was made with another code of strategies, models or Tidegate');
  });

  test('gives trials that are the backtests of their configs', async () => {
    const { best } = await search('equal', GRID, '--hash');
    const { stdout } = await runCli(folder, ['search', 'apply', 'studies/equal', '--trial', String(best.trial)]);
    expect(stdout).toContain(`equal-trial-${best.trial}.yaml`);
    const written = readFileSync(join(folder, `equal-trial-${best.trial}.yaml`), 'utf8');
    expect(written).toContain('# Comments stay.');
    expect(written).toContain(`quantity: ${best.params.quantity}`);
    const run = await runCli(folder, ['backtest', `equal-trial-${best.trial}.yaml`, '--json', '--out', 'runs/equal']);
    const summary = JSON.parse(run.stdout) as { readonly eventLogSha256: string; readonly statistics: { readonly totalReturn: number } };
    expect(summary.eventLogSha256).toBe(best.eventLogSha256);
    expect(summary.statistics.totalReturn).toBe(best.objective);
  });

  test('starts all trials at the latest start of its space, where they need more or less history', async () => {
    const section = `
  parameters: { history: { values: [0, 60, 120] } }
  objective: trades
`;
    await search('history', section, '--hash');
    const { stdout } = await runCli(folder, ['search', 'show', 'studies/history', '--json']);
    const shown = JSON.parse(stdout) as { readonly trials: readonly { readonly trial: number; readonly eventLogSha256: string }[] };
    // The strategy trades alike: only a start of its own could make a difference.
    expect(new Set(shown.trials.map(({ eventLogSha256 }) => eventLogSha256)).size).toBe(1);
    await runCli(folder, ['search', 'apply', 'studies/history', '--trial', '1']);
    expect(readFileSync(join(folder, 'history-trial-1.yaml'), 'utf8')).toMatch(/from: 2025-01-01T02:00:00/);
  });

  test('goes on where a trial throws or never ends, and names why', async () => {
    const section = `
  parameters: { fail: { values: ["", throw, hang] } }
  timeoutMs: 6000
`;
    const { trials, failed, best } = await search('fails', section, '--workers', '1');
    expect([trials, failed, best.trial]).toEqual([3, 2, 1]);
    // Three days have too few daily returns for a Sharpe ratio.
    const { stdout } = await runCli(folder, ['search', 'fails.yaml', '--out', 'studies/fails', '--resume']);
    expect(stdout).toMatch(/1 failed: .*no figures today/);
    expect(stdout).toContain('No trial has an objective: sharpe needs at least 7 dailyReturns');
    const reasons = (await tableOf('fails', 'fails.csv')).split('\n').map((row) => row.split(',').slice(0, 3));
    expect(reasons[2]).toEqual(['2', 'failed', expect.stringContaining('no figures today')]);
    expect(reasons[3]).toEqual(['3', 'timeout', 'took longer than 6000 ms']);
  });

  test('ends a trial as soon as it misses a constraint for certain, and gives the others as ever', async () => {
    const section = `
  parameters: { every: { min: 4, max: 9 }, fail: { values: ["", late] } }
  objective: totalReturn
  constraints: [trades <= 100, sharpe > 1000 or trades > 0]
`;
    await search('unpruned', section);
    const { pruned, failed } = await search('pruned', section, '--workers', '1', '--set', 'search.prune=constraints');
    // 1440 bars have 180, 144, 120, 102, 90 and 80 trades. Those with more than 100 never come to the bar that fails.
    expect([pruned, failed]).toEqual([8, 2]);
    await search('pruned2', section, '--workers', '2', '--set', 'search.prune=constraints');
    const rows = (await tableOf('pruned', 'pruned.csv')).split('\n');
    expect(await tableOf('pruned2', 'pruned2.csv')).toBe(rows.join('\n'));
    const whole = (await tableOf('unpruned', 'unpruned.csv')).split('\n');
    expect(rows.slice(1, 9).map((row) => row.split(',').slice(1, 3).join())).toEqual(
      Array.from({ length: 8 }, () => expect.stringContaining('pruned,"misses trades <= 100')),
    );
    expect([rows[0], ...rows.slice(9)]).toEqual([whole[0], ...whole.slice(9)]);
    const { stdout } = await runCli(folder, ['search', 'show', 'studies/pruned', '--json']);
    const { trials } = JSON.parse(stdout) as { readonly trials: readonly { readonly outcome: string }[] };
    expect(trials.map(({ outcome }) => outcome)).toEqual([
      ...Array.from({ length: 2 }, () => 'done'),
      ...Array.from({ length: 8 }, () => 'pruned'),
      ...Array.from({ length: 2 }, () => 'failed'),
    ]);
  });

  test('by tpe learns from the trials of an earlier study that are its own points, and goes on without that study', async () => {
    await search('old', GRID);
    const section = `
  parameters:
    every: { min: 6, max: 60 }
    quantity: { values: [0.1, 0.3] }
  objective: totalReturn
  method: tpe
  trials: 10
  batch: 4
`;
    // Of the twelve trials, those of 6, 8 and 9 bars and of 0.1 or 0.3 are in the space.
    const { from } = await search('learnt', section, '--from', 'studies/old');
    expect(from).toEqual({ study: 'studies/old', taken: 6, leftOut: 6 });
    // With six known trials, the first batch makes ten: then the search learns. Without them it is random up to its tenth trial.
    await search('fresh', section);
    const table = await tableOf('learnt', 'learnt.csv');
    await search('learnt2', section, '--from', 'studies/old', '--set', 'search.trials=7', '--workers', '1');
    rmSync(join(folder, 'studies/old'), { recursive: true });
    await search('learnt2', section, '--resume');
    expect(await tableOf('learnt2', 'learnt2.csv')).toBe(table);
    expect(await tableOf('fresh', 'fresh.csv')).not.toBe(table);
    const other = await runCli(folder, ['search', 'learnt.yaml', '--out', 'studies/learnt', '--resume', '--from', 'studies/fresh'], {
      code: 2,
    });
    expect(other.stderr).toContain('was made with another --from');
    const refused = await runCli(folder, ['search', 'learnt.yaml', '--from', 'studies/fresh', '--set', 'search.method=random'], {
      code: 2,
    });
    expect(refused.stderr).toContain('only the method tpe learns from trials');
  });

  test('names what the code of a trial reads besides config and data', async () => {
    const section = `
  parameters: { fail: { values: [plain, reads, ""] } }
  objective: trades
`;
    const files = { 'turns.ts': STRATEGY, 'reads.yaml': config(section) };
    const args = [
      'search',
      'reads.yaml',
      '--out',
      'studies/reads',
      '--json',
      '--workers',
      '1',
      '--set',
      'backtest.to=2025-01-01T03:00:00Z',
    ];
    const env = { SOME_SETTING: 'set' };
    const { stdout } = await runCli(folder, args, { files, env });
    const names = [
      ...['Date.now', 'Math.random', 'fs.existsSync', 'fs.promises.stat', 'new Date', 'performance.now', 'process.env.SOME_SETTING'],
      'process.hrtime',
    ];
    expect(JSON.parse(stdout)).toMatchObject({ failed: 0, reads: Object.fromEntries(names.map((name) => [name, 1])) });
    const { stdout: shown } = await runCli(folder, ['search', 'show', 'studies/reads', '--json', '--sort', 'trial', '--reverse']);
    const { trials } = JSON.parse(shown) as { readonly trials: readonly { readonly reads?: readonly string[] }[] };
    expect(trials.map(({ reads }) => reads)).toEqual([undefined, names, undefined]);
    const again = await runCli(folder, ['search', 'reads.yaml', '--out', 'studies/reads', '--resume', ...args.slice(-2)], { env });
    expect(again.stdout).toMatch(/a later run may give other figures: Date\.now \(1\), Math\.random \(1\)/);
  });

  test('takes the values of a parameter from the schema of its strategy', async () => {
    const files = { 'turns.ts': STRATEGY, 'over.yaml': config('  objective: totalReturn\n  where: [skip != 6]') };
    const args = ['search', 'over.yaml', '--over', 'skip', '--json'];
    const { stdout } = await runCli(folder, [...args, '--out', 'studies/over'], { files });
    expect(JSON.parse(stdout)).toMatchObject({ trials: 3, best: { params: { skip: '5' } } });
    await runCli(folder, ['search', 'apply', 'studies/over', '--trial', '3']);
    expect(readFileSync(join(folder, 'over-trial-3.yaml'), 'utf8')).toContain('{ every: 5, skip: 8 }');
    const bare = { 'bare.yaml': config('').replace('search:\n', '') };
    const { stdout: other } = await runCli(folder, ['search', 'bare.yaml', '--over', 'skip', '--json', '--out', 'studies/bare'], {
      files: bare,
    });
    expect(JSON.parse(other)).toMatchObject({ trials: 4 });
    const refused = await runCli(folder, ['search', 'bare.yaml', '--over', 'every'], { files: bare, code: 2 });
    expect(refused.stderr).toContain('--over every: its schema has no largest value');
    const unnamed = await runCli(folder, ['search', 'over.yaml'], { code: 2 });
    expect(unnamed.stderr).toContain('over.yaml: search has no `parameters`');
    await runCli(folder, ['search', 'turns.yaml', '--over', 'skip'], { files: { 'turns.yaml': config(GRID) }, code: 2 });
  });

  test('estimates a grid of 10^12 points after one trial', async () => {
    const section = `
  parameters: { every: { min: 1, max: 1000000 }, history: { min: 0, max: 999999 } }
`;
    const estimate = (await search('huge', section, '--estimate')) as unknown as { readonly trials: string };
    expect(estimate.trials).toBe('1000000000000');
    expect(existsSync(join(folder, 'studies/huge'))).toBe(false);
  });

  test('keeps whole runs of the best trials', async () => {
    const { best } = await search('keeps', GRID, '--keep', '2', '--set', 'search.trials=3');
    expect(best.eventLogSha256).toMatch(/^[0-9a-f]{64}$/);
    const summary = JSON.parse(readFileSync(join(folder, `studies/keeps/runs/trial-${best.trial}/summary.json`), 'utf8')) as Partial<
      Result['best']
    >;
    expect(summary.eventLogSha256).toBe(best.eventLogSha256);
  });

  test('writes its page, which report makes again byte for byte, from the folder or the file', async () => {
    await search('paged', GRID);
    const page = readFileSync(join(folder, 'studies/paged/study.html'), 'utf8');
    for (const path of ['studies/paged', 'studies/paged/study.db']) {
      rmSync(join(folder, 'studies/paged/study.html'));
      expect((await runCli(folder, ['report', path])).stdout).toBe('Report: studies/paged/study.html\n');
      expect(readFileSync(join(folder, 'studies/paged/study.html'), 'utf8')).toBe(page);
    }
    const { stderr } = await runCli(folder, ['report', 'studies/paged', '--format', 'csv'], { code: 2 });
    expect(stderr).toContain('USAGE: --format applies to a run');
  });
});

describe('a trial of a study', () => {
  const summaryOf = (run: string) =>
    JSON.parse(readFileSync(join(folder, run, 'summary.json'), 'utf8')) as {
      readonly eventLogSha256: string;
      readonly finalEquity: string;
    };

  test('is run again by report and compare: the backtest of its config', async () => {
    await search('again', GRID);
    expect((await runCli(folder, ['report', 'studies/again#2'])).stdout).toBe('Report: studies/again/runs/trial-2/report.html\n');
    await runCli(folder, ['search', 'apply', 'studies/again', '--trial', '2']);
    await runCli(folder, ['backtest', 'again-trial-2.yaml', '--quiet', '--out', 'runs/again']);
    expect(summaryOf('studies/again/runs/trial-2').eventLogSha256).toBe(summaryOf('runs/again').eventLogSha256);
    const { stdout } = await runCli(folder, ['compare', 'studies/again/study.db#2', 'studies/again#3', '--json', '--out', 'runs/both']);
    const { a, b } = JSON.parse(stdout) as Record<'a' | 'b', { readonly finalEquity: string }>;
    expect([a.finalEquity, b.finalEquity]).toEqual([2, 3].map((trial) => summaryOf(`studies/again/runs/trial-${trial}`).finalEquity));
    // It may be one of several runs too.
    await runCli(folder, ['compare', 'runs/again', 'studies/again#3', 'studies/again#4', '--quiet']);
    expect(existsSync(join(folder, 'studies/again/runs/trial-4/report.html'))).toBe(true);
  });

  test('is run again where a run that was killed has left a part', async () => {
    const out = join(folder, 'studies/again/runs/trial-6');
    mkdirSync(out, { recursive: true });
    writeFileSync(join(out, 'summary.json'), '{}');
    // No process has this number.
    writeFileSync(join(out, 'running.json'), JSON.stringify({ pid: 2 ** 30, host: hostname() }));
    await runCli(folder, ['report', 'studies/again#6']);
    expect(existsSync(join(out, 'report.html'))).toBe(true);
  });

  test('has the files that --set of its search named, from wherever the search was started', async () => {
    writeFileSync(join(folder, 'named.yaml'), config(GRID));
    mkdirSync(join(folder, 'elsewhere'), { recursive: true });
    const there = join(folder, 'elsewhere');
    writeFileSync(join(there, 'own.ts'), STRATEGY);
    const set = ['--set', 'strategies.0.file=own.ts', '--set', 'search.trials=1'];
    await runCli(there, ['search', '../named.yaml', '--out', 'named', '--quiet', ...set]);
    await runCli(there, ['search', 'apply', 'named', '--trial', '1']);
    expect(readFileSync(join(folder, 'named-trial-1.yaml'), 'utf8')).toContain('file: "elsewhere/own.ts"');
    await runCli(there, ['backtest', '../named-trial-1.yaml', '--quiet', '--out', 'run']);
  });

  test('is taken from the runs that were kept, and needs no config then', async () => {
    const { best } = await search('kept', GRID, '--keep', '1', '--set', 'search.trials=2');
    rmSync(join(folder, 'kept.yaml'));
    await runCli(folder, ['report', `studies/kept#${best.trial}`]);
    const other = best.trial === 1 ? 2 : 1;
    expect((await runCli(folder, ['report', `studies/kept#${other}`], { code: 2 })).stderr).toContain('CONFIG_NOT_FOUND: kept.yaml');
    expect((await runCli(folder, ['report', 'studies/kept#3'], { code: 3 })).stderr).toContain('has no trial 3, of 2');
  });

  test('that failed has no run, and one whose code has changed is refused, with or without its hash', async () => {
    const section = `
  parameters: { fail: { values: [throw, ""] } }
`;
    await search('changed', section);
    await search('hashed', section, '--hash');
    expect((await runCli(folder, ['report', 'studies/changed#1'], { code: 3 })).stderr).toContain('trial 1 has no run: failed: ');
    writeFileSync(join(folder, 'turns.ts'), STRATEGY.replace('% 2 === 1', '% 2 === 0'));
    for (const study of ['changed', 'hashed']) {
      expect((await runCli(folder, ['report', `studies/${study}#2`], { code: 3 })).stderr).toContain('trial 2 cannot be made again');
      expect(existsSync(join(folder, `studies/${study}/runs/trial-2`))).toBe(false);
    }
  });
});

/** Runs a script next to the config. @returns what it prints, as JSON. */
async function script(text: string): Promise<unknown> {
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  if (!existsSync(join(folder, 'node_modules/tidegate'))) symlinkSync(ROOT, join(folder, 'node_modules/tidegate'));
  writeFileSync(join(folder, 'script.mjs'), `import { search } from 'tidegate/run';\n${text}`);
  const { stdout } = await promisify(execFile)(process.execPath, ['script.mjs'], { cwd: folder });
  return JSON.parse(stdout);
}

describe('a search from code', () => {
  test('gives the trials of the command, ends with its loop, and goes on', async () => {
    await search('command', GRID);
    writeFileSync(join(folder, 'code.yaml'), config(GRID));
    const shown = await script(`
      const options = { out: 'studies/code', workers: 2 };
      const first = [];
      for await (const { trial } of search('code.yaml', options)) if (first.push(trial) === 3) break;
      const all = [];
      for await (const trial of search('code.yaml', { ...options, resume: true })) all.push(trial);
      const { returns, params, objective, statistics, ...rest } = all.find(({ trial }) => trial === 2);
      console.log(JSON.stringify({
        first: first.length, all: all.map(({ trial }) => trial).sort((a, b) => a - b), days: returns.length, params, rest,
        same: objective === statistics.totalReturn,
      }));
    `);
    expect(shown).toEqual({
      first: 3,
      all: Array.from({ length: 12 }, (_, index) => index + 1),
      days: 1,
      params: { every: '5', quantity: '0.2' },
      rest: { study: join(folder, 'studies/code'), trial: 2, outcome: 'done', missed: [], reads: [] },
      same: true,
    });
    expect(await tableOf('code', 'code.csv')).toBe(await tableOf('command', 'command.csv'));
  });

  test('takes a config as an object, which apply finds in the study', async () => {
    writeFileSync(join(folder, 'turns.ts'), STRATEGY);
    const shown = (await script(`
      const config = {
        extends: 'code.yaml', name: 'object',
        search: { parameters: { every: { min: 5, max: 6 } }, objective: 'totalReturn' },
      };
      const hashes = [];
      for await (const { eventLogSha256 } of search(config, { out: 'studies/object', workers: 1, hash: true })) hashes.push(eventLogSha256);
      console.log(JSON.stringify(hashes));
    `)) as readonly string[];
    await runCli(folder, ['search', 'apply', 'studies/object', '--trial', '2']);
    const run = await runCli(folder, ['backtest', 'studies/object/config-trial-2.yaml', '--json', '--out', 'runs/object']);
    expect((JSON.parse(run.stdout) as Partial<Result['best']>).eventLogSha256).toBe(shown[1]);
  });

  test('refuses a class, and stops at a signal', async () => {
    const shown = await script(`
      import { Strategy } from 'tidegate';
      class Mine extends Strategy {}
      const caught = async (config, options) => {
        try { for await (const trial of search(config, options)); return 'ended'; } catch ({ code, message }) { return code + ': ' + message; }
      };
      console.log(JSON.stringify([
        await caught({ extends: 'code.yaml', strategies: [{ id: 'x', use: Mine, symbols: ['BTC-USDT'] }] }, {}),
        await caught('code.yaml', { out: 'studies/signal', signal: AbortSignal.abort() }),
        await caught('code.yaml', { out: 'studies/signal' }),
      ]));
    `);
    expect(shown).toEqual([
      'CONFIG_INVALID: class:Mine: trials run in other threads, which load code from files: give `file` instead of `use`',
      'ended',
      expect.stringMatching(/^OUT_NOT_EMPTY: .*: holds a study: go on with it by `resume: true`, or give another folder by `out`$/),
    ]);
  });
});

describe('the section search', () => {
  test.each([
    ['objective: sharp', 'search.objective: no such name "sharp"'],
    ['constraints: [trades >]', 'search.constraints[0]: expected a number, a name or a function, at character 9'],
    ['where: [slow < 3]', 'search.where[0]: no such name "slow"'],
    ['method: best', 'search.method'],
    ['prune: everything', 'search.prune'],
    ['parameters: { every: { min: 3 } }', 'expected either `values`, or `min` and `max`'],
    ['parameters: { every: { min: 3, max: 1 } }', 'expected `min` at or below `max`'],
    ['parameters: { every: { min: "0.5", max: "1.5" } }', 'a grid needs a `step` or `values`'],
    ['parameters: { every: { values: [1] }, strategies.0.params.every: { values: [2] } }', 'sets the same as every: remove one'],
    ['parameters: { search.seed: { min: 1, max: 2 } }', 'a search cannot vary its own settings'],
  ])('%s is refused at its line', async (line, message) => {
    const section = line.startsWith('parameters') ? `  ${line}\n` : `  parameters: { every: { min: 5, max: 6 } }\n  ${line}\n`;
    writeFileSync(join(folder, 'turns.ts'), STRATEGY);
    const { stderr } = await runCli(folder, ['search', 'wrong.yaml'], { files: { 'wrong.yaml': config(section) }, code: 2 });
    expect(stderr).toMatch(/wrong\.yaml:\d+:\d+/);
    expect(stderr).toContain(message);
  });

  test('that is missing, and a study that is none, are named', async () => {
    await runCli(folder, ['search', 'none.yaml'], { files: { 'none.yaml': config('').replace('search:\n', '') }, code: 2 });
    await runCli(folder, ['search', 'show', 'nowhere'], { code: 3 });
  });
});

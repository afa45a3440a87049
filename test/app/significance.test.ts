import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { subjectOf } from '../../src/app/significance/read-judged.ts';
import { portfolio, significance } from '../../src/entries/run.ts';
import { Study } from '../../src/search/study.ts';
import { ROOT, runCli } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { draws, gridPoints, studyOf, walk } from './studies.ts';

const folder = temporaryFolder('significance');
const DAYS = 400;

/** A study of trials without skill; the first one drifts upwards by so much a day. */
function made(name: string, trials: number, drift = 0): string {
  const draw = draws(7);
  const search = { parameters: { window: { min: '1', max: String(trials) } } };
  const study = studyOf(folder, name, search, gridPoints(trials), (_, index) => {
    const returns = walk(DAYS, index === 0 ? drift : 0, 0.02, draw);
    const mean = returns.reduce((sum, value) => sum + value, 0);
    return { statistics: { sharpe: mean, annualDays: 365, startEquity: '1000' }, returns };
  });
  study.close();
  return join(folder, name);
}

describe('what is judged', () => {
  test('is the best trial of a study, or the one that is named, with all trials', () => {
    const path = made('best', 30, 0.01);
    expect(subjectOf(path)).toMatchObject({ name: `${path}#1`, chosen: { trial: 1 }, tried: 30, annualDays: 365 });
    expect(subjectOf(join(path, 'study.db')).chosen?.trial).toBe(1);
    const named = subjectOf(`${path}#7`);
    expect(named.chosen?.trial).toBe(7);
    expect(named.trials).toHaveLength(30);
    expect(named.returns).toEqual(named.trials[6]);
  });

  test('is the trial where a run is one that its search has kept', () => {
    const path = made('kept', 5);
    const run = join(path, 'runs/trial-3');
    mkdirSync(run, { recursive: true });
    expect(subjectOf(run)).toMatchObject({ chosen: { trial: 3 }, tried: 5 });
  });

  test('counts trials that were ended early, and not those that failed', () => {
    const path = made('ended', 5);
    const study = Study.open(path);
    const rest = { point: [0], params: { window: '1' }, statistics: {}, returns: new Float64Array(), durationMs: 1 };
    study.add({ number: 6, ...rest, outcome: 'pruned', reason: 'trades >= 5' });
    study.add({ number: 7, ...rest, outcome: 'failed', reason: 'boom' });
    study.close();
    expect(subjectOf(path).tried).toBe(6);
    expect(subjectOf(path).trials).toHaveLength(5);
    expect(() => subjectOf(`${path}#6`)).toThrow('trial 6 has no returns: pruned: trades >= 5');
    expect(() => subjectOf(`${path}#8`)).toThrow('has no trial 8, of 7');
  });

  test('must be there, and a bot needs its report', () => {
    expect(() => subjectOf(join(folder, 'none'))).toThrow('expected a study, such as');
    const bot = join(folder, 'bot');
    mkdirSync(bot, { recursive: true });
    writeFileSync(join(bot, 'journal.sqlite'), '');
    expect(() => subjectOf(bot)).toThrow(`make it by: npx tidegate report ${bot}`);
  });
});

describe('tidegate significance', () => {
  test('unmasks the best of sixty trials without skill, and prints the numbers that decide with their rules', async () => {
    made('noise', 60);
    const { stdout } = await runCli(folder, ['significance', 'noise', '--draws', '500']);
    expect(stdout).toMatch(/^noise#\d+: luck\n400 daily returns, chosen from a study\. Tried: 60, of which 60 are compared;/);
    for (const row of ['Deflated Sharpe ratio', 'Haircut, Bonferroni', "Hansen's SPA, consistent"])
      expect(stdout).toMatch(new RegExp(`${row} .* luck `));
    expect(stdout).toContain('Seed 1, 500 draws each, 365 days a year, riskless rate 0.00 %, benchmark Sharpe ratio 0.');
  });

  test('finds the one with skill, unless it was tried a billion times elsewhere; every number is in --json', async () => {
    made('drift', 60, 0.005);
    const json = async (...more: string[]) =>
      JSON.parse((await runCli(folder, ['significance', 'drift', '--json', '--draws', '500', ...more])).stdout) as Record<string, never>;
    expect(await json()).toMatchObject({
      name: 'drift#1',
      days: DAYS,
      terms: { seed: 1, draws: 500, confidence: 0.95, benchmark: 0, riskless: 0 },
      trials: { tried: 60, compared: 60, independent: 60 },
      overfitting: { blocks: 16, probability: 0 },
      verdict: { word: 'skill' },
      left: [{ method: 'tradePaths' }],
    });
    // From code, the same.
    expect(await significance(join(folder, 'drift'), { draws: 500 })).toMatchObject({
      trials: { independent: 60 },
      verdict: { word: 'skill' },
    });
    expect(await json('--elsewhere', '999999999')).toMatchObject({ elsewhere: 999_999_999, verdict: { word: 'luck' } });
  });
});

describe('tidegate portfolio', () => {
  const symbol = 'BTC-USDT';
  const config = (name: string, side: string) => `
name: ${name}
dataDir: ${join(ROOT, 'data')}
account: { kind: spot, balances: { USDT: "100000" } }
instruments: { ${symbol}: { tickSize: "0.01", stepSize: "0.00001", makerFee: "0", takerFee: "0" } }
strategies: [{ id: h, file: hold.mjs, symbols: [${symbol}], params: { quantity: "${side}" } }]
backtest: { data: [sample], from: 2025-01-01, to: 2025-01-11 }
`;
  const HOLD = `
import { place, Strategy, z } from 'tidegate';
export class Hold extends Strategy {
  static params = z.object({ quantity: z.string() });
  static needs = { bars: '1m' };
  onBar({ symbol }) {
    if (this.position(symbol).quantity === 0) return place({ symbol, side: 'buy', type: 'market', quantity: this.params.quantity });
  }
}
`;

  test('splits the risk of two runs that hold the same coin by their sizes, and refuses too few days', async () => {
    const files = { 'hold.mjs': HOLD, 'small.yaml': config('small', '0.1'), 'large.yaml': config('large', '0.2') };
    await runCli(folder, ['backtest', 'small.yaml', '--quiet', '--out', 'small'], { files });
    await runCli(folder, ['backtest', 'large.yaml', '--quiet', '--out', 'large']);
    const { stdout } = await runCli(folder, ['portfolio', 'small', 'large', '--json']);
    const found = JSON.parse(stdout) as {
      readonly days: number;
      readonly runs: readonly { readonly riskShare: number; readonly correlations: number[] }[];
    };
    expect(found.days).toBe(10);
    // The second one has twice the coins in the same account, so nearly two thirds of the risk; nothing else differs.
    expect(found.runs.map(({ riskShare }) => riskShare.toFixed(1))).toEqual(['0.3', '0.7']);
    expect(found.runs[0]!.correlations[1]).toBeGreaterThan(0.99);
    const paths = [join(folder, 'small'), join(folder, 'large')];
    expect((await portfolio(paths)).riskShares).toEqual(found.runs.map(({ riskShare }) => riskShare));
    await expect(portfolio(paths.slice(1))).rejects.toMatchObject({ code: 'USAGE' });
    const { stderr } = await runCli(folder, ['portfolio', 'small', 'large', '--weights', 'riskParity'], { code: 3 });
    expect(stderr).toContain('the runs have 10 common days; expected 32 or more');
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { bundleRun } from '../../../src/app/bundle/make-bundle.ts';
import { backtest } from '../../../src/app/library/backtest.ts';
import type { ConfigObject } from '../../../src/app/library/config-object.ts';
import { RunFailed } from '../../../src/app/library/run-result.ts';
import { testStrategy } from '../../../src/app/library/strategy-test.ts';
import { type Bar, Decimal, place, Strategy, z } from '../../../src/index.ts';
import { ROOT } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { CONFIG, STRATEGY, workspace } from '../cli/workspace.ts';
import * as copies from './copies.ts';

const config = (name: string) => join(ROOT, 'configs', `${name}.yaml`);
const COPIES = join(import.meta.dirname, 'copies.ts');
const copy = (name: string) => `{ file: ${COPIES}, export: ${name} }`;
const run = (name: string, set: readonly string[]) => backtest(config(name), { set, env: {} });

describe('a copy of a built-in rule gives the same event log', () => {
  const uniform = ['feedMs', 'entryMs', 'responseMs', 'cancelMs'].map((leg) => `backtest.latency.${leg}={ uniform: [10, 210] }`);
  const still = ['entryMs', 'responseMs', 'cancelMs'].map((leg) => `backtest.latency.${leg}=0`);
  test.each([
    ['spread', 'sma-cross', ['backtest.fills.halfSpreadTicks=40'], 'fills.slippage={ spread: 0.5 }', 'slippage', 'Spread'],
    ['volumeShare', 'sma-cross', ['backtest.fills.barVolumeShare=0.025'], 'fills.slippage={ volumeShare: {} }', 'slippage', 'VolumeShare'],
    ['squareRoot', 'sma-cross', [], 'fills.slippage={ squareRoot: {} }', 'slippage', 'SquareRoot'],
    ['rates of spot', 'market-maker', [], 'name=market-maker', 'fee', 'Rates'],
    ['rates of futures', 'funding-harvester', [], 'name=funding-harvester', 'fee', 'Rates'],
    ['touch', 'market-maker', [], 'fills.limit=touch', 'limit', 'Touch'],
    ['penetrateTicks on tickers', 'market-maker', [], 'fills.limit={ penetrateTicks: 3 }', 'limit', 'Penetrate'],
    ['penetrateTicks on bars', 'grid', [], 'fills.limit={ penetrateTicks: 3 }', 'limit', 'Penetrate'],
    ['ohlc', 'bracket-breakout', [], 'fills.path=ohlc', 'path', 'HighFirst'],
    ['nearest', 'bracket-breakout', [], 'fills.path=nearest', 'path', 'Nearest'],
    ['worst', 'bracket-breakout', [], 'fills.path=worst', 'path', 'Worst'],
    ['best', 'bracket-breakout', [], 'fills.path=best', 'path', 'Best'],
  ])('%s', async (_what, example, both, own, setting, name) => {
    const wanted = await run(example, [...both, own.startsWith('name') ? own : `backtest.${own}`]);
    const copied = await run(example, [...both, `backtest.fills.${setting}=${copy(name)}`]);
    expect(wanted.fills.length).toBeGreaterThan(0);
    expect(copied.eventLogSha256).toBe(wanted.eventLogSha256);
  });

  test('constant delays', async () => {
    const wanted = await run('market-maker', []);
    const copied = await run('market-maker', [...still, `backtest.latency.model=${copy('Constant')}`]);
    expect(copied.eventLogSha256).toBe(wanted.eventLogSha256);
    expect((await run('market-maker', still)).eventLogSha256).not.toBe(wanted.eventLogSha256);
  });

  test('drawn delays, those of prices too', async () => {
    const wanted = await run('market-maker', uniform);
    const copied = await run('market-maker', [...still, `backtest.latency.model=${copy('Uniform')}`]);
    expect(copied.eventLogSha256).toBe(wanted.eventLogSha256);
  });
});

test('the result says that it depends on models, by kind and file', async () => {
  const { warnings } = await run('market-maker', [`backtest.fills.fee=${copy('Rates')}`, `backtest.fills.limit=${copy('Touch')}`]);
  expect(warnings).toContainEqual(
    'the result depends on models of your own: fees by test/app/models/copies.ts, fills of limit orders by test/app/models/copies.ts',
  );
});

const model = (method: string, body: string) => `export class Mine { ${method}(input) { ${body} } }`;

describe('a model that breaks a rule ends the run with MODEL_FAILED', () => {
  const work = workspace();
  writeFileSync(work.path('s.ts'), STRATEGY);
  writeFileSync(work.path('c.yaml'), CONFIG);
  const written = (name: string, text: string) => {
    writeFileSync(work.path(name), text);
    return work.path(name);
  };
  const failure = async (path: string, set: string) => {
    const failed: unknown = await backtest(path, { set: [set], env: {} }).catch((error: unknown) => error);
    if (!(failed instanceof RunFailed)) throw failed;
    return failed;
  };

  test.each([
    [
      'slippage',
      'fills.slippage',
      'slippageTicks',
      'return -1;',
      /slippageTicks\(buy \d+ steps of BTC-USDT at \d+ ticks\) returned -1; expected a number of ticks of at least 0/,
    ],
    ['slippage', 'fills.slippage', 'slippageTicks', 'return Number.NaN;', /returned NaN/],
    ['slippage', 'fills.slippage', 'slippageTicks', 'return 1e300;', /returned 1e\+300/],
    ['slippage', 'fills.slippage', 'slippageTicks', 'throw new RangeError("no spread");', /threw RangeError: no spread/],
    [
      'fee',
      'fills.fee',
      'fee',
      'return 0.1;',
      /fee\(buy \d+ steps of BTC-USDT at \d+ ticks as taker\) returned 0\.1; expected a Decimal of at most 30 places, smaller than 0\.1 BTC/,
    ],
    ['fee', 'fills.fee', 'fee', 'return input.amount;', /returned 0\.1/],
    ['fee', 'fills.fee', 'fee', 'return input.amount.div(3);', /returned 0\.0333/],
    ['fee', 'fills.fee', 'fee', 'return undefined;', /returned undefined/],
    ['fee', 'fills.fee', 'fee', 'return Promise.reject(new Error("later"));', /returned a promise; expected a Decimal/],
    [
      'latency',
      'latency.model',
      'delayMs',
      'return -1;',
      /delayMs\(entry at 2025-01-01T00:0\d:00Z\) returned -1; expected ms of at least 0/,
    ],
  ])('%s: %#', async (kind, setting, method, body, message) => {
    const file = written(`${kind}.mjs`, model(method, body));
    const failed = await failure(work.path('c.yaml'), `backtest.${setting}={ file: ${file} }`);
    expect(failed).toMatchObject({ code: 'MODEL_FAILED', message: expect.stringMatching(message) });
    expect(failed.message).toContain(`backtest.${setting}: the model of ${file}: `);
    expect(failed.result.summary.error).toMatchObject({ code: 'MODEL_FAILED' });
  });

  test.each([
    ['limit', 'grid', 'penetrationTicks', 'return 0.5;', /returned 0\.5; expected a whole number of ticks of at least 0/],
    ['path', 'bracket-breakout', 'highFirst', 'return 1;', /returned 1; expected true or false/],
  ])('%s', async (setting, example, method, body, message) => {
    const file = written(`${setting}.mjs`, model(method, body));
    expect(await failure(config(example), `backtest.fills.${setting}={ file: ${file} }`)).toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringMatching(message),
    });
  });
});

describe('a model that cannot be used is refused before the run', () => {
  const work = workspace();
  const refusal = async (setting: string, text: string, more = '') => {
    writeFileSync(work.path('m.mjs'), text);
    return backtest(config('sma-cross'), { set: [`backtest.${setting}={ file: ${work.path('m.mjs')}${more} }`], env: {} }).catch(
      (error: unknown) => error,
    );
  };

  test.each([
    [
      'no class with the method',
      'fills.slippage',
      'export class A {}',
      '',
      'STRATEGY_LOAD_FAILED',
      'exports no class with the method slippageTicks, only A',
    ],
    [
      'a field in place of the method',
      'fills.slippage',
      'export class A { slippageTicks = () => 0; }',
      '',
      'STRATEGY_LOAD_FAILED',
      'exports no class with the method slippageTicks, only A: write slippageTicks as a method, not as a field',
    ],
    [
      'two of them',
      'fills.fee',
      'export class A { fee() {} } export class B { fee() {} }',
      '',
      'STRATEGY_LOAD_FAILED',
      'exports several models: set `export` in the config to one of A, B',
    ],
    [
      'another name',
      'fills.fee',
      'export class Tiers { fee() {} }',
      ', export: Tierz',
      'STRATEGY_LOAD_FAILED',
      'no export "Tierz" (did you mean "Tiers"?)',
    ],
    [
      'parameters that it does not have',
      'fills.fee',
      'export class A { fee() {} }',
      ', params: { x: 1 }',
      'STRATEGY_PARAMS_INVALID',
      'backtest.fills.fee.params.x: this model has no parameters',
    ],
    [
      'parameters without a schema',
      'fills.fee',
      'export class A { static params = { rate: 1 }; fee() {} }',
      '',
      'STRATEGY_PARAMS_INVALID',
      "backtest.fills.fee.params: `static params` of the model's class: expected a schema of zod 4",
    ],
    [
      'a flag that is no truth value',
      'fills.slippage',
      'export class A { bySize = "no"; slippageTicks() {} }',
      '',
      'MODEL_FAILED',
      'bySize is "no"; expected true or false',
    ],
    [
      'prices that are delayed by a text',
      'latency.model',
      'export class A { delaysPrices = "no"; delayMs() {} }',
      '',
      'MODEL_FAILED',
      'delaysPrices is "no"; expected true or false',
    ],
    ['a seed that is no number', 'fills.fee', 'export class A { fee() {} }', ', seed: abc', 'CONFIG_INVALID', 'backtest.fills.fee.seed'],
  ])('%s', async (_what, setting, text, more, code, message) => {
    expect(await refusal(setting, text, more)).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test('a file that does not exist', async () => {
    const set = [`backtest.fills.fee={ file: ${work.path('none.mjs')} }`];
    await expect(backtest(config('sma-cross'), { set, env: {} })).rejects.toMatchObject({
      code: 'STRATEGY_NOT_FOUND',
      message: expect.stringContaining('no such model file'),
    });
  });

  test('delays beside a latency model', async () => {
    const set = [`backtest.latency.model=${copy('Constant')}`];
    await expect(backtest(config('market-maker'), { set, env: {} })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('backtest.latency.entryMs: expected 0 with `model`'),
    });
  });
});

describe('a model may be a class that code gives', () => {
  const ofCode = (example: string, settings: NonNullable<ConfigObject['backtest']>, out?: string) =>
    backtest({ extends: config(example), backtest: settings }, { env: {}, out });

  test.each<[string, string, NonNullable<ConfigObject['backtest']>, string]>([
    ['slippage', 'sma-cross', { fills: { slippage: { use: copies.SquareRoot } } }, 'fills.slippage={ squareRoot: {} }'],
    ['fees', 'market-maker', { fills: { fee: { use: copies.Rates } } }, 'fills={}'],
    ['limit fills', 'market-maker', { fills: { limit: { use: copies.Penetrate } } }, 'fills.limit={ penetrateTicks: 3 }'],
    ['a path', 'bracket-breakout', { fills: { path: { use: copies.Nearest } } }, 'fills.path=nearest'],
  ])('%s', async (_what, example, settings, builtIn) => {
    const wanted = await run(example, [`backtest.${builtIn}`]);
    const given = await ofCode(example, settings);
    expect(wanted.fills.length).toBeGreaterThan(0);
    expect(given.eventLogSha256).toBe(wanted.eventLogSha256);
  });

  test('latency', async () => {
    const settings = { latency: { entryMs: 0, responseMs: 0, cancelMs: 0, model: { use: copies.Constant } } };
    expect((await ofCode('market-maker', settings)).eventLogSha256).toBe((await run('market-maker', [])).eventLogSha256);
  });

  test('its parameters are checked, each run makes a new one, and the files of the run say so', async () => {
    const made: unknown[] = [];
    class Flat {
      static readonly params = z.object({ ticks: z.int().min(0).default(2) });
      constructor(private readonly params: { readonly ticks: number }) {
        made.push(params);
      }
      slippageTicks() {
        return this.params.ticks;
      }
    }
    const out = join(temporaryFolder(), 'run');
    const { warnings, eventLogSha256 } = await ofCode('sma-cross', { fills: { slippage: { use: Flat, params: { ticks: 5 } } } }, out);
    expect(warnings).toContainEqual('the result depends on a model of your own: slippage by class:Flat');
    const code = JSON.parse(readFileSync(join(out, 'code.json'), 'utf8'));
    expect(code.models).toMatchObject([{ setting: 'backtest.fills.slippage', file: 'class:Flat' }]);
    expect(code.sources['class:Flat']).toContain('slippageTicks()');
    expect(() => bundleRun(out)).toThrow('the model of backtest.fills.slippage was run from code as a class, and its file is not known');
    const written = run('sma-cross', ['backtest.fills.slippage={ file: "class:Flat" }']);
    await expect(written).rejects.toThrow('class:Flat: code gave this class to the run; write the file of the class');
    expect(readFileSync(join(out, 'config.yaml'), 'utf8')).toContain('file: class:Flat');
    const before = made.length;
    const again = await ofCode('sma-cross', { fills: { slippage: { use: Flat, params: { ticks: 6 } } } });
    expect(again.eventLogSha256).not.toBe(eventLogSha256);
    expect(made.slice(before)).toEqual(Array.from({ length: made.length - before }, () => ({ ticks: 6 })));
    expect(made.length).toBe(2 * before);
    await expect(ofCode('sma-cross', { fills: { slippage: { use: Flat, params: { tocks: 5 } } } })).rejects.toMatchObject({
      code: 'STRATEGY_PARAMS_INVALID',
      message: 'backtest.fills.slippage.params.tocks: unknown key (did you mean "ticks"?)',
    });
  });

  test('a strategy may be tested with it, and two classes with one name stay apart', async () => {
    class Buys extends Strategy {
      static override readonly needs = { bars: '1m' };
      override onBar({ symbol }: Bar) {
        return this.orders().length === 0 ? place({ symbol, side: 'buy', type: 'market', quantity: 1 }) : undefined;
      }
    }
    const Slips = {
      Own: class Own {
        slippageTicks() {
          return 50;
        }
      },
    }.Own;
    const Charges = {
      Own: class Own {
        fee() {
          return new Decimal('0.25');
        }
      },
    }.Own;
    const settings = { backtest: { fills: { slippage: { use: Slips }, fee: { use: Charges } } } };
    const { fills } = await testStrategy(Buys, { bars: [100, 101], config: settings });
    // The next open is 101; 50 ticks of 0.01 more, and a fee of 0.25 of the bought asset.
    expect(fills).toMatchObject([{ price: '101.5', fee: '0.25' }]);
  });

  test.each<[string, object, string, string]>([
    ['a file too', { use: copies.Spread, file: 'x.ts' }, 'CONFIG_INVALID', 'backtest.fills.slippage.use: expected either `use` or `file`'],
    ['an instance', { use: new copies.Spread() }, 'CONFIG_INVALID', 'expected the class of a model, not an object of Spread'],
    ['another model', { use: copies.Rates }, 'STRATEGY_LOAD_FAILED', 'expected a class with the method slippageTicks; Rates has none'],
    [
      'a field',
      {
        use: class Flat {
          slippageTicks = () => 0;
        },
      },
      'STRATEGY_LOAD_FAILED',
      'Flat has none: write slippageTicks as a method, not as a field',
    ],
    ['a function', { use: () => 1 }, 'STRATEGY_LOAD_FAILED', 'backtest.fills.slippage.use: expected a class with the method slippageTicks'],
  ])('%s is refused', async (_what, slippage, code, message) => {
    await expect(ofCode('sma-cross', { fills: { slippage: slippage as never } })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });
});

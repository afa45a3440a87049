import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { inCode } from '../../../src/app/library/library-error.ts';
import { importFiles, listRecordings, openSeries, writeSeries } from '../../../src/entries/data.ts';
import { exchangeClient, startExchange } from '../../../src/entries/exchange.ts';
import { backtest, compare, loadConfig, portfolio, replay, search, significance } from '../../../src/entries/run.ts';
import { testStrategy } from '../../../src/entries/testing.ts';
import { Strategy } from '../../../src/index.ts';
import { ROOT } from '../../support/cli.ts';

class Idle extends Strategy {}

type Call = (options: never) => unknown;
const series = { recording: 'r', kind: 'trade', symbol: 'BTC-USDT' };

/** Options as a caller without types writes them: a misspelt one must not be ignored. */
const CALLS: readonly [call: string, run: Call, given: object, hint: string][] = [
  ['backtest', (options) => backtest('none.yaml', options), { outt: 'runs/x' }, 'did you mean "out"?'],
  ['loadConfig', (options) => loadConfig('none.yaml', options), { out: 'runs/x' }, 'known: baseDir, set, env'],
  ['replay', (options) => replay('none', options), { strategiesDir: 'x' }, 'did you mean "strategyDir"?'],
  ['compare', (options) => compare('a', 'b', options), { window: 1 }, 'did you mean "windowMs"?'],
  ['significance', (options) => significance('none', options), { sed: 1 }, 'did you mean "seed"?'],
  ['portfolio', (options) => portfolio(['a', 'b'], options), { weight: 'equal' }, 'did you mean "weights"?'],
  ['search', (options) => search('none.yaml', options).next(), { worker: 2 }, 'did you mean "workers"?'],
  ['testStrategy', (options) => testStrategy(Idle, options), { bars: [100], intervall: '1m' }, 'did you mean "interval"?'],
  ['listRecordings', (options) => listRecordings(options), { datadir: 'x' }, 'did you mean "dataDir"?'],
  ['openSeries', (options) => openSeries(options), { ...series, symbl: 'x' }, 'did you mean "symbol"?'],
  ['importFiles', (options) => importFiles([], options), { ...series, colunms: {} }, 'did you mean "columns"?'],
  ['writeSeries', (options) => writeSeries(options, []), { ...series, apend: true }, 'did you mean "append"?'],
  ['startExchange', (options) => startExchange({ instruments: {} } as never, options), { stateFil: 'x' }, 'did you mean "stateFile"?'],
  ['exchangeClient', (options) => exchangeClient(options), { sport: 'https://x' }, 'did you mean "spot"?'],
];

test.each(CALLS)('%s refuses an option that does not exist', async (call, run, given, hint) => {
  const refused = (async () => await run(given as never))();
  await expect(refused).rejects.toMatchObject({ code: 'USAGE' });
  await expect(refused).rejects.toThrow(new RegExp(`^${call}: no option ".*" \\(${hint.replace('?', '\\?')}\\)$`));
});

test('options must be an object', async () => {
  await expect(backtest('none.yaml', null as never)).rejects.toThrow('backtest: expected an object of options');
});

/** Options of a wrong form: [call, function, options, message after the name of the call]. */
const FORMS: readonly [call: string, run: Call, given: object, message: string][] = [
  ['backtest', (options) => backtest('none.yaml', options), { out: 5 }, 'out: 5; expected text'],
  ['backtest', (options) => backtest('none.yaml', options), { set: 'a=b' }, 'set: "a=b"; expected a list of text'],
  [
    'backtest',
    (options) => backtest('none.yaml', options),
    { path: 'worse' },
    'path: "worse"; expected worst, best, ohlc, olhc, nearest or both',
  ],
  [
    'backtest',
    (options) => backtest('none.yaml', options),
    { breakdowns: ['x'] },
    'breakdowns: ["x"]; expected a list of symbol, strategy',
  ],
  ['backtest', (options) => backtest('none.yaml', options), { signal: 5 }, 'signal: 5; expected an AbortSignal'],
  ['backtest', (options) => backtest('none.yaml', options), { onLog: {} }, 'onLog: {}; expected a function'],
  ['backtest', (options) => backtest('none.yaml', options), { events: 'yes' }, 'events: "yes"; expected true or false'],
  ['search', (options) => search('none.yaml', options).next(), { workers: 0 }, 'workers: 0; expected a whole number, 1 or more'],
  ['significance', (options) => significance('none', options), { draws: 99 }, 'draws: 99; expected a whole number, 100 or more'],
  ['significance', (options) => significance('none', options), { ruin: 1 }, 'ruin: 1; expected a number above 0 and below 1'],
  ['portfolio', (options) => portfolio(['a', 'b'], options), { cost: -1 }, 'cost: -1; expected a number from 0 to below 10000'],
  ['compare', (options) => compare('a', 'b', options), { windowMs: '1' }, 'windowMs: "1"; expected a number'],
  ['openSeries', (options) => openSeries(options), { kind: 'bar' }, 'recording: missing; expected text'],
  [
    'openSeries',
    (options) => openSeries(options),
    { ...series, kind: 'bars' },
    'kind: "bars"; expected bar, depth, quote, trade, ticker, mark or funding',
  ],
  [
    'importFiles',
    (options) => importFiles([], options),
    { ...series, quarantineMax: 5 },
    'quarantineMax: 5; expected a number from 0 to 1',
  ],
  ['importFiles', (options) => importFiles([], options), { ...series, columns: 'a=b' }, 'columns: "a=b"; expected an object'],
  ['importFiles', (options) => importFiles([], options), { ...series, split: 'A' }, 'split: "A"; expected true, false or an object'],
  ['writeSeries', (options) => writeSeries(options, []), { recording: 'r', kind: 'bar' }, 'symbol: missing; expected text'],
  ['exchangeClient', (options) => exchangeClient(options), { timeoutMs: '1s' }, 'timeoutMs: "1s"; expected a number'],
];

test.each(FORMS)('%s refuses an option of a wrong form', async (call, run, given, message) => {
  const refused = (async () => await run(given as never))();
  await expect(refused).rejects.toMatchObject({ code: 'USAGE', message: expect.stringContaining(`${call}: ${message}`) });
});

test.each([
  ['--replace replaces it, another --name keeps both', '`replace` replaces it, another `recording` keeps both'],
  ['--columns volume=none imports without', "`columns: { volume: 'none' }` imports without"],
  ['--columns time=<header> names it', "`columns: { time: '<header>' }` names it"],
  ['--split BTC.P=<BASE-QUOTE>,... names it', "`split: { 'BTC.P': '<BASE-QUOTE>' }` names it"],
  ['--set a.0.b=10', "`set: ['a.0.b=10']`"],
  ['--quarantine-max 100% imports the others', '`quarantineMax: 1` imports the others'],
  ['`tidegate data import --kind mark`', '`tidegate data import --kind mark`'],
])('%s is written as code has it', (message, expected) => {
  expect(inCode(message, { name: 'recording' })).toBe(expected);
});

/** The options that messages of an import name. Nothing from code makes a dry run. */
function namedOptions(): string[] {
  const files = ['src/recording/import', 'src/app/data'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  const ofImport = files.filter((file) => file.endsWith('.ts') && (file.startsWith('src/recording') || /import/.test(file)));
  const texts = ofImport.map((file) => readFileSync(join(ROOT, file), 'utf8'));
  const options = texts.flatMap((text) => text.match(/(?<=['"` (])--[a-z]+(-[a-z]+)*\b(?! ===|\.#)/g) ?? []);
  return [...new Set(options)].filter((option) => option !== '--dry-run');
}

test('each option that a message of an import names is an option of importFiles', async () => {
  const options = namedOptions();
  expect(options).toContain('--date-format');
  for (const option of options) {
    const name = inCode(option, { name: 'recording' }).replaceAll('`', '');
    await expect(importFiles([], { ...series, [name]: 5 } as never)).rejects.not.toThrow('no option');
  }
});

test('an event log without a folder is refused', async () => {
  await expect(backtest('none.yaml', { events: true })).rejects.toThrow('backtest: events: true; expected `out` with it');
});

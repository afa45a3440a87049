import { expect, test } from '@jest/globals';
import { importFiles, listRecordings, openSeries, writeSeries } from '../../../src/entries/data.ts';
import { exchangeClient, startExchange } from '../../../src/entries/exchange.ts';
import { backtest, compare, loadConfig, replay } from '../../../src/entries/run.ts';
import { testStrategy } from '../../../src/entries/testing.ts';
import { Strategy } from '../../../src/index.ts';

class Idle extends Strategy {}

type Call = (options: never) => unknown;
const series = { recording: 'r', kind: 'trade', symbol: 'BTC-USDT' };

/** Options as a caller without types writes them: a misspelt one must not be ignored. */
const CALLS: readonly [call: string, run: Call, given: object, hint: string][] = [
  ['backtest', (options) => backtest('none.yaml', options), { outt: 'runs/x' }, 'did you mean "out"?'],
  ['loadConfig', (options) => loadConfig('none.yaml', options), { out: 'runs/x' }, 'known: baseDir, set, env'],
  ['replay', (options) => replay('none', options), { strategiesDir: 'x' }, 'did you mean "strategyDir"?'],
  ['compare', (options) => compare('a', 'b', options), { window: 1 }, 'did you mean "windowMs"?'],
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

import { expect, test } from '@jest/globals';
import { runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { CONFIG, STRATEGY } from '../cli/workspace.ts';
import { loadText, MINIMAL, refusal } from './config-files.ts';

const env = { MYSECRET: 'Hunter2 is "mine"', SHORT: 'X', LONG: 'Z'.repeat(100) };

test.each([
  [
    'a name',
    'name: minimal',
    `name: "\${MYSECRET}"`,
    `a.yaml:1:7: name: expected 1 to 40 of a-z, 0-9 and "-", not the value of \${MYSECRET}`,
  ],
  ['a short one', 'name: minimal', `name: "\${SHORT}"`, `not the value of \${SHORT}`],
  ['a part of a value', 'name: minimal', `name: "a \${LONG}"`, `not the value of a \${LONG}`],
  ['a default that is not used', 'name: minimal', `name: "\${SHORT:-Y}"`, `not the value of \${SHORT:-Y}`],
  ['an amount', '"1000"', `"\${MYSECRET}"`, `not the value of \${MYSECRET}`],
  ['a choice', 'kind: spot', `kind: "\${MYSECRET}"`, `\${MYSECRET}`],
  ['a file to extend', 'name: minimal', `extends: "\${MYSECRET}.yaml"\nname: minimal`, `cannot read \${MYSECRET}.yaml (no such file)`],
  ['a symbol of a strategy', 'symbols: [BTC-USDT]', `symbols: ["\${SYMBOL}"]`, `\${SYMBOL}`],
])('the value of a variable in %s is not shown', (_, from, to, expected) => {
  const values = { ...env, SYMBOL: 'QQQQ-USDT' };
  const message = refusal(() => loadText(MINIMAL.replace(from, to), { env: values }));
  expect(message).toContain(expected);
  for (const value of ['Hunter2', '"X"', 'ZZZ', 'QQQQ']) expect(message).not.toContain(value);
});

test('an effective default is shown, as the file contains it', () => {
  expect(refusal(() => loadText(MINIMAL.replace('minimal', `"\${NONE:-Upper}"`)))).toContain('not "Upper"');
});

const SECRET = 'Hunter2-is-mine';

test.each([
  ['a name', ['backtest'], CONFIG.replace('name: mine', `name: "\${MYSECRET}"`), 2],
  ['a recording', ['backtest'], CONFIG.replace('[sample]', `["\${MYSECRET}"]`), 3],
  ['a folder of data', ['backtest'], CONFIG.replace(/dataDir: .*/, `dataDir: "\${MYSECRET}"`), 3],
  ['a strategy file', ['backtest'], CONFIG.replace('./s.ts', `./\${MYSECRET}.ts`), 2],
  ['a parameter', ['backtest'], CONFIG.replace('symbols:', `params: { throwAt: "\${MYSECRET}" }, symbols:`), 2],
  [
    'a parameter of a bot',
    ['paper'],
    `${CONFIG.replace('symbols:', `params: { throwAt: "\${MYSECRET}" }, symbols:`)}paper: { prices: { recording: sample } }\n`,
    2,
  ],
])('the command line does not show the value of a variable in %s', async (_, args, text, code) => {
  const files = { 'c.yaml': text, 's.ts': STRATEGY };
  const folder = temporaryFolder();
  for (const json of [[], ['--json']]) {
    if (json.length > 0 && args[0] === 'paper') continue;
    const { stdout, stderr } = await runCli(folder, [...args, 'c.yaml', ...json], { files, code, env: { MYSECRET: SECRET } });
    expect(stderr).toContain(`\${MYSECRET}`);
    expect(stdout + stderr).not.toContain(SECRET);
  }
});

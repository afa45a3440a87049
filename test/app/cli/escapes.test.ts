import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { printable } from '../../../src/app/base/printable.ts';
import { onTerminal, terminalTest } from '../../support/terminal.ts';
import { STRATEGY as BOT_STRATEGY, botWorkspace } from '../live/bot-process.ts';
import { CONFIG, STRATEGY, workspace } from './workspace.ts';

/** Sets the title of the window, clears the screen by one character of eight bits, and turns the direction of writing. */
const EVIL = '\u001b]0;owned\u0007\u009b2J\u202e\rgone';
const IN_CODE = String.raw`\u001b]0;owned\u0007\u009b2J\u202e\rgone`;
const IN_YAML = String.raw`\e]0;owned\a\x9b2J\u202e\rgone`;
const STEERING = /(?!\n|\t|\r\n)[\p{Cc}\p{Bidi_Control}]/u;

function expectHarmless(text: string): void {
  expect(text).toMatch(/owned|gone/);
  expect(text.match(STEERING)).toBeNull();
}

test('control characters are printed as escapes, and JSON keeps its meaning', () => {
  expect(printable(EVIL)).toBe(String.raw`\u001b]0;owned\u0007\u009b2J\u202e\u000dgone`);
  expect(printable('plain\ttext ünï 價 €\r\nin lines\n')).toBe('plain\ttext ünï 價 €\r\nin lines\n');
  const value = { [EVIL]: [EVIL, '\u007f\u0085\u2028'] };
  const json = printable(JSON.stringify(value));
  expect(JSON.parse(json)).toEqual(value);
  expect(json).not.toMatch(STEERING);
});

const reply = JSON.stringify({ code: '40020', msg: EVIL, requestTime: 1, data: null });
const server = createServer((_, response) => response.writeHead(400, { 'content-type': 'application/json' }).end(reply));
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve);
});
afterAll(() => {
  server.close();
});
const exchange = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const printing = `console.log('${IN_CODE}');\nconsole.error('${IN_CODE}');\nprocess.stdout.write(Buffer.from('${IN_CODE}'));\n`;
const throwing = (where: string) => STRATEGY.replace('this.seen++;', `this.seen++; if (this.seen === 5) ${where};`);
const TAGGED = STRATEGY.replaceAll("tag: 'in'", `tag: 'in ${IN_CODE}'`);
const CSV = `time,open,high,low,close,volume,${EVIL}\n1735689600000,1,1,1,"${EVIL}",1\n`;
const IMPORT = ['data', 'import', 'a.csv', '--symbol', 'BTC-USDT', '--kind', 'bar', '--interval', '1m', '--name', 'x', '--data-dir', 'd'];

test.each<[string, string[], number, Record<string, string>]>([
  ['a key of a config', ['backtest', 'c.yaml'], 2, { 'c.yaml': `${CONFIG}"${IN_YAML}": 1\n` }],
  ['a value of a config', ['backtest', 'c.yaml'], 2, { 'c.yaml': CONFIG.replace('kind: spot', `kind: "${IN_YAML}"`) }],
  ['a raw line of a config', ['backtest', 'c.yaml'], 2, { 'c.yaml': `${CONFIG}owned: ${EVIL}\n` }],
  ['an id of a strategy', ['backtest', 'c.yaml', '--json'], 2, { 'c.yaml': CONFIG.replace('id: one', `id: "one ${IN_YAML}"`) }],
  ['a tag of an order, in the results', ['backtest', 'c.yaml', '--breakdown', 'tag'], 0, { 's.ts': TAGGED }],
  ['the same as JSON', ['backtest', 'c.yaml', '--json', '--breakdown', 'tag'], 0, { 's.ts': TAGGED }],
  ['what a strategy prints', ['backtest', 'c.yaml', '--quiet'], 0, { 's.ts': printing + STRATEGY }],
  ['what a strategy prints to be listed', ['strategies', 's.ts'], 0, { 's.ts': printing + STRATEGY }],
  ['what a strategy throws', ['backtest', 'c.yaml', '--quiet'], 4, { 's.ts': throwing(`throw new Error('${IN_CODE}')`) }],
  [
    'what it throws from a callback',
    ['strategies', 's.ts'],
    1,
    { 's.ts': `setTimeout(() => { throw new Error('${IN_CODE}'); });\n${STRATEGY}` },
  ],
  ['its comments', ['strategies', 's.ts'], 0, { 's.ts': STRATEGY.replace('A test strategy.', `A test strategy ${EVIL}.`) }],
  ['its source, where it cannot be read', ['strategies', 's.ts'], 4, { 's.ts': `import './${IN_CODE}';\n${STRATEGY}` }],
  ['an argument', ['backtest', `--${EVIL}`], 2, {}],
  ['the name of a file', ['report', EVIL], 3, {}],
  ['a file of rows', IMPORT, 3, { 'a.csv': CSV }],
  ['a reply of an exchange', ['api', 'ticker', 'symbol=BTCUSDT_SPBL', '--spot-url', exchange], 6, {}],
])('%s does not steer the terminal', async (_, args, code, files) => {
  const { stdout, stderr } = await workspace().run(args, { code, files });
  expectHarmless(stdout + stderr);
});

const LOGGING = BOT_STRATEGY.replace(
  'this.done = true;',
  `this.done = true; this.log.warn('${IN_CODE}', { '${IN_CODE}': '${IN_CODE}' });`,
).replace("tag: 'in'", `tag: 'in ${IN_CODE}'`);

test('nor does the log of a bot, the output of explain, and its files', async () => {
  const work = botWorkspace('paper: { prices: { recording: sample, speed: 5 }, dir: ./runs }');
  writeFileSync(work.path('once.ts'), LOGGING);
  const bot = work.launch('paper');
  await bot.line(({ msg }) => msg === EVIL);
  const { clientOrderId } = await bot.line(({ msg }) => msg === 'orderFilled');
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
  expectHarmless(readFileSync(work.path('runs', 'once-paper', 'log.jsonl'), 'utf8'));
  const { stdout } = await work.run(['explain', work.path('runs', 'once-paper'), clientOrderId]);
  expectHarmless(stdout);
});

/** Of Tidegate's own: colours, and the lines that a bar and a status are drawn over. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const OWN = /\u001b\[[012]m|\u001b\[[\dKG;]*[KGJ]|\u001b\[\?25[lh]|\u001b\[\?7[lh]|\u001b[78]|\r/g;

terminalTest('on a terminal, tables are set off and a bar is drawn, and nothing else passes', async () => {
  const work = workspace({ 's.ts': printing + TAGGED });
  await work.run(['strategies', 's.ts']);
  const { code, text } = await onTerminal(work.folder, ['backtest', 'c.yaml'], '');
  expect(code).toBe(0);
  expect(text).toContain('\u001b[1mmine\u001b[0m');
  expectHarmless(text.replaceAll(OWN, ''));
  expect(text).not.toContain('\u001b]0;');
});

terminalTest('nor do the lines of a bot on a terminal steer it, with its status below them', async () => {
  const work = botWorkspace('paper: { prices: { recording: sample, speed: 5 }, dir: ./runs }');
  writeFileSync(work.path('once.ts'), LOGGING);
  const { code, text } = await onTerminal(work.path(), ['paper', work.config], '\u0003', /orderFilled/);
  // With what it printed: an end with another code says why.
  expect({ code, text: code === 0 ? '' : text }).toEqual({ code: 0, text: '' });
  expectHarmless(text.replaceAll(OWN, ''));
});

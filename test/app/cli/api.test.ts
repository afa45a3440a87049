import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Command } from 'commander';
import { addApiCommand } from '../../../src/app/commands/exchange-commands.ts';
import { OPERATIONS } from '../../../src/exchange/operations/operations.ts';
import { json, KEYS, refusal, type Stub, standard, startStub } from '../../exchange/stub-server.ts';
import { type CliOptions, runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { CONFIG, STRATEGY } from './workspace.ts';

let stub: Stub;
beforeAll(async () => {
  stub = await startStub();
});
afterAll(() => stub.close());
beforeEach(() => {
  stub.seen.length = 0;
});

const ENVIRONMENT = { TIDEGATE_API_KEY: KEYS.key, TIDEGATE_API_SECRET: KEYS.secret, TIDEGATE_API_PASSPHRASE: KEYS.passphrase };
const api = (args: readonly string[], options: CliOptions = {}) => {
  const urls = { TIDEGATE_SPOT_BASE_URL: stub.url, TIDEGATE_CONTRACT_BASE_URL: stub.url };
  return runCli(temporaryFolder(), ['api', ...args], { ...options, env: { ...urls, ...ENVIRONMENT, ...options.env } });
};
/** What was asked, but for the time of the exchange. */
const asked = () => stub.seen.filter(({ target }) => !target.endsWith('/time'));

test('--list shows the twenty and the extras', async () => {
  const { stdout } = await api(['--list']);
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(1 + Object.keys(OPERATIONS).length);
  expect(lines[7]).toMatch(/^7 +batchOrders +POST +\/api\/v2\/trade\/batch-orders +spot +standard +5\/10 +symbol orderList$/);
});

test('a call prints the payload as JSON, ids as strings', async () => {
  stub.answer = standard('{"resultList":[{"orderId":690800371848708186,"clientOrderId":"a"}]}');
  const order = '[{"side":"buy","orderType":"market","force":"normal","quantity":"1","clientOrderId":"a"}]';
  const { stdout } = await api(['batchOrders', 'symbol=BTCUSDT_SPBL', `orderList=${order}`]);
  expect(JSON.parse(stdout)).toEqual({ resultList: [{ orderId: '690800371848708186', clientOrderId: 'a' }] });
  expect(asked()[0]!.body).toBe(`{"symbol":"BTCUSDT_SPBL","orderList":${order}}`);
});

test('options win over the environment, and that over the config', async () => {
  stub.answer = standard('[]');
  const nowhere = 'http://127.0.0.1:1';
  const config = `${CONFIG}live: { spotBaseUrl: "${nowhere}", locale: fr-FR }\n`;
  const files = { 'c.yaml': config, 's.ts': STRATEGY };
  await api(['accountAssets', '--config', 'c.yaml', '--spot-url', stub.url], { files, env: { TIDEGATE_SPOT_BASE_URL: nowhere } });
  await api(['accountAssets', '--config', 'c.yaml'], { files, env: { TIDEGATE_LOCALE: 'de-DE' } });
  expect(asked().map(({ headers }) => headers.locale)).toEqual(['fr-FR', 'de-DE']);
});

test('keys can come from a file of mode 600', async () => {
  stub.answer = standard('[]');
  const none = { TIDEGATE_API_KEY: '', TIDEGATE_API_SECRET: '', TIDEGATE_API_PASSPHRASE: '' };
  const { stderr } = await api(['accountAssets', '--keys', 'keys.json'], {
    files: { 'keys.json': JSON.stringify(KEYS) },
    env: none,
    code: 2,
  });
  expect(stderr).toContain('chmod 600');
  expect(asked()).toEqual([]);
});

describe('refused before anything leaves', () => {
  test.each([
    [['tickr'], 'USAGE', 'there is no operation "tickr" (did you mean "ticker"?)'],
    [[], 'USAGE', 'expected the name of an operation'],
    [['ticker'], 'REQUEST_INVALID', 'ticker: symbol is required'],
    [['ticker', 'symbl=x'], 'USAGE', 'ticker has no parameter "symbl" (did you mean "symbol"?)'],
    [['ticker', 'symbol'], 'USAGE', 'expected key=value, not "symbol"'],
    [['ticker', 'symbol=x', 'symbol=y'], 'USAGE', 'the parameter symbol is given twice'],
    [['fills', 'symbol=x', 'pageSize=101'], 'REQUEST_INVALID', 'fills: pageSize must be a whole number of at least 1 and at most 100'],
    [['batchOrders', 'symbol=x', 'orderList=[1'], 'USAGE', 'the value of orderList is not JSON'],
    [['internalWithdrawal', 'toUserId=1', 'coin=USDT', 'amount=1'], 'USAGE', 'internalWithdrawal moves money: add --yes'],
  ])('%j', async (args, code, said) => {
    const printed: string[] = [];
    const program = new Command('tidegate').exitOverride();
    addApiCommand(program, (line) => void printed.push(line));
    const call = program.parseAsync(['node', 'tidegate', 'api', ...args, '--spot-url', stub.url]);
    await expect(call).rejects.toMatchObject({ code, message: expect.stringContaining(said) });
    expect(printed).toEqual([]);
    expect(stub.seen).toEqual([]);
  });

  test('a base URL without TLS, with exit code 2', async () => {
    const { stderr, stdout } = await api(['ticker', 'symbol=x', '--spot-url', 'http://example.com'], { code: 2 });
    expect(stderr).toContain('error CONFIG_INVALID: a base URL must be https');
    expect(stdout).toBe('');
  });
});

test('--yes moves the money, once', async () => {
  stub.answer = json('{"code":"200","id":"77","timestamp":1}');
  const { stdout } = await api(['internalWithdrawal', 'toUserId=690800371848708186', 'coin=USDT', 'amount=1.5', '--yes']);
  expect(JSON.parse(stdout)).toEqual({ id: '77' });
  expect(asked().map(({ body }) => body)).toEqual(['{"toUserId":690800371848708186,"coin":"USDT","amount":"1.5"}']);
});

test('a refusal exits with 6 and names operation and code, no key', async () => {
  stub.answer = refusal('40014', 403);
  const { stderr } = await api(['invitedUsers'], { code: 6 });
  expect(stderr).toContain('error EXCHANGE_REFUSED: invitedUsers: HTTP 403, code 40014 (no permission)');
  for (const word of Object.values(KEYS)) expect(stderr).not.toContain(word);
});

test('an unknown outcome is reported as such', async () => {
  stub.answer = (_, response) => response.destroy();
  const { stderr } = await api(['cancelOrder', 'symbol=x', 'orderId=1'], { code: 6 });
  expect(stderr).toContain('The exchange may have executed the request: check this before you repeat it.');
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { checkConfig } from '../../../src/app/inspect/check-config.ts';
import { type InspectOptions, showConfig } from '../../../src/app/inspect/show-config.ts';
import { ROOT } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SMA = join(ROOT, 'configs/sma-cross.yaml');

async function printed<Options extends InspectOptions>(
  inspect: (path: string, options: Options, print: (line: string) => void) => Promise<void>,
  path: string,
  options: Options,
): Promise<string> {
  const lines: string[] = [];
  await inspect(path, options, (line) => lines.push(line));
  return lines.join('\n');
}

/** A live config that inherits everything else. */
function liveConfig(more: string): string {
  const file = join(temporaryFolder(), 'live.yaml');
  writeFileSync(file, `extends: ${SMA}\n${more}`);
  return file;
}

const before = { ...process.env };
afterEach(() => {
  process.env = { ...before };
});

test('config show prints inherited settings, --set and defaults', async () => {
  const text = await printed(showConfig, liveConfig('risk: { account: { maxDrawdown: "0.1" } }\n'), { set: ['backtest.to=2025-01-08'] });
  const config = parse(text);
  expect(config).toMatchObject({
    name: 'sma-cross',
    risk: { account: { maxDrawdown: '0.1' } },
    // Inherited, from --set, and two defaults.
    backtest: { data: ['sample'], to: '2025-01-08T00:00:00Z', profile: 'exchange', fills: { limit: 'strictCross', path: 'worst' } },
  });
  expect(JSON.parse(await printed(showConfig, SMA, { json: true }))).toMatchObject({ name: 'sma-cross' });
});

test('config show has no secrets, and needs no keys for a live config that is enabled', async () => {
  process.env.MY_HOST = 'https://me:hunter22@host.example';
  // biome-ignore lint/suspicious/noTemplateCurlyInString: references of a config.
  const keys = 'keys: { key: "${MY_KEY}", secret: "${MY_SECRET}", passphrase: "${MY_PHRASE}" }';
  const text = await printed(
    showConfig,
    liveConfig(`live: { enabled: true, spotBaseUrl: "\${MY_HOST}/spot", contractBaseUrl: "https://me:pass1234@b.example", ${keys} }\n`),
    {},
  );
  expect(text).not.toMatch(/hunter22|pass1234/);
  expect(parse(text).live).toMatchObject({
    enabled: true,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a value from the environment is shown as its reference.
    spotBaseUrl: '${MY_HOST}/spot',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of a config.
    keys: { key: '${MY_KEY}', secret: '${MY_SECRET}', passphrase: '${MY_PHRASE}' },
    contractBaseUrl: 'https://***********@b.example',
  });
});

test('config check plans each mode of a config and runs none', async () => {
  const { name, plans } = JSON.parse(await printed(checkConfig, SMA, { json: true, set: ['strategies.0.params={ fast: 5 }'] }));
  expect(name).toBe('sma-cross');
  const strategies = [{ id: 'sma', symbols: ['BTC-USDT'], params: { fast: 5, slow: 50, quantity: '1' } }];
  expect(plans).toMatchObject([
    {
      mode: 'backtest',
      from: '2025-01-01T00:00:00Z',
      to: '2025-01-29T00:00:00Z',
      strategies,
      data: [{ recording: 'sample', series: 'BTC-USDT bar 1m', rows: 40_320 }],
    },
    { mode: 'paper', strategies, data: [] },
  ]);
  expect(await printed(checkConfig, SMA, { mode: 'paper' })).toMatch(
    /^sma-cross can run as paper\n {2}strategy sma on BTC-USDT: \{"fast":20/,
  );
});

test.each([
  ['backtest.data=[none]', 'DATA_NOT_FOUND'],
  ['strategies.0.params.fast=0', 'STRATEGY_PARAMS_INVALID'],
  ['strategies.0.file=./no.ts', 'STRATEGY_NOT_FOUND'],
  ['backtest.dat=[sample]', 'CONFIG_INVALID'],
])('config check refuses %s as the run would', async (set, code) => {
  await expect(printed(checkConfig, SMA, { set: [set] })).rejects.toMatchObject({ code });
});

test('config check refuses a mode that the config has no section for', async () => {
  await expect(printed(checkConfig, SMA, { mode: 'live' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});

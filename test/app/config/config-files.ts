import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from '@jest/globals';
import { type LoadedConfig, type LoadOptions, loadConfig } from '../../../src/app/config/load-config.ts';
import { TidegateError } from '../../../src/model/errors.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The smallest config that loads; every line can be pointed at. */
export const MINIMAL = `name: minimal
account: { kind: spot, balances: { USDT: "1000" } }
instruments:
  BTC-USDT: { tickSize: "0.01", stepSize: "0.001" }
strategies:
  - { id: one, file: ./one.ts, symbols: [BTC-USDT] }
backtest: { data: [sample] }
`;

export function writeConfigs(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder('config');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

export function loadText(text: string, options: LoadOptions = {}): LoadedConfig {
  return loadConfig(join(writeConfigs({ 'a.yaml': text }), 'a.yaml'), options);
}

/** The message of the TidegateError that loading ends in, its folder shortened to nothing. */
export function refusal(load: () => unknown, code = 'CONFIG_INVALID'): string {
  let caught: unknown;
  try {
    load();
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(TidegateError);
  expect((caught as TidegateError).code).toBe(code);
  return (caught as TidegateError).message.replaceAll(/\/\S*tidegate-config-\w+\//g, '');
}

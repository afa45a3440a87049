import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { RunStarted } from '../../journal/journal-record.ts';
import { TidegateError } from '../../model/errors.ts';
import type { ComparedRun } from '../../statistics/comparison/compared-run.ts';
import type { RunSetup } from '../../statistics/comparison/run-setup.ts';
import { CODE_FILE } from '../backtest/results/code-file.ts';

/** The number of shown digits of a hash. */
const DIGITS = 12;
/** Settings that depend on the machine: their content is compared by hashes. */
const PLACES: ReadonlySet<string> = new Set(['dataDir']);

const Code = z.object({
  tidegate: z.object({ version: z.string(), sha256: z.string() }),
  strategies: z.array(z.object({ id: z.string(), sourceHash: z.string() })),
  models: z.array(z.object({ setting: z.string(), sourceHash: z.string() })).default([]),
  sources: z.record(z.string(), z.string()),
  data: z.array(z.object({ recording: z.string(), series: z.string(), sha256: z.string() })),
});
const Summary = z.object({ statistics: z.record(z.string(), z.union([z.number(), z.string(), z.null()])).optional() });

/**
 * The config, code and data of a backtest, from config.yaml and code.json in its folder; missing parts are left out.
 * @throws TidegateError DATA_INVALID
 */
export function setupOfBacktest(folder: string): RunSetup {
  const config = readIf(folder, 'config.yaml', (text) => configParts(parse(text)));
  const code = readIf(folder, CODE_FILE, (text) => Code.parse(JSON.parse(text)));
  if (code === undefined) return { mode: 'backtest', ...config };
  const { tidegate, strategies, models, sources, data } = code;
  return {
    mode: 'backtest',
    ...config,
    code: new Map([
      ['tidegate', tidegate.version],
      ['tidegate build', tidegate.sha256.slice(0, DIGITS)],
      ...strategies.map(({ id, sourceHash }): [string, string] => [`strategy ${id}`, sourceHash.slice(0, DIGITS)]),
      ...models.map(({ setting, sourceHash }): [string, string] => [setting, sourceHash.slice(0, DIGITS)]),
      ...Object.entries(sources).map(([file, text]): [string, string] => [
        file,
        createHash('sha256').update(text).digest('hex').slice(0, DIGITS),
      ]),
    ]),
    data: new Map(data.map(({ recording, series, sha256 }) => [`${recording}/${series}`, sha256.slice(0, DIGITS)])),
  };
}

/** The config and code of a bot at its last start. It has no recorded data. */
export function setupOfBot(started: RunStarted | undefined): RunSetup {
  if (started === undefined) return { mode: 'bot' };
  const { config, strategies, version } = started;
  const sources = strategies.flatMap(({ id, source }): [string, string][] =>
    source === undefined ? [] : [[`strategy ${id}`, source.slice(0, DIGITS)]],
  );
  return {
    mode: 'bot',
    ...(config === undefined ? {} : configParts(parse(config.text))),
    ...(sources.length === 0 && version === undefined
      ? {}
      : { code: new Map([...sources, ...(version === undefined ? [] : [['tidegate', version] as const])]) }),
  };
}

/** The statistics in a backtest's summary.json, if it has any. @throws TidegateError DATA_INVALID */
export function statisticsOf(folder: string): ComparedRun['statistics'] {
  return readIf(folder, 'summary.json', (text) => Summary.parse(JSON.parse(text)))?.statistics;
}

/** Splits a config into settings and parameters. Strategies are matched by their ids, not by their place in the list. */
function configParts(config: unknown): Pick<RunSetup, 'config' | 'parameters'> {
  const { strategies = [], ...rest } = (config ?? {}) as { readonly strategies?: readonly Record<string, unknown>[] };
  const own = strategies.map(({ params: _, ...strategy }) => [String(strategy.id), strategy] as const);
  const params = strategies.map(({ id, params = {} }) => [String(id), params] as const);
  const known = Object.fromEntries(Object.entries(rest).filter(([name]) => !PLACES.has(name)));
  return {
    config: new Map(flat({ ...known, strategies: Object.fromEntries(own) }, '')),
    parameters: new Map(flat(Object.fromEntries(params), '')),
  };
}

function flat(value: unknown, name: string): [string, string][] {
  if (value instanceof Date) return [[name, value.toISOString()]];
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [[name, typeof value === 'string' ? value : JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, inner]) => flat(inner, name === '' ? key : `${name}.${key}`));
}

function readIf<T>(folder: string, file: string, read: (text: string) => T): T | undefined {
  const path = join(folder, file);
  if (!existsSync(path)) return undefined;
  try {
    return read(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new TidegateError(
      'DATA_INVALID',
      `${path}: cannot be read: ${(cause as Error).message.split('\n')[0]}; expected a file of a backtest`,
      { cause },
    );
  }
}

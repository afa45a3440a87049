import { parse } from 'yaml';
import { completeInstruments } from '../config/complete-instruments.ts';
import { type LoadedConfig, readConfig } from '../config/load-config.ts';
import { hideBorrowed } from '../config/reading/secrets.ts';

export interface InspectOptions {
  readonly set?: readonly string[];
  readonly json?: boolean;
}

/** The user name and password of a URL. */
const USER_INFO = /(?<=:\/\/)[^\s/@'"]+(?=@)/g;

/**
 * Prints the config as a run uses it: inherited settings, terms of the recording and defaults written out. Values from the environment
 * are references again, and passwords in URLs are stars. No code of a strategy runs.
 * @throws TidegateError CONFIG_NOT_FOUND, CONFIG_INVALID.
 */
export async function showConfig(path: string, { set, json }: InspectOptions, print: (line: string) => void): Promise<void> {
  const { loaded } = await inspected(path, set);
  const text = withoutSecrets(loaded.text);
  print(json === true ? JSON.stringify(parse(text)) : text.trimEnd());
}

/** Values that came from the environment become references, and passwords in URLs stars. */
export function withoutSecrets(text: string): string {
  return hideBorrowed(text).replace(USER_INFO, (info) => '*'.repeat(info.length));
}

/**
 * A config to look at, and what its recordings added. The variables of its keys need not be set.
 * @param forBacktest whether it must have all that a backtest requires.
 */
export async function inspected(
  path: string,
  set: readonly string[] | undefined,
  forBacktest = false,
): Promise<{ readonly loaded: LoadedConfig; readonly terms: Awaited<ReturnType<typeof completeInstruments>> }> {
  const read = readConfig(path, { set, env: process.env, keysMayBeUnset: true, withoutBacktest: !forBacktest });
  const terms = await completeInstruments(read.value);
  return { loaded: read.check(terms), terms };
}

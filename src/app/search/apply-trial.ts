import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, parse, relative, resolve } from 'node:path';
import { type Document, isMap, isSeq, parseDocument } from 'yaml';
import { TidegateError } from '../../model/errors.ts';
import type { Study, Trial } from '../../search/study.ts';
import { completeInstruments } from '../config/complete-instruments.ts';
import { readConfig } from '../config/load-config.ts';
import { fromConfigFolder, fromWorkingFolder } from './setting-paths.ts';

interface ApplyOptions {
  readonly trial: number;
  /** The file to write; default: a new one next to the config. */
  readonly to?: string | undefined;
}

/**
 * Writes the parameters of a trial into a copy of its config. Comments stay. The written file is read back and compared, so that a backtest
 * of it is the trial.
 * @returns the path of the file.
 * @throws TidegateError DATA_NOT_FOUND, OUT_NOT_EMPTY, CONFIG_INVALID
 */
export async function applyTrial(study: Study, { trial: number, to }: ApplyOptions): Promise<string> {
  const { config, set, own } = trialSettings(study, number);
  const settings = [...set.map((setting) => fromConfigFolder(setting, config)), ...own];
  const file = resolve(to ?? join(dirname(config), `${parse(config).name}-trial-${number}.yaml`));
  if (dirname(file) !== dirname(resolve(config)))
    throw new TidegateError(
      'USAGE',
      `--to ${to}: expected a file in ${relative(process.cwd(), dirname(resolve(config))) || '.'}, as paths of the config start there`,
    );
  if (existsSync(file))
    throw new TidegateError('OUT_NOT_EMPTY', `${relative(process.cwd(), file)}: exists already: give another file by --to`);
  writeFileSync(file, withSettings(config, settings));
  try {
    await requireEqual(file, config, settings);
  } catch (error) {
    rmSync(file);
    throw error;
  }
  return relative(process.cwd(), file);
}

interface TrialSettings {
  readonly trial: Trial;
  /** The path of the config. */
  readonly config: string;
  /** `--set` of the search, without those of the search itself. */
  readonly set: readonly string[];
  /** The settings of the trial, with the paths of files as the config has them. */
  readonly own: readonly string[];
}

/** The config of a trial. @throws TidegateError DATA_NOT_FOUND, CONFIG_NOT_FOUND */
export function trialSettings(study: Study, number: number): TrialSettings {
  const trial = study.trial(number);
  if (trial === undefined) throw new TidegateError('DATA_NOT_FOUND', `${study.folder}: has no trial ${number}, of ${study.size}`);
  const { config, paths, set, from, setsFrom } = study.terms as {
    readonly config: string;
    readonly paths: Readonly<Record<string, string>>;
    readonly set: readonly string[];
    readonly from: string;
    readonly setsFrom: boolean;
  };
  if (!existsSync(config))
    throw new TidegateError('CONFIG_NOT_FOUND', `${config}: the config of the study; run the command where the search ran`);
  const params = Object.entries(trial.params).map(([name, text]) => `${paths[name]}=${text}`);
  return { trial, config, set, own: [...params, ...(setsFrom ? [`backtest.from=${from}`] : [])] };
}

/** The text of a config with these settings, as in `--set`. */
function withSettings(config: string, settings: readonly string[]): string {
  const document = parseDocument(readFileSync(config, 'utf8'));
  for (const setting of settings) {
    const equals = setting.indexOf('=');
    const path = setting
      .slice(0, equals)
      .split('.')
      .map((key) => (/^\d+$/.test(key) ? Number(key) : key));
    bringList(document, path, config);
    document.setIn(path, parseDocument(setting.slice(equals + 1)).contents);
  }
  return document.toString({ lineWidth: 0 });
}

/** A list replaces the one of a file that the config extends: one that is to be changed is brought along whole. */
function bringList(document: Document, path: readonly (string | number)[], config: string): void {
  const place = path.findIndex((key) => typeof key === 'number');
  const list = path.slice(0, place);
  if (place < 0 || document.hasIn(list)) return;
  const found = listOfParent(document, list, config);
  if (found !== undefined) document.setIn(list, found);
}

function listOfParent(document: Document, list: readonly (string | number)[], config: string): unknown {
  const parent = document.get('extends');
  if (typeof parent !== 'string') return undefined;
  const file = resolve(dirname(config), parent);
  const above = parseDocument(readFileSync(file, 'utf8'));
  const found = above.getIn(list, true);
  if (!isSeq(found)) return found === undefined ? listOfParent(above, list, file) : undefined;
  // The paths of strategies start at the folder of their config.
  for (const item of found.items) {
    const own = isMap(item) ? item.get('file') : undefined;
    if (typeof own === 'string' && isMap(item)) item.set('file', relative(dirname(config), resolve(dirname(file), own)));
  }
  return found;
}

/** @throws TidegateError CONFIG_INVALID if the file is not the config with the settings. */
async function requireEqual(file: string, config: string, settings: readonly string[]): Promise<void> {
  const textOf = async (path: string, set: readonly string[]) => {
    const read = readConfig(path, { set, env: process.env });
    return read.check(await completeInstruments(read.value)).text;
  };
  const inFolder = settings.map((setting) => fromWorkingFolder(setting, config));
  if ((await textOf(file, [])) === (await textOf(config, inFolder))) return;
  throw new TidegateError(
    'CONFIG_INVALID',
    `${config}: the parameters cannot be written into a copy of it; run the trial by ${settings.map((one) => `--set ${one}`).join(' ')}`,
  );
}

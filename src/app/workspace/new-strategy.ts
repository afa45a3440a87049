import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { listRecordings } from '../../recording/catalogue/find-recording.ts';
import { OWN_FILES } from '../base/own-files.ts';
import { nearestDataFolder } from '../config/reading/data-folder.ts';
import { SYNTHETIC, type Template } from './templates.ts';

/** Writes `strategies/<name>.ts` and `configs/<name>.yaml` below the current folder, and prints what to run. @throws TidegateError USAGE, OUT_NOT_EMPTY. */
export async function newStrategy(name: string, template: Template, print: (line: string) => void): Promise<void> {
  const folder = resolve('.');
  const dataDir = nearestDataFolder(join(folder, 'configs'));
  const names = (await listRecordings(dataDir)).map((recording) => recording.name);
  const recording = [SYNTHETIC, 'sample', ...names].find((one) => names.includes(one));
  const files = strategyFiles(name, template, recording ?? SYNTHETIC);
  writeNewFiles(folder, files);
  for (const file of Object.keys(files)) print(`wrote ${file}`);
  if (recording === undefined) print(`there is no recording under ${relative(folder, dataDir) || '.'}; ${SYNTH_HINT}`);
  print(`\nnext: npx tidegate backtest configs/${name}.yaml`);
}

const SYNTH_HINT = `make one: npx tidegate data synth --name ${SYNTHETIC} --instrument BTC-USDT:0.01:94000 --bars 28d --tickers 1d`;

/** The files of a new strategy, by their paths. @throws TidegateError USAGE for a name that is no file name. */
export function strategyFiles(name: string, template: Template, recording: string): Record<string, string> {
  if (!/^[a-z][a-z\d]*(-[a-z\d]+)*$/.test(name))
    throw new TidegateError('USAGE', `the name "${name}"; expected small letters, digits and single dashes, such as my-idea`);
  const code = templateText('strategies', `${template}.ts`);
  const own = /^export class (\w+)/m.exec(code)![1]!;
  const wanted = name.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
  // `bar` must not become a class `Bar`: the template imports that name.
  const className = wanted !== own && new RegExp(`\\b${wanted}\\b`).test(code) ? `${wanted}Strategy` : wanted;
  const config = templateText('configs', `${template}.yaml`)
    .replace(/^name: .*$/m, `name: ${name}`)
    .replace(/file: \S+$/m, `file: ../strategies/${name}.ts`)
    .replace(/\[synthetic\]|recording: synthetic/g, (found) => found.replace(SYNTHETIC, recording));
  return {
    [`strategies/${name}.ts`]: code.replace(new RegExp(`\\b${own}\\b`, 'g'), className),
    [`configs/${name}.yaml`]: config,
  };
}

/** A file of the package's templates. */
export function templateText(...path: readonly string[]): string {
  return readFileSync(new URL(['templates', ...path].join('/'), OWN_FILES.root), 'utf8');
}

/** Writes files below a folder. @throws TidegateError OUT_NOT_EMPTY, before any is written, if one of them exists. */
export function writeNewFiles(folder: string, files: Readonly<Record<string, string>>): void {
  const there = Object.keys(files).find((file) => existsSync(join(folder, file)));
  if (there !== undefined) throw new TidegateError('OUT_NOT_EMPTY', `${join(folder, there)} exists, and nothing is overwritten`);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}

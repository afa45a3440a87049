import { TidegateError } from '../../../model/errors.ts';
import { type ConfigPath, formatPath } from './config-path.ts';
import { maskSecrets, maskValues } from './mask-secrets.ts';
import { type Place, type Position, placeOf } from './source.ts';

/** One thing wrong with a config, at its place. */
export interface Problem {
  readonly at: Position;
  /** The setting concerned; absent for trouble with the text itself. */
  readonly path?: ConfigPath | undefined;
  readonly message: string;
}

/** `file:line:column: message`, the line, and a caret under the column. Secrets in the line are masked. */
export function formatAt(place: Place, message: string, path: ConfigPath = []): string {
  const indent = place.text.slice(0, place.column - 1).replace(/[^\t]/g, ' ');
  const aboutKeys = path[0] === 'live' && path[1] === 'keys';
  const line = aboutKeys ? maskValues(place.text) : maskSecrets(place.text);
  return `${place.file}:${place.line}:${place.column}: ${message}\n  ${line}\n  ${indent}^`;
}

/** All problems as one CONFIG_INVALID, in the order of the text. */
export function configInvalid(problems: readonly Problem[]): TidegateError {
  const sources = [...new Set(problems.map((problem) => problem.at.source))];
  const sorted = [...problems].sort(
    (a, b) => sources.indexOf(a.at.source) - sources.indexOf(b.at.source) || a.at.line - b.at.line || a.at.column - b.at.column,
  );
  const texts = sorted.map(({ at, path, message }) => {
    const name = path === undefined ? '' : formatPath(path);
    return formatAt(placeOf(at), name === '' ? message : `${name}: ${message}`, path);
  });
  return new TidegateError('CONFIG_INVALID', [...new Set(texts)].join('\n'));
}

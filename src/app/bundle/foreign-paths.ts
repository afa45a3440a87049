import { TidegateError } from '../../model/errors.ts';
import { onOneLine } from '../base/printable.ts';
import { MODEL_SETTINGS } from '../config/reading/object-tree.ts';
import { readTree } from '../config/reading/read-tree.ts';
import { type ConfigNode, type ConfigPath, formatPath, makeSource, nodeAt } from '../config/reading/tree.ts';
import type { BundleContent } from './bundle-file.ts';
import { LEFT_OUT, SOURCES_FOLDER } from './make-bundle.ts';

/** The config of a bundle as its errors name it. */
const SHOWN = 'config.yaml';

/**
 * Refuses a bundle whose config names a file that is not in the bundle: a config that it extends, or a strategy, a model or a list of
 * latencies elsewhere. Each file of code must be the packed one that `code.json` lists, so neither an absolute path nor `..` leads to a
 * file of the receiver. The sources are unpacked into a new folder, which has no links.
 * @throws TidegateError DATA_INVALID with every such setting.
 */
export function refuseForeignPaths(bundle: string, { config, code }: BundleContent): void {
  const { root, problems } = readTree(config, makeSource(SHOWN, '', config));
  const refused = (texts: readonly string[]) => new TidegateError('DATA_INVALID', `${bundle}: ${texts.map(onOneLine).join('\n  ')}`);
  if (root?.kind !== 'map' || problems.length > 0) {
    throw refused(problems.length > 0 ? problems.map(({ message }) => `${SHOWN}: ${message}`) : [`${SHOWN}: expected a map of settings`]);
  }
  const found = [
    ...['extends', ...LEFT_OUT].filter((key) => root.entries.has(key)).map((key) => `${key}: a bundle has no such setting`),
    ...strategyPaths(root, code),
    ...MODEL_SETTINGS.flatMap((setting) => {
      const packed = code.models?.find((one) => one.setting === setting)?.file;
      return pathProblem(root, [...setting.split('.'), 'file'], packed, code);
    }),
    ...(code.latency === undefined ? pathProblem(root, ['backtest', 'latency', 'recorded'], undefined, code) : []),
  ];
  if (found.length > 0) throw refused(found.map((text) => `${SHOWN}: ${text}`));
}

function strategyPaths(root: ConfigNode, code: BundleContent['code']): string[] {
  const list = nodeAt(root, ['strategies']);
  if (list?.kind !== 'list' || list.items.length !== code.strategies.length) {
    return [`strategies: expected the ${code.strategies.length} strategies that the bundle has`];
  }
  return code.strategies.flatMap(({ file }, index) => pathProblem(root, ['strategies', index, 'file'], file, code));
}

/** The problem of a setting that names a file. @param packed the packed file that it must name; `undefined`: it must be absent. */
function pathProblem(root: ConfigNode, path: ConfigPath, packed: string | undefined, { sources }: BundleContent['code']): string[] {
  const node = nodeAt(root, path);
  if (packed === undefined) return node === undefined ? [] : [`${formatPath(path)}: the bundle has no file for it`];
  if (!Object.hasOwn(sources, packed)) return [`${formatPath(path)}: the bundle has no source ${packed}`];
  const expected = `${SOURCES_FOLDER}/${packed}`;
  return node?.kind === 'scalar' && node.value === expected ? [] : [`${formatPath(path)}: expected the packed file ${expected}`];
}

import { stringify } from 'yaml';
import { isoTime } from '../../model/time-text.ts';
import type { Config } from './schema/schema.ts';

/**
 * The config as it took effect, as YAML that loads again from the same folder: defaults and inherited
 * settings written out, secrets as the references they were, paths as `shownPaths` has them.
 */
export function resolvedYaml(config: Config, shownPaths: ReadonlyMap<string, string>): string {
  const show = (path: string) => shownPaths.get(path) ?? path;
  const { backtest, live, paper } = config;
  const shown = {
    ...config,
    dataDir: show(config.dataDir),
    strategies: config.strategies.map((strategy) => ({ ...strategy, file: show(strategy.file) })),
    backtest: {
      ...backtest,
      from: backtest.from === undefined ? undefined : isoTime(backtest.from),
      to: backtest.to === undefined ? undefined : isoTime(backtest.to),
    },
    paper: paper && { ...paper, dir: show(paper.dir) },
  };
  const text = escapeVariables(shown) as Record<string, unknown>;
  if (live !== undefined)
    text.live = {
      ...(escapeVariables({ ...live, dir: show(live.dir) }) as object),
      keys: mapValues(live.keys, (reference) => secretText(reference, show)),
    };
  return stringify(text, { lineWidth: 0, aliasDuplicateObjects: false });
}

function secretText(reference: unknown, show: (path: string) => string): unknown {
  if (typeof reference !== 'object' || reference === null) return undefined;
  if ('env' in reference) return `\${${reference.env}}`;
  return 'file' in reference ? { file: show(String(reference.file)) } : undefined;
}

/** Text that must not be taken for a variable when it is read again. */
function escapeVariables(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\$(?=\{)/g, () => '$$');
  if (Array.isArray(value)) return value.map(escapeVariables);
  return typeof value === 'object' && value !== null ? mapValues(value, escapeVariables) : value;
}

function mapValues(map: object, change: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}

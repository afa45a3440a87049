import { SETUP_KINDS, type SetupKind } from '../../statistics/comparison/run-setup.ts';
import type { RunEntry } from './run-entry.ts';

/** The settings of a run that are not the same in all runs of its name. */
export type RunDifferences = ReadonlyMap<RunEntry, readonly (readonly [name: string, value: string | undefined])[]>;

const SHOWN: readonly SetupKind[] = (Object.keys(SETUP_KINDS) as SetupKind[]).filter((kind) => kind === 'parameters' || kind === 'config');
/** A table shows these in columns of their own. */
const IN_COLUMNS = /^(name|backtest\.(from|to))$/;

/**
 * For each backtest, the parameters and then the settings that differ between backtests of one name. A parameter of the only strategy
 * has no id before its name.
 */
export function runDifferences(entries: readonly RunEntry[]): RunDifferences {
  const found = new Map<RunEntry, (readonly [string, string | undefined])[]>();
  const groups = new Map<string, RunEntry[]>();
  for (const entry of entries) {
    found.set(entry, []);
    if (entry.setup.config !== undefined) groups.set(entry.name, [...(groups.get(entry.name) ?? []), entry]);
  }
  for (const group of groups.values()) {
    for (const kind of SHOWN) {
      const names = new Set(group.flatMap(({ setup }) => [...(setup[kind]?.keys() ?? [])]));
      const one = kind === 'parameters' && new Set([...names].map((name) => name.split('.')[0])).size === 1;
      for (const name of [...names].sort()) {
        if (IN_COLUMNS.test(name) || new Set(group.map(({ setup }) => setup[kind]?.get(name))).size === 1) continue;
        const shown = one ? name.slice(name.indexOf('.') + 1) : name;
        for (const entry of group) found.get(entry)!.push([shown, entry.setup[kind]?.get(name)]);
      }
    }
  }
  return found;
}

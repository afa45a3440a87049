import { FormulaError, parseFormula } from '../../search/expression.ts';
import { objectiveOf } from '../../search/objective.ts';
import { STATISTIC_DEFINITIONS } from '../../statistics/statistics.ts';
import { aboutKey, aboutValue, type Complaint } from './reading/problems.ts';
import type { ConfigPath } from './reading/tree.ts';
import type { SoundSections } from './schema/schema.ts';

/** The statistics that objectives and constraints may name. */
export const STATISTIC_KEYS: readonly string[] = STATISTIC_DEFINITIONS.map(({ key }) => key);

/** Formulas name what exists, and parameters can be set. */
export function searchRules({ search, strategies = [] }: SoundSections): Complaint[] {
  if (search === undefined) return [];
  const { parameters, objective, constraints, where, method } = search;
  const found: Complaint[] = [];
  const check = (path: ConfigPath, parse: () => unknown) => {
    try {
      parse();
    } catch (error) {
      if (!(error instanceof FormulaError)) throw error;
      found.push(aboutValue(path, `${error.message}, at character ${error.at + 1}`));
    }
  };
  check(['search', 'objective'], () => objectiveOf(objective, STATISTIC_KEYS));
  for (const [place, text] of constraints.entries()) check(['search', 'constraints', place], () => parseFormula(text, STATISTIC_KEYS));
  // The command line names the parameters (`--over`): then `where` is checked with them.
  if (parameters === undefined) return found;
  const numbers = Object.entries(parameters).flatMap(([name, { values }]) =>
    values?.some((one) => typeof one !== 'number') ? [] : [name],
  );
  for (const [place, text] of where.entries()) check(['search', 'where', place], () => parseFormula(text, numbers));
  const paths = new Map<string, string>();
  for (const [name, { values, step, min = '', max = '' }] of Object.entries(parameters)) {
    const path = parameterPath(name, strategies);
    if ('problem' in path) found.push(aboutKey(['search', 'parameters', name], path.problem));
    else if (paths.has(path.path))
      found.push(aboutKey(['search', 'parameters', name], `sets the same as ${paths.get(path.path)}: remove one`));
    else paths.set(path.path, name);
    const isCounted = values !== undefined || step !== undefined || [min, max].every((text) => /^[+-]?\d+$/.test(text));
    if (method === 'grid' && !isCounted) found.push(aboutKey(['search', 'parameters', name], 'a grid needs a `step` or `values`'));
  }
  return found;
}

type Named = { readonly path: string } | { readonly problem: string };

/** The setting that a parameter of a search is, as in `--set`: a path, or the name of a parameter that one strategy has. */
export function parameterPath(name: string, strategies: readonly { readonly id: string; readonly params: object }[]): Named {
  if (name.includes('.')) return name.startsWith('search.') ? { problem: 'a search cannot vary its own settings' } : { path: name };
  const owners = strategies.flatMap(({ params }, index) => (Object.hasOwn(params, name) ? [index] : []));
  const [owner = 0, ...others] = owners;
  if (others.length > 0)
    return { problem: `${owners.length} strategies have it: write the path, such as strategies.${owner}.params.${name}` };
  // A parameter that the config leaves out has the default of its class.
  if (owners.length === 0 && strategies.length > 1)
    return { problem: `no strategy of the config sets it: write the path, such as strategies.0.params.${name}` };
  return { path: `strategies.${owner}.params.${name}` };
}

import { TidegateError } from '../../model/errors.ts';
import { suggestion } from '../config/reading/nearest.ts';

/** The strategy class among a module's exports: the named one, or the only one. */
export function pickStrategy(
  exports: Readonly<Record<string, unknown>>,
  exportName: string | undefined,
  isStrategy: (candidate: unknown) => boolean,
  file: string,
): { StrategyClass: unknown; name: string } {
  const names = Object.keys(exports);
  const strategies = names.filter((name) => typeof exports[name] === 'function' && isStrategy(exports[name]));
  const fail = (message: string) => new TidegateError('STRATEGY_LOAD_FAILED', `${file}: ${message}`);
  if (exportName !== undefined) {
    if (strategies.includes(exportName)) return { StrategyClass: exports[exportName], name: exportName };
    if (names.includes(exportName)) throw fail(`the export "${exportName}" is no class that extends Strategy`);
    throw fail(`no export "${exportName}"${suggestion(exportName, strategies.length > 0 ? strategies : names)}`);
  }
  // One class under two names (itself and `default`) is one.
  const distinct = new Map(strategies.map((name) => [exports[name], name]));
  if (distinct.size > 1) throw fail(`exports several strategies: name one of ${strategies.join(', ')} as \`export\` in the config`);
  const name = strategies[0];
  if (name !== undefined) return { StrategyClass: exports[name], name };
  throw fail(
    names.length === 0
      ? 'exports nothing: export a class that extends Strategy'
      : `exports no class that extends Strategy, only ${names.join(', ')}`,
  );
}

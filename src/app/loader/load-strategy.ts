import { loadModule } from './load-module.ts';
import { pickStrategy } from './pick-strategy.ts';

export interface LoaderOptions {
  /** Tells a strategy class from other exports. */
  readonly isStrategy: (candidate: unknown) => boolean;
  /** What `tidegate` means to the strategy; default: the index beside the running code. */
  readonly indexUrl?: string | undefined;
}

export interface LoadedStrategy {
  readonly StrategyClass: unknown;
  /** The name under which the class is exported. */
  readonly name: string;
  /** SHA-256 of the strategy's sources, the same on every machine. */
  readonly sourceHash: string;
  /** Absolute path of its own file, links followed. */
  readonly entry: string;
  /** What stands in that and in what it imports by relative path, by absolute path. */
  readonly sources: ReadonlyMap<string, string>;
}

/**
 * Loads one strategy class from a file anywhere on disk.
 * @throws TidegateError STRATEGY_NOT_FOUND, STRATEGY_LOAD_FAILED.
 */
export async function loadStrategyClass(file: string, exportName: string | undefined, options: LoaderOptions): Promise<LoadedStrategy> {
  const { exports, sourceHash, entry, sources } = await loadModule(file, options.indexUrl);
  return { ...pickStrategy(exports, exportName, options.isStrategy, file), sourceHash, entry, sources };
}

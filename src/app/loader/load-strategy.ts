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
}

/**
 * Loads one strategy class from a file anywhere on disk.
 * @throws TidegateError STRATEGY_NOT_FOUND, STRATEGY_LOAD_FAILED.
 */
export async function loadStrategyClass(file: string, exportName: string | undefined, options: LoaderOptions): Promise<LoadedStrategy> {
  const { exports, sourceHash } = await loadModule(file, options.indexUrl);
  return { ...pickStrategy(exports, exportName, options.isStrategy, file), sourceHash };
}

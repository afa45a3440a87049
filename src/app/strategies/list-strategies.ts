import { type ErrorCode, TidegateError } from '../../model/errors.ts';
import { describeFile, type StrategyDescription } from './describe-file.ts';
import { strategyFiles } from './strategy-files.ts';

/** What was found, and what could not be loaded. */
export interface StrategyList {
  readonly strategies: readonly StrategyDescription[];
  readonly failed: readonly { readonly file: string; readonly error: { readonly code: ErrorCode; readonly message: string } }[];
}

/**
 * Describes the strategies of files and folders. A file that does not load does not keep the others from being told; one
 * without a strategy is a fault where it was named, and a part of another in a folder.
 * @throws TidegateError STRATEGY_NOT_FOUND.
 */
export async function listStrategies(paths: readonly string[]): Promise<StrategyList> {
  const strategies: StrategyDescription[] = [];
  const failed: StrategyList['failed'][number][] = [];
  for (const { path: file, named } of strategyFiles(paths)) {
    try {
      const found = await describeFile(file);
      if (found.length === 0 && named) throw new TidegateError('STRATEGY_LOAD_FAILED', `${file}: exports no class that extends Strategy`);
      strategies.push(...found);
    } catch (error) {
      if (!(error instanceof TidegateError)) throw error;
      failed.push({ file, error: { code: error.code, message: error.message } });
    }
  }
  return { strategies, failed };
}

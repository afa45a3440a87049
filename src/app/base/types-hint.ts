import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ErrorCode } from '../../model/errors.ts';

const HINT = 'hint: a run checks no types; `npx tsc --noEmit` finds wrong names and types before it\n';

/**
 * A line below an error of a strategy about the command that checks types, which no run does. Empty for other errors, and where TypeScript
 * and its settings are not in the folder or above it.
 */
export function typesHint(code: ErrorCode, folder: string): string {
  return code === 'STRATEGY_THREW' && hasCompiler(folder) ? HINT : '';
}

function hasCompiler(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, 'tsconfig.json')) && existsSync(join(at, 'node_modules/typescript'))) return true;
    if (at === dirname(at)) return false;
  }
}

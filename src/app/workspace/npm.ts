import { spawnSync } from 'node:child_process';
import { TidegateError } from '../../model/errors.ts';

/**
 * Runs npm in a folder. What it prints goes to stderr, its result only if `shown`.
 * @throws TidegateError NPM_FAILED with the command.
 */
export function runNpm(folder: string, args: readonly string[], shown = true): void {
  const script = process.env.npm_execpath?.replace(/npx-cli\.js$/, 'npm-cli.js');
  const [command, ...first] = script?.endsWith('npm-cli.js') === true ? [process.execPath, script] : ['npm'];
  const { status, error } = spawnSync(command!, [...first, ...args], {
    cwd: folder,
    env: ownEnvironment(),
    stdio: ['ignore', shown ? 2 : 'ignore', 2],
  });
  if (status === 0) return;
  const why = error === undefined ? `ended with ${status ?? 'a signal'}` : error.message;
  throw new TidegateError('NPM_FAILED', `npm ${args.join(' ')} in ${folder} ${why}; the files are written: run it there again`);
}

/** The environment without what an outer npm set about its own folder and script. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env);
  return Object.fromEntries(
    entries.filter(([name]) => !/^(npm_(package|lifecycle|command)|npm_config_(local|global)_prefix|INIT_CWD)/.test(name)),
  );
}

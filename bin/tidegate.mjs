#!/usr/bin/env node
// Committed and executable: a bin that points into dist/ is remembered as broken by npx when called before the build.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Both run Node's modules only in part: a run would end with an error of theirs, or trade in another way.
const other = process.versions.bun ? `Bun ${process.versions.bun}` : globalThis.Deno ? `Deno ${globalThis.Deno.version?.deno}` : undefined;
if (other !== undefined) {
  console.error(`error USAGE: not supported: ${other}; run Tidegate with Node 20.19 or newer`);
  process.exit(2);
}

const cli = new URL('../dist/bundle/cli.js', import.meta.url);
if (process.platform === 'win32') {
  console.error('Tidegate runs on Linux and macOS. On Windows, run it in WSL.');
  process.exitCode = 2;
} else if (existsSync(cli)) {
  keepCompiled();
  // The thread of a backtest loads its code while this one loads the command line.
  const [, , command, ...rest] = process.argv;
  if ((command === 'backtest' || command === 'diagnose') && !rest.includes('--help')) {
    await import(new URL('thread.js', cli).href).then(({ startEarly }) => startEarly()).catch(() => {});
  }
  // All modules are opened at once: where that takes more files than the process may open, nothing else runs.
  const { main } = await import(cli.href).catch((error) => {
    // Node cannot find a package that is there if it cannot open its description.
    const unread = /^Cannot find package '([^']+)'/.exec(error?.message)?.[1];
    const code = unread !== undefined && existsSync(join(dirname(unread), 'package.json')) ? 'EMFILE' : error?.code;
    if (code !== 'EMFILE' && code !== 'ENFILE') throw error;
    const limit = process.report.getReport().userLimits?.open_files?.soft ?? 'no more';
    const message = `this process may open ${limit} files (ulimit -n) and needs more (${code}); raise the limit to 1024: ulimit -n 1024 in the shell, LimitNOFILE=1024 in a systemd unit`;
    console.error(`error TOO_MANY_FILES: ${message}`);
    if (process.argv.includes('--json')) console.log(JSON.stringify({ error: { code: 'TOO_MANY_FILES', message } }));
    process.exitCode = 10;
    return {};
  });
  await main?.(process.argv);
} else {
  console.error(`tidegate is not built yet. In ${fileURLToPath(new URL('..', import.meta.url))} run:\n\n  npm ci && npm run build\n`);
  process.exitCode = 2;
}

/**
 * From Node 22 on, Node keeps compiled code in a folder for the next start, also for threads, which read its variable. It ignores code that
 * does not fit, and a folder that it cannot write to.
 */
function keepCompiled() {
  if (module.enableCompileCache === undefined) return;
  try {
    process.env.NODE_COMPILE_CACHE ??= join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tidegate', 'compiled');
    module.enableCompileCache();
  } catch {
    // No home: nothing is kept.
  }
}

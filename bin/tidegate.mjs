#!/usr/bin/env node
// Committed and executable: a bin that points into dist/ is remembered as broken by npx when called before the build.
import { existsSync } from 'node:fs';
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

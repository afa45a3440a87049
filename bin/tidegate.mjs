#!/usr/bin/env node
// Committed and executable: a bin that points into dist/ is remembered as broken by npx when called before the build.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const cli = new URL('../dist/bundle/cli.js', import.meta.url);
if (existsSync(cli)) {
  // All modules are opened at once: where that takes more files than the process may open, nothing else runs.
  const { main } = await import(cli.href).catch((error) => {
    if (error?.code !== 'EMFILE' && error?.code !== 'ENFILE') throw error;
    const limit = process.report.getReport().userLimits?.open_files?.soft ?? 'no more';
    const message = `this process may open ${limit} files (ulimit -n), and needs more (${error.code}); raise the limit to 1024: ulimit -n 1024 in the shell, LimitNOFILE=1024 in a systemd unit`;
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

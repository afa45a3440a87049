// The last step of npm run build: the command line in few files, with what it depends on. Loaded one by one, its fifteen
// hundred modules take longer than many a backtest. What strategies may import beside `tidegate` is there once: zod has a way in
// of its own, the rest stays outside; so does what brings files of its own, and ccxt, which may be absent.
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './tools.mjs';

const OUTSIDE = ['rxjs', 'decimal.js', 'libsql', 'pino', 'rolldown', 'undici', 'fastify', 'lightweight-charts', '@duckdb/node-api', 'ccxt'];

const build = await rolldown({
  cwd: root,
  input: {
    cli: 'src/app/cli.ts',
    worker: 'src/app/backtest/worker.ts',
    'bias-worker': 'src/app/bias/worker.ts',
    index: 'src/index.ts',
    zod: 'zod',
    // For the tests that end a bot inside a commit: they need the very class that the bot uses.
    'bot-journal': 'src/journal/bot-journal.ts',
  },
  platform: 'node',
  external: OUTSIDE,
  logLevel: 'warn',
});
await build.write({ dir: join(root, 'dist/bundle'), cleanDir: true, format: 'esm', sourcemap: true });
await build.close();

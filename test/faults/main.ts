import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSeed } from './drive.ts';
import type { Markets } from './exchange-side.ts';
import type { Lies } from './liar.ts';

// Seeds from `first` on, below `end`, each `step`-th one: a line of JSON each; `no` as the fourth word leaves closes by agreement out, as the
// fifth people around the bot; the sixth is the markets of every seed, or `drawn`; the seventh whether the exchange lies (yes: in some seeds, no, all). Called by scripts/faults.mjs.
const [first = 1, end = 2, step = 1] = process.argv.slice(2, 5).map(Number);
const [agreements, people] = process.argv.slice(5, 7).map((word) => word !== 'no');
const [markets = 'drawn', lies = 'yes'] = process.argv.slice(7);
/** The journal of every so-manyth seed is replayed, too: that takes as long again as a third of a seed. */
const REPLAYED_EACH = 10;
const folder = mkdtempSync(join(tmpdir(), 'tidegate-faults-'));
let current = first;
process.on('uncaughtException', (error) => {
  process.stderr.write(`seed ${current}: ${error.stack}\n`);
  process.exit(1);
});
for (; current < end; current += step) {
  const {
    struck,
    markets: traded,
    ...result
  } = await runSeed(current, join(folder, 'bot.journal'), {
    log: process.env.TIDEGATE_FAULTS_LOG === undefined ? undefined : loud(),
    only: markets === 'drawn' ? undefined : (markets as Markets['kind']),
    replays: current % REPLAYED_EACH === 0,
    agreements,
    people,
    lies: lies as Lies,
  });
  const agreed = traded.agreements === true;
  process.stdout.write(`${JSON.stringify({ ...result, markets: traded.kind, agreed, struck: Object.fromEntries(struck) })}\n`);
}
rmSync(folder, { recursive: true, force: true });

/** For a seed that is looked at by itself. */
function loud() {
  const say = (message: string, fields?: object) => void process.stderr.write(`${message} ${JSON.stringify(fields ?? {})}\n`);
  return { debug: say, info: say, warn: say };
}

// npm run faults -- [--seeds N] [--from K] [--jobs J] [--markets spot|futures|both] [--agreements no] [--people no] [--lies no|all|<act>]: a bot and a local exchange in one process,
// under simulated time, seeded faults and kills; on request of these markets alone, without closes by agreement, without people who act around the bot, without an exchange
// that lies, or with one in every seed,
// by this act alone.
// A seed that fails is printed with what is wrong, and reproduces exactly: --from <seed> --seeds 1, with the same other options.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { bundledProof, countOption, wordOption } from './long-proof.mjs';
import { installIfNeeded, requireNode } from './tools.mjs';

requireNode();
await installIfNeeded();
const program = await bundledProof('faults');
const seeds = countOption('seeds', 100);
const from = countOption('from', 1);
const jobs = Math.min(seeds, countOption('jobs', availableParallelism()));
// drawn: each seed has those that it draws.
const only = wordOption('markets', ['drawn', 'spot', 'futures', 'both'], 'drawn');
const agreements = wordOption('agreements', ['yes', 'no'], 'yes');
const people = wordOption('people', ['yes', 'no'], 'yes');
// The acts are those of test/faults/liar.ts.
const acts = ['number', 'fill', 'refusal', 'secondId', 'sharedIds', 'ticker', 'roundedId', 'swapped', 'time', 'account', 'endless'];
const lies = wordOption('lies', ['yes', 'no', 'all', ...acts], 'yes');

const sums = { seeds: 0, wrong: 0, agreed: 0, wrongAgreed: 0, orders: 0, fills: 0, kills: 0, replaced: 0 };
const struck = {};
const markets = {};
const deeds = {};
const started = performance.now();
const work = (first) =>
  new Promise((resolve) => {
    const words = ['--enable-source-maps', program, String(first), String(from + seeds), String(jobs), agreements, people, only, lies];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface({ input: child.stdout }).on('line', (line) => {
      const result = JSON.parse(line);
      sums.seeds++;
      for (const figure of ['orders', 'fills', 'kills', 'replaced']) sums[figure] += result[figure];
      markets[result.markets] = (markets[result.markets] ?? 0) + 1;
      for (const deed of [
        result.deed,
        ...(result.bursts ? ['bursts'] : []),
        ...(result.canceledExits > 0 ? ['canceledExits'] : []),
        ...(result.changedGrids ? ['changedGrids'] : []),
        ...(result.lied ? ['lies'] : []),
      ])
        if (deed) deeds[deed] = (deeds[deed] ?? 0) + 1;
      for (const [fault, times] of Object.entries(result.struck)) struck[fault] = (struck[fault] ?? 0) + times;
      if (result.agreed) sums.agreed++;
      if (result.wrong.length > 0) {
        sums.wrong++;
        if (result.agreed) sums.wrongAgreed++;
        const kind = [result.markets, result.deed, result.agreed && 'closes by agreement', result.lied && 'lies']
          .filter(Boolean)
          .join(', ');
        console.log(`seed ${result.seed} (${kind}):\n  ${result.wrong.join('\n  ')}`);
      }
      if (sums.seeds % 500 === 0) console.error(`${sums.seeds} of ${seeds} seeds, ${sums.wrong} wrong`);
    });
    child.on('close', resolve);
  });
const codes = await Promise.all(Array.from({ length: jobs }, (_, job) => work(from + job)));
console.log(
  `${sums.seeds} seeds, ${sums.wrong} wrong: ${sums.orders} orders, ${sums.fills} fills, ${sums.kills} kills, ${sums.replaced} replacements of amended orders in ${Math.round((performance.now() - started) / 1000)} s`,
);
console.log(`seeds by market: ${JSON.stringify(markets)}; with closes by agreement: ${sums.agreed}, ${sums.wrongAgreed} wrong`);
console.log(
  `seeds with manual trades, another account's keys, renewed keys, a restored older journal, exits canceled and ticks or steps changed at the exchange, bursts of orders above the rate limits, lies of the exchange: ${JSON.stringify(deeds)}`,
);
console.log(`faults: ${JSON.stringify(struck)}`);
process.exitCode = sums.wrong === 0 && sums.seeds === seeds && codes.every((code) => code === 0) ? 0 : 1;

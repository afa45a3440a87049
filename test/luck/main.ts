import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { judgedStudy, patterns, phaseShuffled, planted, randomRules, randomWalk } from './studies.ts';

// Studies of one kind: a line of JSON each. Called by scripts/luck.mjs.
const [kind = 'walks', prices = '', ...figures] = process.argv.slice(2);
const [from = 1, until = 1, step = 1, days = 0, sharpe = 0, trials = 0] = figures.map(Number);
/** Rows of the file of prices that make one return. */
const ROWS = 11;

/** The returns of a CSV file with a column `close`, over several rows each. */
function realReturns(): number[] {
  const bytes = readFileSync(prices);
  const [head = '', ...rows] = (prices.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().trim().split('\n');
  const column = head.split(',').indexOf('close');
  const closes = rows.filter((_, row) => row % ROWS === 0).map((row) => Number(row.split(',')[column]));
  return closes.slice(1).map((close, index) => close / closes[index]! - 1);
}

const real = kind === 'phases' ? realReturns() : [];
for (let seed = from; seed < until; seed += step) {
  const returns =
    kind === 'walks' ? randomWalk(seed, days) : kind === 'phases' ? phaseShuffled(real, seed, days) : planted(seed, days, sharpe);
  const found =
    kind === 'planted'
      ? await judgedStudy(returns, 'patterns', patterns(seed, trials))
      : await judgedStudy(returns, 'rules', randomRules(seed, trials));
  const values = Object.fromEntries(found.verdict.evidence.map(({ method, value }) => [method, Number(value.toPrecision(3))]));
  const best = Number(found.computed?.sharpe.annualSharpe.toFixed(2));
  process.stdout.write(`${JSON.stringify({ seed, word: found.verdict.word, best, independent: found.trials.independent, ...values })}\n`);
}

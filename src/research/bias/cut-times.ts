import { Random } from '../../model/random.ts';
import type { BiasOutcome } from './decision.ts';

/**
 * Where the future is cut off: half of the cuts at times at which the run decided something, where a look ahead shows first,
 * the others anywhere in it; the same seed draws the same. @returns epoch ms, rising, each once.
 */
export function cutTimes({ decisions, first, until }: BiasOutcome, count: number, seed: number): number[] {
  const random = new Random(seed, 'bias cuts');
  const decided = decisions.filter(({ time }) => time > first && time < until);
  const times = Array.from({ length: count }, (_, index) => {
    const draw = random.uniform();
    if (index % 2 === 0 && decided.length > 0) return decided[Math.floor(draw * decided.length)]!.time;
    return Math.floor(first + (until - first) * (0.05 + 0.9 * draw));
  });
  return [...new Set(times)].sort((a, b) => a - b);
}

import { fundingTime } from '../funding-time.ts';
import { type Finding, Tally } from './check-tally.ts';
import type { CheckedRows } from './checked-rows.ts';
import { durationText } from './duration-text.ts';

/**
 * Judges when funding is due, jitter apart: two rates of one time would both be charged (error), and a distance
 * longer than the most frequent one is a gap (warning). Funding comes a few times a day, so all its times are kept.
 */
export class FundingTimesCheck {
  readonly #times: number[] = [];

  update({ time, length }: CheckedRows): void {
    for (let row = 0; row < length; row++) this.#times.push(fundingTime(time[row]!));
  }

  findings(): Finding[] {
    const times = this.#times;
    const usual = this.#usualDistance();
    const duplicates = new Tally('duplicates', 'error', 'second rates of one funding time');
    const gaps = new Tally('gaps', 'warning', `gaps in funding every ${durationText(usual)}`);
    let longest = 0;
    for (let row = 1; row < times.length; row++) {
      const distance = times[row]! - times[row - 1]!;
      if (distance === 0) duplicates.add(row + 1, times[row]!);
      if (distance <= usual) continue;
      gaps.add(row, times[row - 1]!, () => `then nothing for ${durationText(distance)}`);
      longest = Math.max(longest, distance);
    }
    const told = gaps.findings().map((finding) => ({ ...finding, text: `${finding.text}; the longest lasts ${durationText(longest)}` }));
    return [...duplicates.findings(), ...told];
  }

  /** The most frequent distance in ms, the shorter one of two; `Infinity` where there is none. */
  #usualDistance(): number {
    const counts = new Map<number, number>();
    for (let row = 1; row < this.#times.length; row++) {
      const distance = this.#times[row]! - this.#times[row - 1]!;
      if (distance > 0) counts.set(distance, (counts.get(distance) ?? 0) + 1);
    }
    const [usual] = [...counts].sort(([a, often], [b, oftener]) => oftener - often || a - b);
    return usual?.[0] ?? Number.POSITIVE_INFINITY;
  }
}

/** The change over some bars, for all strategies. */
export const INDICATOR = {
  title: 'Add an indicator',
  change: 'RateOfChange: the change over the last values',
  edits: [
    {
      step: 1,
      file: 'src/strategy/rate-of-change.ts',
      create: `/** The change of a value over the last \`length\` values, as a fraction: 0.01 is 1 %. */
export class RateOfChange {
  readonly #window: number[] = [];

  /** @throws RangeError unless \`length\` is a positive integer. */
  constructor(readonly length: number) {
    if (!Number.isInteger(length) || length < 1) throw new RangeError(\`a rate of change needs a positive whole length, not \${length}\`);
  }

  /** @returns the change, or \`null\` while there are too few values. */
  add(value: number): number | null {
    this.#window.push(value);
    return this.#window.length <= this.length ? null : value / this.#window.shift()! - 1;
  }
}
`,
    },
    {
      step: 2,
      file: 'src/index.ts',
      before: "export { Sma } from './strategy/sma.ts';\n",
      text: "export { RateOfChange } from './strategy/rate-of-change.ts';\n",
    },
    {
      step: 3,
      file: 'test/strategy/rate-of-change.test.ts',
      create: `import { expect, test } from '@jest/globals';
import type { Updatable } from '../../src/strategy/indicators.ts';
import { RateOfChange } from '../../src/strategy/rate-of-change.ts';

test('the change is that since two values before, and there is none for the first two', () => {
  const rate: Updatable<number, number> = new RateOfChange(2);
  // 120 / 100 - 1, 75 / 150 - 1.
  expect([100, 150, 120, 75].map((value) => rate.add(value))).toEqual([null, null, expect.closeTo(0.2, 12), -0.5]);
});

test.each([0, 1.5])('a length of %d is refused', (length) => {
  expect(() => new RateOfChange(length)).toThrow(RangeError);
});
`,
    },
    {
      step: 4,
      file: 'docs/reference/strategy-api.md',
      before: '- **Exact averages.**',
      text: '- **Rate of change.** `RateOfChange` of `tidegate` is the change over the last values, as a fraction.\n',
    },
  ],
  tests: [{ file: 'test/strategy/rate-of-change.test.ts', name: 'the change is that since|a length of' }],
};

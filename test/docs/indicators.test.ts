import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import * as signals from 'trading-signals';
import { inputOf } from '../../src/strategy/indicators.ts';

const PAGE = readFileSync(new URL('../../docs/reference/indicators.md', import.meta.url), 'utf8');
/** Name, code, input and value of each indicator of the first table. */
const ROWS = [...PAGE.matchAll(/^\| ([A-Z][^|]*) \| `(new [^`]*)` \| `(\w+)` \| ([^|]*) \|$/gm)].map(
  ([, name, code, input, value]) => [name!, code!, input!, value!] as const,
);
const BARS = Array.from({ length: 200 }, (_, index) => {
  const close = 100 + 5 * Math.sin(index / 5) + index / 50;
  return { open: close - 0.3, high: close + 1, low: close - 1, close, volume: 1000 + (index % 7) * 30 };
});

test('the page lists the most used indicators', () => expect(ROWS.length).toBeGreaterThan(20));

test.each(ROWS)('%s: the code of the page runs, with its input, and has the parts of its value', (_name, code, input, value) => {
  const make = new Function(...Object.keys(signals), `return ${code}`);
  const indicator = make(...Object.values(signals)) as { add(input: unknown): unknown };
  const take = inputOf(input)!;
  const results = BARS.map((bar) => indicator.add(take(bar as never)));
  const last = results.at(-1)!;
  if (!value.startsWith('`')) {
    expect(last).toEqual(expect.any(Number));
    expect(last).not.toBeNaN();
    const [from, to] = value
      .match(/from (-?\d+) to (\d+)/)
      ?.slice(1)
      .map(Number) ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const result of results.filter((one) => one !== null)) {
      expect(result).toBeGreaterThanOrEqual(from!);
      expect(result).toBeLessThanOrEqual(to!);
    }
    return;
  }
  const parts = [...value.matchAll(/`([a-z]\w*)`/g)].map(([, part]) => part);
  expect(Object.keys(last).sort()).toEqual(parts.sort());
});

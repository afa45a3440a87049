import { expect, test } from '@jest/globals';
import { workspace } from './workspace.ts';

const LONG = 'aVeryLongParameterName'.repeat(6);
const GOOD = `import { Strategy, z } from 'tidegate';

/** Does nothing at all. And says so. */
export class Idle extends Strategy {
  static params = z.object({ bars: z.int().min(2).default(20).describe('bars in the average'), ${LONG}: z.string().default('${'x'.repeat(150)}') });
  static needs = { bars: ['1m', '1h'], history: 7 };
  onBar() {}
  onTicker() {}
}
export class Other extends Strategy {}
`;
const BROKEN = 'export class {\n';
const FILES = { 'strategies/good.ts': GOOD, 'strategies/part.ts': 'export const PART = 1;\n' };
const IDLE = {
  name: 'Idle',
  file: 'strategies/good.ts',
  summary: 'Does nothing at all.',
  needs: { bars: ['1m', '1h'], history: 7, data: ['tickers'] },
};

test('lists all classes of the folder strategies, and passes over its other files', async () => {
  const { stdout } = await workspace(FILES).run(['strategies', '--json']);
  const { strategies, failed } = JSON.parse(stdout) as { strategies: { name: string; parameters: unknown[] }[]; failed: unknown[] };
  expect(strategies).toMatchObject([IDLE, { name: 'Other', summary: '', needs: { bars: [], history: 0, data: [] }, parameters: [] }]);
  expect(strategies[0]!.parameters[0]).toEqual({
    name: 'bars',
    type: 'whole number',
    range: '>= 2',
    default: 20,
    required: false,
    description: 'bars in the average',
  });
  expect(failed).toEqual([]);
});

test('as text it is no wider than 100 columns, whatever the names, and nothing of them is lost', async () => {
  const { stdout } = await workspace(FILES).run(['strategies']);
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  expect(stdout).toMatch(
    /^Idle {2}\(strategies\/good\.ts\)\n {2}Does nothing at all\.\n {2}needs bars of 1m, 1h, 7 of them before the start, tickers\n/,
  );
  expect(stdout).toMatch(/^ {2}bars +whole number >= 2 +20 +bars in the average$/m);
  expect(stdout.match(/x/g)!.length).toBeGreaterThanOrEqual(150);
});

test('a file that does not load is listed with its error, the others as well, and the exit code is 4', async () => {
  const work = workspace({ ...FILES, 'strategies/broken.ts': BROKEN });
  const { stdout } = await work.run(['strategies', '--json'], { code: 4 });
  const { strategies, failed } = JSON.parse(stdout) as { strategies: unknown[]; failed: { file: string; error: { message: string } }[] };
  expect(strategies).toHaveLength(2);
  expect(failed).toMatchObject([{ file: 'strategies/broken.ts', error: { code: 'STRATEGY_LOAD_FAILED' } }]);
  expect(failed[0]!.error.message).toContain('strategies/broken.ts:2:1: Expected');
  expect((await work.run(['strategies'], { code: 4 })).stdout).toMatch(/^strategies\/broken\.ts\n {2}error STRATEGY_LOAD_FAILED: /m);
});

test.each([
  ['a file that is not there', 'nothing.ts', 2, 'STRATEGY_NOT_FOUND: nothing.ts: no such file or folder'],
  ['a folder without files', 'empty', 2, 'STRATEGY_NOT_FOUND: empty: no .ts, .js or .mjs file in this folder'],
])('%s ends it', async (_, path, code, said) => {
  const { stderr } = await workspace({ 'empty/readme.md': '' }).run(['strategies', path], { code });
  expect(stderr).toContain(`error ${said}`);
});

test('a file that was named and has no strategy is a fault', async () => {
  const { stdout } = await workspace(FILES).run(['strategies', 'strategies/part.ts'], { code: 4 });
  expect(stdout).toContain('exports no class that extends Strategy');
});

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type StrategyTest, testStrategy } from '../../src/entries/testing.ts';
import { ROOT } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { blocksOf } from './markdown.ts';

const FILE = 'strategies/atomic-pair.ts';
const [BTC, ETH] = ['BTC-USDT-PERP', 'ETH-USDT-PERP'] as const;

/** The example of the page, as a file that imports `tidegate`. */
function example(edit = (text: string) => text): string {
  const folder = temporaryFolder();
  const path = join(folder, FILE);
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/tidegate'));
  const { text } = blocksOf('docs/reference/strategy-api.md').find(({ name }) => name === FILE)!;
  writeFileSync(path, edit(text));
  return path;
}

/** The example with a short leg that would take although it is postOnly: the exchange rejects it. */
const rejected = (atomic: string) => (text: string) => {
  const edited = text
    .replace("symbol: short, side: 'sell'", "symbol: short, type: 'limit', price: 40, postOnly: true, side: 'sell'")
    .replace('atomic: true', `atomic: ${atomic}`);
  expect(edited).toContain('postOnly: true');
  return edited;
};

/** A fill as text: what, of what order, and of which group. */
const shown = ({ side, quantity, symbol, price, tag, group }: Awaited<ReturnType<typeof testStrategy>>['fills'][number]) =>
  [side, quantity, symbol.slice(0, 3), price, tag, group].join(' ');

// Decided at the first close, filled at the second open. A leg is worth 100: 1 at 100, and 2 at 50.
const BARS: StrategyTest['bars'] = { [BTC]: [100, [100, 110, 100, 110], 110], [ETH]: [50, [50, 53, 50, 53], 53] };

test('the example of a group is one trade of the statistics, with its two legs in the table', async () => {
  const { fills, trades, result } = await testStrategy(example(), { bars: BARS });
  expect(fills.map(shown)).toEqual(['buy 1 BTC 100 long pair', 'sell 2 ETH 50 short pair', 'sell 1 BTC 110  pair', 'buy 2 ETH 53  pair']);
  expect(trades.map(({ symbol, side, netProfit, group }) => [symbol, side, netProfit, group])).toEqual([
    [BTC, 'long', '10', 'pair'],
    [ETH, 'short', '-6', 'pair'],
  ]);
  // The long gains 10 and the short loses 6: one trade, which won 4.
  expect(result.summary.statistics).toMatchObject({ trades: 1, winRate: 1, expectancy: '4', averageWin: '4' });
});

test('risk denies both legs of the example if it denies one', async () => {
  const { fills, denials } = await testStrategy(example(), { bars: BARS, config: { risk: { positions: { [ETH]: '0' } } } });
  expect(fills).toEqual([]);
  expect(denials.map(({ code }) => code)).toEqual(['positionAboveLimit', 'positionAboveLimit', 'positionAboveLimit']);
});

test('a leg of the example that the exchange rejects closes the other one at market', async () => {
  const { fills, trades, orderEvents } = await testStrategy(example(rejected('true')), { bars: BARS });
  expect(orderEvents.filter(({ kind }) => kind === 'orderRejected').map(({ symbol, tag }) => [symbol, tag])[0]).toEqual([ETH, 'short']);
  expect(fills.map(shown).slice(0, 2)).toEqual(['buy 1 BTC 100 long pair', 'sell 1 BTC 100 long:legFailed pair']);
  expect(trades.map(({ symbol, netProfit, exitTag }) => [symbol, netProfit, exitTag])[0]).toEqual([BTC, '0', 'long:legFailed']);
});

test('with hold, the other leg of the example stays until the example closes it', async () => {
  const { fills, trades } = await testStrategy(example(rejected("'hold'")), { bars: BARS });
  expect(fills.map(shown)).toEqual(['buy 1 BTC 100 long pair', 'sell 1 BTC 110  pair']);
  expect(trades.map(({ symbol, netProfit, exitTag }) => [symbol, netProfit, exitTag])).toEqual([[BTC, '10', '']]);
});

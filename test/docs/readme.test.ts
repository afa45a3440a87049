import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { blocksOf, commandsOf } from './markdown.ts';
import { checkout, runLine } from './shell.ts';

const BLOCKS = blocksOf('README.md');

test('the class of the README runs over the sample and trades', async () => {
  const folder = checkout();
  const [block] = BLOCKS.filter(({ language }) => language === 'ts');
  writeFileSync(join(folder, 'strategies/readme.ts'), block!.text);
  const strategy = '{ id: readme, file: strategies/readme.ts, symbols: [BTC-USDT] }';
  const line = `npx tidegate backtest configs/sma-cross.yaml --json --quiet --set 'strategies=[${strategy}]' --set 'risk={}'`;
  const { code, output } = await runLine(folder, line);
  expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
  const { error, denied, fills } = JSON.parse(output) as { error: unknown; denied: number; fills: number };
  expect({ error, denied }).toEqual({ error: null, denied: 0 });
  expect(fills).toBeGreaterThan(10);
});

test('the commands of the README work on files as it names them', async () => {
  const folder = checkout();
  for (const day of [1, 2]) {
    const rows = [0, 1].map((minute) => `${Date.UTC(2025, 4, day) + minute * 60_000},1,2,1,2,3`);
    writeFileSync(join(folder, `BTCUSDT-1m-${day}.csv`), ['time,open,high,low,close,volume', ...rows, ''].join('\n'));
  }
  await runLine(folder, 'gzip *.csv');
  const commands = BLOCKS.flatMap((block) => (block.language === 'sh' ? commandsOf(block) : [])).filter((line) => line.startsWith('npx'));
  expect(commands).toHaveLength(3);
  for (const command of commands) {
    const { code, output } = await runLine(folder, command);
    expect(`${command}: ${code === 0 ? 0 : output}`).toBe(`${command}: 0`);
  }
});

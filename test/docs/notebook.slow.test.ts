import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { ROOT } from '../support/cli.ts';
import { blocksOf, commandsOf } from './markdown.ts';
import { checkout, runLine } from './shell.ts';

const PAGE = 'docs/tutorials/notebook/README.md';
const NOTEBOOK = join(ROOT, 'docs/tutorials/notebook/run.ipynb');

/** Python, with the packages of a folder where one is given. */
const packages = process.env.TIDEGATE_NOTEBOOK_PACKAGES;
const environment = { ...process.env, ...(packages !== undefined && { PYTHONPATH: packages }), MPLCONFIGDIR: '', PYTHONWARNINGS: 'ignore' };
const NEEDED = ['nbclient', 'ipykernel', 'pandas', 'polars', 'pyarrow', 'matplotlib'];
const found = spawnSync('python3', ['-c', `import ${NEEDED.join(', ')}`], { env: environment, encoding: 'utf8' });
const notebookTest = found.status === 0 ? test : test.skip;
if (found.status !== 0) {
  const lack = found.stderr?.trim().split('\n').at(-1) ?? 'there is no python3';
  process.stderr.write(`skipping tests of the notebook: ${lack}; they need ${NEEDED.join(', ')}\n`);
}

let folder: string;
beforeAll(async () => {
  if (found.status !== 0) return;
  folder = checkout();
  const commands = blocksOf(PAGE)
    .filter(({ language }) => language === 'sh')
    .flatMap(commandsOf);
  expect(commands).toHaveLength(1);
  const { code, output } = await runLine(folder, commands[0]!);
  expect(`${code} ${code === 0 ? '' : output}`).toBe('0 ');
});

const EXECUTE = `
import json, sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": "."}}).execute()
print(nbformat.writes(notebook))
`;

interface Output {
  readonly text?: string | readonly string[];
  readonly data?: Readonly<Record<string, unknown>>;
}

interface Notebook {
  readonly cells: readonly { readonly cell_type: string; readonly source: readonly string[]; readonly outputs?: readonly Output[] }[];
}

const python = (args: readonly string[]) =>
  execFileSync('python3', args, { cwd: folder, env: { ...environment, MPLCONFIGDIR: folder }, encoding: 'utf8', maxBuffer: 1 << 26 });

notebookTest('every cell of the notebook runs on a new run, its checks hold, and it draws the equity', () => {
  const { cells } = JSON.parse(python(['-c', EXECUTE, NOTEBOOK])) as Notebook;
  const outputs = cells.flatMap((cell) => cell.outputs ?? []);
  const { finalEquity } = JSON.parse(readFileSync(join(folder, 'runs/notebook/summary.json'), 'utf8'));
  const printed = outputs.map(({ text = '' }) => (typeof text === 'string' ? text : text.join(''))).join('');
  expect(printed).toContain(`the equity is that of summary.json: ${finalEquity} USDT`);
  expect(outputs.filter(({ data }) => data !== undefined && 'image/png' in data)).toHaveLength(1);
});

notebookTest('the notebook stops if the equity differs from the summary in its last digit', () => {
  const path = join(folder, 'runs/notebook/summary.json');
  const text = readFileSync(path, 'utf8');
  const { finalEquity } = JSON.parse(text);
  const changed = text.replace(`"${finalEquity}"`, `"${finalEquity}1"`);
  expect(changed).not.toBe(text);
  const code = `import os, shutil\nshutil.copytree("runs/notebook", "runs/changed")\nopen("runs/changed/summary.json", "w").write(${JSON.stringify(changed)})\n`;
  python(['-c', code]);
  const run = () =>
    execFileSync('python3', ['-c', EXECUTE, NOTEBOOK], {
      cwd: folder,
      env: { ...environment, MPLCONFIGDIR: folder, TIDEGATE_RUN: 'runs/changed' },
      encoding: 'utf8',
      stdio: 'pipe',
    });
  expect(run).toThrow(/AssertionError/);
});

notebookTest('a run joins with the recording of its prices, as the page shows', () => {
  const [example] = blocksOf(PAGE).filter(({ language }) => language === 'python');
  const head = 'import pandas as pd\nfills = pd.read_parquet("runs/notebook/fills.parquet")\n';
  const tail = '\nassert len(joined) == len(fills) and joined["close"].notna().all()\n';
  python(['-c', head + example!.text + tail]);
});

test('the notebook in the docs has no outputs, so that it shows no figures of an old run', () => {
  const { cells } = JSON.parse(readFileSync(NOTEBOOK, 'utf8')) as Notebook;
  expect(cells.filter(({ cell_type }) => cell_type === 'code').length).toBeGreaterThanOrEqual(5);
  expect(cells.flatMap(({ outputs = [] }) => outputs)).toEqual([]);
});

import { type Command, InvalidArgumentError } from 'commander';
import { parseInterval } from '../../model/interval.ts';
import { renderComparison } from '../../report/comparison/comparison-text.ts';
import { showsUnicode } from '../unicode-terminal.ts';

interface Options {
  readonly out?: string;
  readonly window?: number;
  readonly tolerance: number;
  readonly currency?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const HELP = `
Example:
  $ npx tidegate compare runs/sma-cross-1 runs/sma-cross-paper
`;

/** How far apart two orders may be decided that are taken for one. */
const WINDOW_MS = 60_000;

/** `tidegate compare <a> <b>`: two runs side by side, and the causes of their difference. Heavy modules are loaded when it is called for. */
export function addCompareCommand(program: Command): void {
  program
    .command('compare')
    .description('lay two runs side by side, trade by trade, and name the cause of each difference')
    .argument('<a>', "folder of a backtest, or of a bot (or its journal): what B's difference is counted from")
    .argument('<b>', 'the same of another run')
    .option('--out <dir>', 'folder for comparison.html and comparison.json, absent or empty (default: runs/compare-<n>)')
    .option('--window <time>', 'how far apart orders may be decided that are taken for the same, e.g. 5m (default: 1m)', interval)
    .option('--tolerance <ms>', 'fills no further apart than this are of the same moment', milliseconds, 0)
    .option('--currency <asset>', 'what bots are counted in, where both runs are bots that trade against several')
    .option('--json', 'print the comparison as one JSON object on stdout')
    .option('--quiet', 'print no tables')
    .addHelpText('after', HELP)
    .action(async (a: string, b: string, options: Options) => {
      await compare(a, b, options);
    });
}

async function compare(
  a: string,
  b: string,
  { out, window: windowMs = WINDOW_MS, tolerance: toleranceMs, currency, json, quiet }: Options,
): Promise<void> {
  const { compareFolders } = await import('../compare/compare-folders.ts');
  const written = await compareFolders({ a, b, out, windowMs, toleranceMs, currency });
  if (json === true) process.stdout.write(`${JSON.stringify({ ...written.json, out: written.out })}\n`);
  else if (quiet !== true) {
    const { columns = 100, isTTY } = process.stdout;
    const color = isTTY === true && process.env.NO_COLOR === undefined;
    const text = renderComparison({ a, b }, written.comparison, { columns, color, unicode: showsUnicode(process.env, process.platform) });
    process.stdout.write(`${text}\nResults: ${written.out}\nReport:  ${written.out}/comparison.html\n`);
  }
}

function interval(text: string): number {
  const value = parseInterval(text);
  if (value === undefined) throw new InvalidArgumentError('Expected a time such as 30s, 5m or 1h.');
  return value;
}

function milliseconds(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0) || !Number.isFinite(value)) throw new InvalidArgumentError('Expected a number of ms, 0 or more.');
  return value;
}

import { performance } from 'node:perf_hooks';
import type { Command } from 'commander';
import { ERROR_CODES } from '../../model/errors.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { rebuildReport } from '../report/write-report.ts';

const BUNDLE_HELP = '\nExample:\n  $ npx tidegate bundle runs/sma-cross-1 --out sma-cross.bundle.gz\n';
const VERIFY_HELP = '\nExample:\n  $ npx tidegate verify sma-cross.bundle.gz --data-dir data\n';

interface VerifyFlags {
  readonly dataDir: string;
  readonly latency?: string;
  readonly json?: boolean;
}

/** `tidegate bundle` and `tidegate verify`. Heavy modules are loaded when they are called for. */
export function addBundleCommands(program: Command): void {
  program
    .command('bundle')
    .description('pack config, strategy sources, data hashes and result of a backtest into one file')
    .argument('<run>', 'folder of the run, e.g. runs/sma-cross-1')
    .option('--out <file>', 'the file, which must not be there (default: <run>.bundle.gz)')
    .option('--json', 'print {"bundle": path, "sha256": hash of its content} instead of lines')
    .addHelpText('after', BUNDLE_HELP)
    .action(async (run: string, { out, json }: { out?: string; json?: boolean }) => {
      const { bundleRun } = await import('../bundle/result-differences.ts');
      const made = bundleRun(run, out);
      print(json ? JSON.stringify({ bundle: made.out, sha256: made.sha256 }) : `Bundle:  ${made.out}\nSHA-256: ${made.sha256}`);
    });
  program
    .command('verify')
    .description('run a bundle again and compare the result bit for bit')
    .argument('<bundle>', 'a file that tidegate bundle wrote; its strategies are run: verify none that you do not trust')
    .option('--data-dir <dir>', 'where the recordings are', 'data')
    .option('--latency <file>', 'the recorded times of latency, where the run had some')
    .option('--json', 'print the outcome as one JSON object on stdout')
    .addHelpText('after', VERIFY_HELP)
    .action(async (bundle: string, flags: VerifyFlags) => {
      process.exitCode = await verify(bundle, flags);
    });
}

async function verify(bundle: string, { dataDir, latency, json }: VerifyFlags): Promise<number> {
  const { verifyBundle } = await import('../bundle/verify-bundle.ts');
  const verified = await verifyBundle(bundle, { dataDir, latency, stopwatch: () => performance.now() });
  const { differences, notes, sha256 } = verified;
  if (json === true) print(JSON.stringify({ same: differences.length === 0, ...verified }));
  else {
    for (const note of notes) print(`! ${note}`);
    for (const { what, expected, found } of differences) print(`${what}: expected ${expected}, found ${found}`);
    print(
      differences.length === 0
        ? `The same, bit for bit: ${bundle} (${sha256})`
        : `${differences.length} differences from ${bundle} (${sha256})`,
    );
  }
  return differences.length === 0 ? EXIT_CODES.ok : EXIT_CODES.findings;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** `tidegate report <run>`: the page of a run that was, as this version draws it. */
export function addReportCommand(program: Command, print: (line: string) => void): void {
  program
    .command('report')
    .description("make a run's report.html anew from its report.json")
    .argument('<run>', 'folder of the run, e.g. runs/sma-cross-1')
    .option('--json', 'print {"report": path} instead of a line')
    .addHelpText('after', '\nExample:\n  $ npx tidegate report runs/sma-cross-1\n')
    .action(async (run: string, { json = false }: { json?: boolean }) => {
      const report = await rebuildReport(run);
      print(json ? JSON.stringify({ report }) : `Report: ${report}`);
    });
}

const WIDEST = 100;
const NARROWEST = 60;

/** `tidegate strategies`: which classes there are, what they need, and what can be set in them. */
export function addStrategiesCommand(program: Command, print: (line: string) => void): void {
  program
    .command('strategies')
    .description('list strategy classes with their parameters')
    .argument('[paths...]', 'files and folders (default: strategies)')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  $ npx tidegate strategies strategies/grid.ts\n')
    .action(async (paths: string[], options: { readonly json?: boolean }) => {
      // Only now: the bundler takes a moment to load.
      const { listStrategies } = await import('../strategies/list-strategies.ts');
      const { listText } = await import('../strategies/list-strategies.ts');
      const list = await listStrategies(paths.length === 0 ? ['strategies'] : paths);
      const width = Math.max(NARROWEST, Math.min(WIDEST, process.stdout.columns ?? WIDEST));
      print(options.json === true ? JSON.stringify(list) : listText(list, width));
      const [first] = list.failed;
      if (first !== undefined) process.exitCode = EXIT_CODES[ERROR_CODES[first.error.code]];
    });
}

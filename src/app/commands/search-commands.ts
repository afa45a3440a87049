import { type Command, InvalidArgumentError, Option } from 'commander';
import { TidegateError } from '../../model/errors.ts';
import type { ListedStudies } from '../search/list-studies.ts';
import type { WorkerFlags } from '../search/queue/run-worker.ts';
import type { SearchOptions } from '../search/run-search.ts';
import { writeStyled } from '../terminal/guarded-output.ts';
import { collect } from './collect.ts';

const QUEUE_URLS = 'redis://host:port, rediss:// (TLS) or postgres://';
const SECRET_FILE =
  'file of mode 600 with the secret that a search shares with its workers (default: TIDEGATE_QUEUE_SECRET, or the file that TIDEGATE_QUEUE_SECRET_FILE names)';

const WORKER_HELP = `
A worker runs code that comes through the queue, with your rights. It runs only what was signed with its secret, so everybody
who has the secret can run code here (docs/how-to/search-on-several-machines.md). Needs the optional packages bullmq and ioredis, or pg.

Example:
  $ TIDEGATE_QUEUE_SECRET=... npx tidegate worker rediss://queue.example:6379 --concurrency 8
`;

const SEARCH_HELP = `
A search runs the code of the config's strategies once for each point of its parameters. All its figures are in sample.

Examples:
  $ npx tidegate search configs/search-sma.yaml
  $ npx tidegate search configs/bracket-breakout.yaml --over channel --set search.method=random
  $ npx tidegate search configs/search-sma.yaml --set search.method=random --set search.trials=50
  $ npx tidegate search show studies/search-sma-1 --sort maxDrawdown
`;

/** Registers `search` and its commands that read a study. Their modules are loaded when a command runs. */
export function addSearchCommand(program: Command, print: (line: string) => void): void {
  const search = program
    .command('search')
    .description('Search for parameters: run a backtest for each point of the section `search` of a config.')
    .argument('[config]', 'config file (YAML)')
    .option('--set <path=value>', 'change a setting of the config (repeatable)', collect)
    .option('--over <names>', 'vary these parameters, as `fast,slow`, over all values that the schema of their strategy allows', listed)
    .option('--out <dir>', 'folder of the study (default: studies/<name>-<n>)')
    .option('--from <study>', 'with the method tpe: learn from the trials of an earlier study')
    .option('--workers <n>', 'threads that run trials (default: the processor cores)', positive)
    .option('--queue <url>', `run the trials at the workers of this queue: ${QUEUE_URLS}`)
    .option('--secret-file <file>', SECRET_FILE)
    .option('--resume', 'go on with the study in the folder')
    .option('--estimate', 'run one trial, and print how many trials there are, how long they take and how much memory they need')
    .option('--keep <n>', 'write whole runs of the best trials to <study>/runs', positive)
    .option('--hash', 'compute the hash of the event log of every trial, and not only of those that are kept')
    .option('--json', 'print the result as one JSON object on stdout')
    .option('--quiet', 'print no progress and no table')
    .addHelpText('after', SEARCH_HELP)
    .action(async (config: string | undefined, options: SearchOptions) => {
      if (config === undefined) throw new TidegateError('USAGE', 'search: expected a config, or list, show, export or apply');
      const { runSearch } = await import('../search/run-search.ts');
      process.exitCode = await runSearch(config, options);
    });
  search.enablePositionalOptions();
  addList(search, print);
  addShow(search, print);
  addExport(search, print);
  addApply(search, print);
}

function listed(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('Expected names of parameters, with commas between them.');
  return names;
}

/** Registers `worker`. */
export function addWorkerCommand(program: Command): void {
  program
    .command('worker')
    .description('Run trials of searches that other machines queue (`search --queue`), until Ctrl-C or SIGTERM.')
    .argument('<url>', `the queue: ${QUEUE_URLS}`)
    .option('--concurrency <n>', 'threads that run trials (default: the processor cores)', positive)
    .option(
      '--data-dir <dir>',
      'directory of the recordings, or s3://bucket/prefix (default: the nearest folder data with recordings, here or above)',
    )
    .option('--secret-file <file>', SECRET_FILE)
    .option('--json', 'print what happens as JSON objects, one a line')
    .option('--quiet', 'print only refusals and trouble')
    .addHelpText('after', WORKER_HELP)
    .action(async (url: string, { dataDir, ...flags }: Omit<WorkerFlags, 'dataDir'> & { readonly dataDir?: string }) => {
      const [{ runWorker }, { commandDataFolder }] = await Promise.all([
        import('../search/queue/run-worker.ts'),
        import('../config/reading/data-folder.ts'),
      ]);
      process.exitCode = await runWorker(url, { ...flags, dataDir: dataDir ?? commandDataFolder(process.cwd(), false).folder });
    });
}

function positive(text: string): number {
  const value = Number(text);
  if (!/^\d{1,6}$/.test(text) || value < 1) throw new InvalidArgumentError('Expected a whole number, 1 or more.');
  return value;
}

function addList(search: Command, print: (line: string) => void): void {
  search
    .command('list')
    .description('List the studies of a folder.')
    .argument('[folder]', 'folder of studies', 'studies')
    .option('--json', 'print the list as one JSON object')
    .action(async (folder: string, { json }: { readonly json?: boolean }) => {
      const { listStudies, listText } = await import('../search/list-studies.ts');
      const found: ListedStudies = listStudies(folder);
      if (json === true) print(JSON.stringify(found));
      else writeStyled(process.stdout, `${listText(found)}\n`);
    });
}

interface ShowFlags {
  readonly sort?: string;
  readonly reverse?: boolean;
  readonly top: number;
  readonly trial?: number;
  readonly json?: boolean;
}

function addShow(search: Command, print: (line: string) => void): void {
  search
    .command('show')
    .description('Show the trials of a study, the best first, or one trial with all its statistics. All figures are in sample.')
    .argument('<study>', 'folder of the study')
    .option('--sort <key>', 'sort by a statistic, a parameter, or trial (default: by rank)')
    .option('--reverse', 'reverse the order')
    .option('--top <n>', 'number of trials', positive, 20)
    .option('--trial <n>', 'show this trial', positive)
    .option('--json', 'print the trials as one JSON object')
    .action(async (folder: string, { json, trial, ...flags }: ShowFlags) => {
      const { showStudy } = await import('../search/list-studies.ts');
      const shown = showStudy(folder, { ...flags, trial });
      if (json === true) print(JSON.stringify(shown.json));
      else writeStyled(process.stdout, `${shown.text}\n`);
    });
}

function addExport(search: Command, print: (line: string) => void): void {
  search
    .command('export')
    .description('Write all trials of a study as a table: one row a trial, in the order of the trials.')
    .argument('<study>', 'folder of the study')
    .addOption(new Option('--format <format>', 'format of the table').choices(['csv', 'parquet']).default('csv'))
    .requiredOption('--out <file>', 'write this file, which must not exist')
    .option('--json', 'print {"trials": number of rows, "out": path} instead of a line')
    .action(
      async (
        folder: string,
        { format, out, json }: { readonly format: 'csv' | 'parquet'; readonly out: string; readonly json?: boolean },
      ) => {
        const [{ exportStudy }, { Study }] = await Promise.all([import('../search/export-study.ts'), import('../../search/study.ts')]);
        const study = Study.open(folder);
        try {
          const trials = await exportStudy(study, out, format);
          print(json === true ? JSON.stringify({ trials, out }) : `${trials} trials: ${out}`);
        } finally {
          study.close();
        }
      },
    );
}

function addApply(search: Command, print: (line: string) => void): void {
  search
    .command('apply')
    .description('Write the parameters of a trial into a copy of its config; comments stay. A backtest of the file is the trial.')
    .argument('<study>', 'folder of the study')
    .requiredOption('--trial <n>', 'number of the trial', positive)
    .option('--to <file>', 'write this file in the folder of the config (default: <config>-trial-<n>.yaml)')
    .option('--json', 'print {"config": path} instead of lines')
    .action(async (folder: string, { json, ...options }: { readonly trial: number; readonly to?: string; readonly json?: boolean }) => {
      const [{ applyTrial }, { Study }] = await Promise.all([import('../search/apply-trial.ts'), import('../../search/study.ts')]);
      const study = Study.open(folder);
      try {
        const file = await applyTrial(study, options);
        print(json === true ? JSON.stringify({ config: file }) : `Config: ${file}\nRun it: npx tidegate backtest ${file}`);
      } finally {
        study.close();
      }
    });
}

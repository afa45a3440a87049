import { type Command, Option } from 'commander';
import { WEEK_STARTS } from '../../model/bar-interval.ts';
import { MARKET_EVENT_KINDS } from '../../model/market-events.ts';
import { DOWNLOAD_KINDS } from '../data/ccxt.ts';
import type { DataDownloadOptions } from '../data/download.ts';
import type { DataExportOptions } from '../data/export.ts';
import type { DataImportOptions } from '../data/import.ts';
import type { DataInstrumentsOptions } from '../data/instruments.ts';
import type { DataCheckOptions } from '../data/list-check.ts';
import type { DataResampleOptions, DataSynthOptions } from '../data/resample-synth.ts';
import type { DataShowOptions } from '../data/show.ts';
import { collect } from './collect.ts';

/** The kind of a user's own data, which is no market data. */
const SIGNAL = 'signal';

/** Registers the `data` commands. They throw TidegateError if they fail. Their modules are loaded when a command runs. */
export function addDataCommands(program: Command, printed: (line: string) => void): void {
  const print = printsJson(program, printed);
  const data = program.command('data').description('Import, download, list, check, show, convert and generate recorded market data.');
  addImport(data, print);
  addDownloadCommand(data, print);
  readsDataDir(data.command('list'))
    .description('List the recordings and their series.')
    .action(async (options: { dataDir: string; searched?: readonly string[] }) => {
      const { dataList } = await import('../data/list-check.ts');
      await dataList(options, print);
    });
  readsDataDir(data.command('check'))
    .description('Check recordings (without a name: all) for gaps, disorder, damage, outliers and impossible values.')
    .argument('[names...]', 'names of recordings')
    .addOption(
      new Option('--fail-on <severity>', 'lowest severity that makes the command exit with 3')
        .choices(['warning', 'error'])
        .default('error'),
    )
    .addHelpText('after', CHECK_HELP)
    .action(async (names: string[], options: DataCheckOptions) => {
      const { dataCheck } = await import('../data/list-check.ts');
      await dataCheck(names, options, print);
    });
  addShow(data, print);
  addInstruments(data, print);
  addResample(data, print);
  addExport(data, print);
  addSynth(data, print);
  addCache(data, print);
}

function addCache(data: Command, print: (line: string) => void): void {
  const cache = data.command('cache').description('Show or clear the cache of columns that replays read.');
  readsDataDir(cache.command('show'))
    .description('List what is in the cache, its size and its limit (TIDEGATE_CACHE_LIMIT).')
    .action(async (options: { dataDir: string }) => {
      const { dataCacheShow } = await import('../data/list-check.ts');
      dataCacheShow(options, print);
    });
  readsDataDir(cache.command('clear'))
    .description('Remove everything from the cache that no process uses. It is made again when it is needed.')
    .action(async (options: { dataDir: string }) => {
      const { dataCacheClear } = await import('../data/list-check.ts');
      dataCacheClear(options, print);
    });
}

function addImport(data: Command, print: (line: string) => void): void {
  inDataDir(data.command('import'))
    .description('Import files (CSV or JSON, also compressed; Parquet; Arrow; NumPy) as one series of a recording, or one for each symbol.')
    .argument('<files...>', 'files, folders of files or patterns such as "bars/*.csv", in any order')
    .option('--name <name>', 'recording that receives the series (required, except for --dry-run)')
    .option('--symbol <symbol>', 'BASE-QUOTE for spot, BASE-QUOTE-PERP for futures (required, except with --split and for signals)')
    .addOption(
      new Option('--kind <kind>', 'kind of event in each row (required)').choices([...MARKET_EVENT_KINDS, SIGNAL]).makeOptionMandatory(),
    )
    .option('--interval <length>', 'length of a bar: 30s, 1m, 4h, 1d, 1w (default: found from the data)')
    .addOption(new Option('--time <edge>', "whether a bar's time is its open (default) or its close").choices(['open', 'close']))
    .option('--dry-run', 'print what would be read, and write nothing')
    .option('--format <name>', 'format of the files: binance-vision, tardis, metatrader, ... (default: found)')
    .option(
      '--columns <pairs>',
      "map Tidegate's column names to your headers: time=ts,close=px; for signals, the columns to import: up=prob,regime:text (repeatable)",
      collect,
    )
    .option('--only <symbol>', 'import only the rows of this symbol, spelled as in the files')
    .option('--symbol-is <words>', 'words of the files that mean --symbol, where they name another market: XBTUSD')
    .option('--unit <pairs>', 'units of quantities, base, quote, contracts or ticks: volume=quote (default: found)')
    .option('--split [pairs]', 'import each symbol as a series of its own; pairs name them: XBTUSD=BTC-USD-PERP,ETHUSD=ETH-USD-PERP')
    .option('--date-format <form>', 'form of the times: s, ms, us, ns, excel, or a pattern as "dd.MM.yyyy HH:mm" (default: found)')
    .option('--zone <zone>', 'zone of times without an offset: Europe/London, +02:00 (default: that of the format, else UTC)')
    .addOption(new Option('--decimal-mark <mark>', 'sign that separates decimals (default: found)').choices(['point', 'comma']))
    .option('--price-factor <n>', 'multiply all prices by this')
    .option('--quantity-factor <n>', 'multiply all quantities by this: the base asset in one contract')
    .option('--quote-quantity <n>', 'quantity of both sides of quotes that have none')
    .option('--decimals <n>', 'round all prices to this many decimals (default: only the noise of binary fractions is removed)')
    .option('--quarantine <file>', 'write rows that cannot be imported to this CSV file, and import the others')
    .option('--quarantine-max <share>', 'largest share of the rows that may be quarantined (default: 1%)')
    .option('--append', 'add the rows after the last one of an existing series; rows that the series has must be equal')
    .option('--replace', 'replace an existing series')
    .addHelpText('after', IMPORT_HELP)
    .action(
      async (files: string[], options: Omit<DataImportOptions, 'kind'> & { readonly kind: DataImportOptions['kind'] | typeof SIGNAL }) => {
        if (options.kind === SIGNAL) {
          const { importSignals } = await import('../data/signals.ts');
          await importSignals(files, options, print);
          return;
        }
        const { dataImport } = await import('../data/import.ts');
        await dataImport(files, { ...options, kind: options.kind }, print);
      },
    );
}

/** Registers `data download`. */
function addDownloadCommand(data: Command, print: (line: string) => void): void {
  inDataDir(data.command('download'))
    .description("Download an exchange's history as one series of a recording.")
    .requiredOption('--exchange <id>', 'name of the exchange in ccxt: binance, kraken, okx')
    .requiredOption('--symbol <symbol>', 'BTC/USDT or BTC-USDT; perpetuals: BTC/USDT:USDT or BTC-USDT-PERP')
    .addOption(new Option('--kind <kind>', 'kind of events to download').choices(DOWNLOAD_KINDS).default('bar'))
    .option('--interval <length>', 'length of a bar (default: 1m)')
    .requiredOption('--from <time>', 'start, ISO 8601 in UTC or epoch ms')
    .option('--to <time>', 'end, exclusive (default: now)')
    .option('--name <name>', "recording that receives the series (default: the exchange's name)")
    .option('--url <root>', "send requests to this address instead of the exchange's: a proxy, a test net")
    .option('--replace', 'replace an existing series')
    .option('--restart', 'delete the rows of an unfinished download and start again')
    .option('--quiet', 'print no progress')
    .addHelpText('after', DOWNLOAD_HELP)
    .action(async (options: DataDownloadOptions) => {
      const { dataDownload } = await import('../data/download.ts');
      await dataDownload(options, print);
    });
}

const IMPORT_HELP = `
Start with --dry-run: it prints the columns, times, first and last rows as they would be read.
Times are epoch s, ms, us or ns (recognised by their size), ISO 8601, or dates such as 13/02/2025. Times without an
offset are UTC unless --zone names another zone. The files of many exchanges, vendors and platforms are recognised (--format).
Several files become one series. A series has one symbol: if the files have several, --only selects one. If one row is invalid, nothing is imported; with
--quarantine only the valid rows are. From a file of mark price bars, each open becomes a mark at the time of the open.

Examples:
  $ npx tidegate data import mine.csv --symbol BTC-USDT --kind bar --dry-run
  $ npx tidegate data import BTCUSDT-1m-2025-*.csv.gz --symbol BTC-USDT --kind bar --name may
  $ npx tidegate data import trades.csv --symbol BTC-USDT --kind trade --columns time=local_ns --name may
  $ npx tidegate data import BTCUSDT-1m-2025-06.csv.gz --symbol BTC-USDT --kind bar --name may --append
  $ npx tidegate data import BTCUSDT-mark-1h.csv.gz --symbol BTC-USDT-PERP --kind mark --name may
  $ npx tidegate data import BTCUSDT-funding.csv.gz --symbol BTC-USDT-PERP --kind funding --name may
  $ npx tidegate data import preds.parquet --kind signal --name preds
`;

const CHECK_HELP = `
Errors: damage (checksums, SHA-256), range, disorder, duplicate, overlapping or impossible bars, crossed quotes and books,
lost updates of books, prices that are not positive, two funding rates at one time.
Warnings: gaps, bars off their grid, locked quotes and books, books without a snapshot, repeated rows, outliers,
volumes of zero, prices on mixed steps, funding rates beyond 5 %.
Exits with 3 if there is an error; with --fail-on warning also if there is a warning.
`;

const SHOW_HELP = `
Shows all series that match the options. The page has at most some 20,000 points: of more rows it keeps the lowest and the highest.

Examples:
  $ npx tidegate data show sample --symbol BTC-USDT --kind bar
  $ npx tidegate data show sample --kind funding --from 2025-01-10 --to 2025-01-20 --rows 3 --out funding.html
`;

const RESAMPLE_HELP = `
Bars start at multiples of their length since the epoch and contain the data of [start, end). An interval
without data gives no bar. Incomplete bars at the two ends are left out.

Examples:
  $ npx tidegate data resample sample --symbol BTC-USDT --kind bar --to 1h
  $ npx tidegate data resample ticks --symbol BTC-USDT --kind trade --to 1m --name bars
`;

function addShow(data: Command, print: (line: string) => void): void {
  readsDataDir(data.command('show'))
    .description('Print the first and last rows and statistics of each column, and draw a chart (HTML).')
    .argument('<recording>', 'name of the recording')
    .option('--symbol <symbol>', 'only series of this symbol')
    .addOption(new Option('--kind <kind>', 'only series of this kind').choices([...MARKET_EVENT_KINDS, SIGNAL]))
    .option('--of <length>', 'only bars of this length')
    .option('--from <time>', 'only rows from this time on, ISO 8601')
    .option('--to <time>', 'only rows before this time, ISO 8601')
    .option('--rows <number>', 'number of first rows and of last rows to print', '5')
    .option('--out <file>', 'write the page to this file (default: runs/<recording>.data.html)')
    .option('--replace', 'replace an existing file')
    .addHelpText('after', SHOW_HELP)
    .action(async (recording: string, options: DataShowOptions) => {
      const { dataShow } = await import('../data/show.ts');
      await dataShow(recording, options, print);
    });
}

function addInstruments(data: Command, print: (line: string) => void): void {
  readsDataDir(data.command('instruments'))
    .description("List the dated terms (tick, step, limits, fees) of a recording's instruments, and add the present ones from an exchange.")
    .argument('<recording>', 'name of the recording')
    .option('--from-exchange <config or url>', 'request the terms from the exchange of this config (live.spotBaseUrl) or at this base URL')
    .option('--from-ccxt <exchange>', 'request the terms of this exchange through ccxt (npm install ccxt): binance, kraken')
    .option('--url <root>', "with --from-ccxt: send requests to this address instead of the exchange's")
    .option('--symbol <symbol>', 'request the terms of this instrument (repeatable; default: those of the recording)', collect)
    .option('--from <time>', 'time from which the requested terms are valid, ISO 8601 (default: now)')
    .action(async (recording: string, options: DataInstrumentsOptions) => {
      const { dataInstruments } = await import('../data/instruments.ts');
      await dataInstruments(recording, options, Date.now, print);
    });
}

function addResample(data: Command, print: (line: string) => void): void {
  inDataDir(data.command('resample'), false)
    .description('Build bars from shorter bars, trades or tickers, exactly.')
    .argument('<recording>', 'name of the recording')
    .requiredOption('--symbol <symbol>', 'BASE-QUOTE for spot, BASE-QUOTE-PERP for futures')
    .addOption(new Option('--kind <kind>', 'kind of the source series, if there are several').choices(['bar', 'trade', 'ticker']))
    .option('--of <length>', 'length of the source bars, if there are several')
    .requiredOption('--to <length>', 'length of the new bars: 5m, 1h, 1d, 1w')
    .addOption(new Option('--week-start <day>', 'day on which bars of weeks begin').choices(WEEK_STARTS).default('thursday'))
    .option('--name <name>', 'recording that receives the bars (default: the same)')
    .option('--replace', 'replace an existing series')
    .addHelpText('after', RESAMPLE_HELP)
    .action(async (recording: string, options: DataResampleOptions) => {
      const { dataResample } = await import('../data/resample-synth.ts');
      await dataResample(recording, options, print);
    });
}

function addExport(data: Command, print: (line: string) => void): void {
  readsDataDir(data.command('export'))
    .description('Write one series to a CSV or Parquet file that `data import` can read.')
    .argument('<recording>', 'name of the recording')
    .requiredOption('--out <file>', 'write this file: Parquet if it ends in .parquet, else CSV; compressed if it ends in .gz')
    .option('--symbol <symbol>', 'symbol of the series, if there are several')
    .addOption(new Option('--kind <kind>', 'kind of the series, if there are several').choices(MARKET_EVENT_KINDS))
    .option('--of <length>', 'length of the bars, if there are several')
    .option('--replace', 'replace an existing file')
    .action(async (recording: string, options: DataExportOptions) => {
      const { dataExport } = await import('../data/export.ts');
      await dataExport(recording, options, print);
    });
}

function addSynth(data: Command, print: (line: string) => void): void {
  inDataDir(data.command('synth'))
    .description('Generate a synthetic recording from a seed: the same options make the same bytes.')
    .requiredOption('--name <name>', 'name of the recording')
    .option('--seed <number>', 'seed, a whole number', '1')
    .option('--from <time>', 'start, ISO 8601, a whole minute in UTC', '2025-01-01')
    .option(
      '--instrument <symbol:tick:price>',
      'symbol, tick and first price; -PERP follows its spot (repeatable; default: BTC-USDT:0.01:94000)',
      collect,
    )
    .option('--interval <length>', 'length of a bar', '1m')
    .option('--bars <duration>', 'length of time with bars, e.g. 28d (the default if no kind is given)')
    .option('--tickers <duration>', 'length of time with tickers, 1 to 3 s apart')
    .option('--quotes <duration>', 'length of time with quotes')
    .option('--trades <duration>', 'length of time with trades')
    .option('--depth <duration>', 'length of time with order books of ten levels a side; the trades take from them')
    .option('--marks <duration>', 'length of time with mark prices of -PERP symbols, one a minute')
    .option('--funding <duration>', 'length of time with funding rates of -PERP symbols, every 8 hours')
    .option('--replace', 'replace existing series')
    .action(async (options: Omit<DataSynthOptions, 'instrument'> & { instrument?: string[] }) => {
      const { dataSynth } = await import('../data/resample-synth.ts');
      await dataSynth({ ...options, instrument: options.instrument ?? ['BTC-USDT:0.01:94000'] }, print);
    });
}

/** The lines of a command with `--json`, which are printed as one object when it is done. */
const MESSAGES = new WeakMap<Command, string[]>();

/** Prints lines at once, or keeps them for the object of `--json`. */
function printsJson(program: Command, print: (line: string) => void): (line: string) => void {
  return (line) => {
    const messages = MESSAGES.get(program);
    if (messages === undefined) print(line);
    else messages.push(line);
  };
}

/** Runs a command of `data`. With `--json` it prints one object: its messages, and the recordings that it names. */
async function runData(command: Command, act: () => Promise<unknown>): Promise<void> {
  const { json, dataDir, name } = command.opts<{ json?: boolean; dataDir: string; name?: string }>();
  if (json !== true) {
    await act();
    return;
  }
  const root = rootOf(command);
  const messages: string[] = [];
  MESSAGES.set(root, messages);
  try {
    await act();
  } finally {
    const { recordingsJson } = await import('../data/list-check.ts');
    // The arguments of an import are files.
    const given = command.name() === 'import' ? [] : command.args;
    const names = [...given, ...(name === undefined ? [] : [name])];
    process.stdout.write(`${JSON.stringify({ messages, recordings: await recordingsJson(dataDir, names) })}\n`);
    MESSAGES.delete(root);
  }
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

/** Registers `--data-dir` for a command that writes recordings. @param makes whether it can make the first one. */
function inDataDir(command: Command, makes = true): Command {
  return withDataFolder(command.option('--data-dir <dir>', `directory of the recordings (${FOUND})`), makes);
}

function readsDataDir(command: Command): Command {
  return withDataFolder(command.option('--data-dir <dir>', `directory of the recordings, or s3://bucket/prefix (${FOUND})`), false);
}

const FOUND = 'default: the nearest folder data with recordings, here or above';

/** Without `--data-dir`, a command takes the folder that a config here would find, and errors name the folders that were searched. */
function withDataFolder(command: Command, writes: boolean): Command {
  let searched: readonly string[] = [];
  command.option('--json', 'print one JSON object: the messages, and the recordings that the command names');
  command.hook('preAction', async () => {
    if (command.getOptionValue('dataDir') !== undefined) return;
    const { commandDataFolder } = await import('../config/reading/data-folder.ts');
    const found = commandDataFolder(process.cwd(), writes);
    searched = found.searched;
    command.setOptionValueWithSource('dataDir', found.folder, 'default');
    command.setOptionValueWithSource('searched', found.searched, 'default');
  });
  const register = command.action.bind(command);
  command.action = (run) =>
    register(async (...args) => {
      const { namingFolders } = await import('../config/reading/data-folder.ts');
      await runData(command, async () => await run.apply(command, args)).catch(namingFolders(searched, '--data-dir'));
    });
  return command;
}

const DOWNLOAD_HELP = `
Requires the optional package ccxt (npm install ccxt), and no keys. It keeps the exchange's rate limit and retries after
temporary errors. If it ends early, for example by Ctrl-C, the same command continues it. The series exists once the
download is complete.

Examples:
  $ npx tidegate data download --exchange binance --symbol BTC/USDT --interval 1m --from 2025-01-01
  $ npx tidegate data download --exchange kraken --symbol BTC/USD --kind trade --from 2025-01-01 --to 2025-01-02 --name kraken
  $ npx tidegate data download --exchange bybit --symbol BTC/USDT:USDT --kind funding --from 2024-01-01
`;

import { type Command, Option } from 'commander';
import { MARKET_EVENT_KINDS } from '../../model/market-events.ts';
import { DOWNLOAD_KINDS } from '../data/ccxt.ts';
import { type DataDownloadOptions, dataDownload } from '../data/download.ts';
import { type DataExportOptions, type DataImportOptions, dataExport, dataImport } from '../data/import-export.ts';
import type { DataInstrumentsOptions } from '../data/instruments.ts';
import { type DataCheckOptions, dataCheck, dataList } from '../data/list-check.ts';
import { type DataResampleOptions, type DataSynthOptions, dataResample, dataSynth } from '../data/resample-synth.ts';
import type { DataShowOptions } from '../data/show.ts';
import { collect } from './collect.ts';

/** Registers the `data` commands. Failures are thrown as TidegateError. */
export function addDataCommands(program: Command, print: (line: string) => void): void {
  const data = program.command('data').description('bring in, list, check, show, convert and make recorded market data');
  addImport(data, print);
  addDownloadCommand(data, print);
  readsDataDir(data.command('list'))
    .description('list the recordings and their series')
    .action((options: { dataDir: string }) => dataList(options, print));
  readsDataDir(data.command('check'))
    .description('check recordings (all when none is named) for gaps, disorder, damage, outliers and impossible values')
    .argument('[names...]', 'names of recordings')
    .addOption(
      new Option('--fail-on <severity>', 'the mildest finding that fails the check').choices(['warning', 'error']).default('error'),
    )
    .addHelpText('after', CHECK_HELP)
    .action((names: string[], options: DataCheckOptions) => dataCheck(names, options, print));
  addShow(data, print);
  addInstruments(data, print);
  addResample(data, print);
  addExport(data, print);
  addSynth(data, print);
}

function addImport(data: Command, print: (line: string) => void): void {
  inDataDir(data.command('import'))
    .description('import files of rows (CSV, JSON lines, packed or not, Parquet, Arrow) as one series of a recording')
    .argument('<files...>', 'files in any order')
    .requiredOption('--name <name>', 'recording to put the series in')
    .requiredOption('--symbol <symbol>', 'BASE-QUOTE for spot, BASE-QUOTE-PERP for futures')
    .addOption(new Option('--kind <kind>', 'what a row is').choices(MARKET_EVENT_KINDS).makeOptionMandatory())
    .option('--interval <length>', 'length of a bar: 30s, 1m, 4h, 1d, 1w (default: told from the data)')
    .addOption(new Option('--time <edge>', "what a bar's time is: its open (default) or its close").choices(['open', 'close']))
    .option('--columns <pairs>', 'our names to your headers: time=ts,close=px (repeatable)', collect)
    .option('--only <symbol>', 'of files with the rows of several symbols: those of this one, as they write it')
    .option('--quarantine <file>', 'list rows that cannot be imported there, as CSV, and import the rest')
    .option('--replace', 'replace the series if it exists')
    .addHelpText('after', IMPORT_HELP)
    .action((files: string[], options: DataImportOptions) => dataImport(files, options, print));
}

/** Registers `data download`. */
function addDownloadCommand(data: Command, print: (line: string) => void): void {
  data
    .command('download')
    .description("download an exchange's history as one series of a recording")
    .requiredOption('--exchange <id>', 'as ccxt names it: binance, kraken, okx')
    .requiredOption('--symbol <symbol>', 'BTC/USDT or BTC-USDT; perpetuals: BTC/USDT:USDT or BTC-USDT-PERP')
    .addOption(new Option('--kind <kind>', 'what is downloaded').choices(DOWNLOAD_KINDS).default('bar'))
    .option('--interval <length>', 'length of a bar (default: 1m)')
    .requiredOption('--from <time>', 'start, ISO 8601 in UTC or epoch ms')
    .option('--to <time>', 'end, exclusive (default: now)')
    .option('--name <name>', "recording to put the series in (default: the exchange's name)")
    .option('--url <root>', "talk to this address in place of the exchange's: a proxy, a test net")
    .option('--replace', 'replace the series if it exists')
    .option('--restart', 'drop what an unfinished download left')
    .option('--quiet', 'no progress')
    .option('--data-dir <dir>', 'directory of the recordings', 'data')
    .addHelpText('after', DOWNLOAD_HELP)
    .action((options: DataDownloadOptions) => dataDownload(options, print));
}

const IMPORT_HELP = `
Times may be epoch s, ms, us or ns (told by their size) or ISO 8601; without an offset they are UTC.
Common headers are recognised; a headerless Binance kline file is too. Several files become one series.
Rows of one symbol alone become a series: --only chooses it where a file has several. A file is imported whole or not at all, unless bad rows go to --quarantine. Of a file of mark price bars each open is taken, at the open's time.

Examples:
  $ npx tidegate data import BTCUSDT-1m-2025-*.csv.gz --symbol BTC-USDT --kind bar --name may
  $ npx tidegate data import trades.csv --symbol BTC-USDT --kind trade --columns time=local_ns --name may
  $ npx tidegate data import BTCUSDT-mark-1h.csv.gz --symbol BTC-USDT-PERP --kind mark --name may
  $ npx tidegate data import BTCUSDT-funding.csv.gz --symbol BTC-USDT-PERP --kind funding --name may
`;

const CHECK_HELP = `
Errors: damage (checksums, SHA-256), range, disorder, duplicate or overlapping bars, impossible bars,
crossed quotes and books, lost updates of books, prices that are not positive, two funding rates of one time. Warnings: gaps, bars off their grid,
locked quotes and books, books without a snapshot, repeated rows, outliers, volumes of zero, prices on mixed steps, funding rates beyond 5 %.
Exits with 3 when there is an error, or with --fail-on warning when there is anything.
`;

const SHOW_HELP = `
All series that are meant are shown, at most some 20,000 points on a page: of more rows the lowest and highest stay.

Examples:
  $ npx tidegate data show sample --symbol BTC-USDT --kind bar
  $ npx tidegate data show sample --kind funding --from 2025-01-10 --to 2025-01-20 --rows 3 --out funding.html
`;

const RESAMPLE_HELP = `
Bars lie on multiples of their length since the epoch and are made of what lies in [start, end). An interval
without data gives no bar; bars at the edges that would not be whole are left out.

Examples:
  $ npx tidegate data resample sample --symbol BTC-USDT --kind bar --to 1h
  $ npx tidegate data resample ticks --symbol BTC-USDT --kind trade --to 1m --name bars
`;

function addShow(data: Command, print: (line: string) => void): void {
  readsDataDir(data.command('show'))
    .description('print first and last rows and statistics by column, and draw a picture (HTML)')
    .argument('<recording>', 'name of the recording')
    .option('--symbol <symbol>', 'series of this symbol alone')
    .addOption(new Option('--kind <kind>', 'series of this kind alone').choices(MARKET_EVENT_KINDS))
    .option('--of <length>', 'bars of this length alone')
    .option('--from <time>', 'rows from this time on, ISO 8601')
    .option('--to <time>', 'rows before this time, ISO 8601')
    .option('--rows <number>', 'so many of the first rows, and as many of the last', '5')
    .option('--out <file>', 'the page (default: runs/<recording>.data.html)')
    .option('--replace', 'replace the file if it exists')
    .addHelpText('after', SHOW_HELP)
    .action(async (recording: string, options: DataShowOptions) => {
      // Only now: what makes pages is of no use to the other commands, and takes memory.
      const { dataShow } = await import('../data/show.ts');
      await dataShow(recording, options, print);
    });
}

function addInstruments(data: Command, print: (line: string) => void): void {
  readsDataDir(data.command('instruments'))
    .description("list the terms of a recording's instruments by their dates, and write those of now from the exchange")
    .argument('<recording>', 'name of the recording')
    .option('--from-exchange <config or url>', 'ask the exchange of a config (live.spotBaseUrl) or of this base URL')
    .option('--from-ccxt <exchange>', 'ask ccxt (npm install ccxt) for what it knows of this exchange: binance, kraken')
    .option('--url <root>', "with --from-ccxt: talk to this address in place of the exchange's")
    .option('--symbol <symbol>', 'ask for this instrument (repeatable; default: those of the recording)', collect)
    .option('--from <time>', 'from when on the terms asked for count, ISO 8601 (default: now)')
    .action(async (recording: string, options: DataInstrumentsOptions) => {
      // Only now: the wire is of no use to the other commands, and takes memory.
      const { dataInstruments } = await import('../data/instruments.ts');
      await dataInstruments(recording, options, Date.now, print);
    });
}

function addResample(data: Command, print: (line: string) => void): void {
  inDataDir(data.command('resample'))
    .description('make longer bars from shorter ones, trades or tickers, exactly')
    .argument('<recording>', 'name of the recording')
    .requiredOption('--symbol <symbol>', 'BASE-QUOTE for spot, BASE-QUOTE-PERP for futures')
    .addOption(new Option('--kind <kind>', 'what they are made from, where there are several').choices(['bar', 'trade', 'ticker']))
    .option('--of <length>', 'length of the shorter bars, where there are several')
    .requiredOption('--to <length>', 'length of the bars: 5m, 1h, 1d')
    .option('--name <name>', 'recording to put them in (default: the same)')
    .option('--replace', 'replace the series if it exists')
    .addHelpText('after', RESAMPLE_HELP)
    .action((recording: string, options: DataResampleOptions) => dataResample(recording, options, print));
}

function addExport(data: Command, print: (line: string) => void): void {
  readsDataDir(data.command('export'))
    .description('write one series as a CSV or Parquet file that an import reads back')
    .argument('<recording>', 'name of the recording')
    .requiredOption('--out <file>', 'the file: Parquet where it ends in .parquet, else CSV; packed where that ends in .gz')
    .option('--symbol <symbol>', 'of the series, where there are several')
    .addOption(new Option('--kind <kind>', 'of the series, where there are several').choices(MARKET_EVENT_KINDS))
    .option('--of <length>', 'length of the bars, where there are several')
    .option('--replace', 'replace the file if it exists')
    .action((recording: string, options: DataExportOptions) => dataExport(recording, options, print));
}

function addSynth(data: Command, print: (line: string) => void): void {
  inDataDir(data.command('synth'))
    .description('make a synthetic recording from a seed: the same options make the same bytes')
    .requiredOption('--name <name>', 'recording to make')
    .option('--seed <number>', 'whole number', '1')
    .option('--from <time>', 'start, ISO 8601, a whole minute in UTC', '2025-01-01')
    .option('--instrument <symbol:tick:price>', 'repeatable; -PERP follows its spot (default: BTC-USDT:0.01:94000)', collect)
    .option('--interval <length>', 'length of a bar', '1m')
    .option('--bars <duration>', 'so much time of bars, e.g. 28d (the default when no kind is asked for)')
    .option('--tickers <duration>', 'so much time of tickers, 1 to 3 s apart')
    .option('--quotes <duration>', 'so much time of quotes')
    .option('--trades <duration>', 'so much time of trades')
    .option('--depth <duration>', 'so much time of order books, ten levels a side, which the trades take from')
    .option('--marks <duration>', 'so much time of mark prices of -PERP symbols, one a minute')
    .option('--funding <duration>', 'so much time of funding rates of -PERP symbols, every 8 hours')
    .option('--replace', 'replace series that exist')
    .action((options: Omit<DataSynthOptions, 'instrument'> & { instrument?: string[] }) =>
      dataSynth({ ...options, instrument: options.instrument ?? ['BTC-USDT:0.01:94000'] }, print),
    );
}

function inDataDir(command: Command): Command {
  return command.option('--data-dir <dir>', 'directory of the recordings', 'data');
}

function readsDataDir(command: Command): Command {
  return command.option('--data-dir <dir>', 'directory of the recordings, or s3://bucket/prefix', 'data');
}

const DOWNLOAD_HELP = `
Needs ccxt, which is optional: npm install ccxt. Needs no keys. The exchange's rate limit is kept, and trouble that may
pass is waited for. What came is kept when the download ends early, by Ctrl-C or otherwise: the same command goes on
with it. The series is there when all has come.

Examples:
  $ npx tidegate data download --exchange binance --symbol BTC/USDT --interval 1m --from 2025-01-01
  $ npx tidegate data download --exchange kraken --symbol BTC/USD --kind trade --from 2025-01-01 --to 2025-01-02 --name kraken
  $ npx tidegate data download --exchange bybit --symbol BTC/USDT:USDT --kind funding --from 2024-01-01
`;

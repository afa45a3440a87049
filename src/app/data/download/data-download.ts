import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { TidegateError } from '../../../model/errors.ts';
import { intervalText, isoTime } from '../../../model/time.ts';
import { listRecordings } from '../../../recording/catalogue/open-recording.ts';
import { type SeriesId, seriesFolder } from '../../../recording/catalogue/series-place.ts';
import { assertRecordingName, seriesFileName, seriesTitle } from '../../../recording/columns/series-meta.ts';
import { requireLocal } from '../../../recording/remote/storage-url.ts';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import { dataImport } from '../data-import.ts';
import { intervalOption, timeOption } from '../text-layout.ts';
import { download } from './download.ts';
import { removeDownload } from './download-file.ts';
import { DOWNLOAD_KINDS, type DownloadKind } from './download-request.ts';
import { marketNames } from './market-terms.ts';

export interface DataDownloadOptions {
  readonly dataDir: string;
  /** The recording; by default the exchange's name. */
  readonly name?: string | undefined;
  readonly exchange: string;
  readonly symbol: string;
  readonly kind: DownloadKind;
  readonly interval?: string | undefined;
  readonly from: string;
  readonly to?: string | undefined;
  readonly url?: string | undefined;
  readonly replace?: boolean | undefined;
  readonly restart?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

/**
 * Downloads a stretch of an exchange's history and imports it when it is whole. Ctrl-C ends it with 130 and keeps what came, but
 * imports nothing: a series that ends where somebody lost patience looks like one that was asked for.
 * @throws TidegateError USAGE; DATA_EXISTS before anything is asked; DATA_NOT_FOUND where the exchange has nothing; EXCHANGE_*.
 */
export async function dataDownload(
  options: DataDownloadOptions,
  print: (line: string) => void,
  wait: (ms: number, signal: AbortSignal) => Promise<unknown> = (ms, signal) => sleep(ms, undefined, { signal }),
): Promise<void> {
  const { dataDir, exchange, kind, replace, url } = options;
  requireLocal(dataDir, 'what is downloaded');
  const name = options.name ?? exchange;
  assertRecordingName(name);
  const { market, symbol } = marketNames(options.symbol);
  if (kind !== 'bar' && options.interval !== undefined) throw new TidegateError('USAGE', `--interval is for bars, not for ${kind}`);
  const intervalMs = kind === 'bar' ? intervalOption('--interval', options.interval ?? '1m') : undefined;
  const from = Math.ceil(timeOption('--from', options.from));
  const to = options.to === undefined ? undefined : Math.ceil(timeOption('--to', options.to));
  const now = Date.now();
  if (from >= (to ?? now)) throw new TidegateError('USAGE', `--from ${isoTime(from)}; expected a time before ${isoTime(to ?? now)}`);
  const series = { symbol, kind, intervalMs };
  if (!replace) await refuseExisting(dataDir, name, series);

  const folder = resolve(dataDir, '.downloads', name);
  const fileName = `${exchange}.${seriesFileName(series)}`;
  if (options.restart) removeDownload(folder, join(folder, `${fileName}.csv`));
  const interval = intervalMs === undefined ? undefined : intervalText(intervalMs);
  const interrupt = new AbortController();
  const abort = () => interrupt.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, abort);
  try {
    const request = { exchange, url, market, kind, interval, from, to };
    const file = await download({ request, folder, fileName, now, signal: interrupt.signal, wait, print, quiet: options.quiet ?? false });
    if (file === undefined) {
      print('stopped: what came is kept, and the same command goes on with it');
      process.exitCode = EXIT_CODES.interrupted;
      return;
    }
    if (file.empty) {
      file.remove();
      throw new TidegateError('DATA_NOT_FOUND', `${exchange} has no ${seriesTitle(series)} from ${isoTime(from)} to ${isoTime(to ?? now)}`);
    }
    await dataImport([file.path], { dataDir, name, symbol, kind, interval, replace }, print);
    file.remove();
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, abort);
  }
}

/** Says at once what the import would say hours later. */
async function refuseExisting(dataDir: string, name: string, series: SeriesId): Promise<void> {
  const recording = (await listRecordings(dataDir)).find((candidate) => candidate.name === name);
  const there = recording?.series.some((place) => seriesFolder(place) === seriesFolder(series));
  if (!there) return;
  throw new TidegateError('DATA_EXISTS', `${name} has ${seriesTitle(series)} already; --replace replaces it, another --name keeps both`);
}

const HELP = `
Needs ccxt, which is optional: npm install ccxt. Needs no keys. The exchange's rate limit is kept, and trouble that may
pass is waited for. What came is kept when the download ends early, by Ctrl-C or otherwise: the same command goes on
with it. The series is there when all has come.

Examples:
  $ npx tidegate data download --exchange binance --symbol BTC/USDT --interval 1m --from 2025-01-01
  $ npx tidegate data download --exchange kraken --symbol BTC/USD --kind trade --from 2025-01-01 --to 2025-01-02 --name kraken
  $ npx tidegate data download --exchange bybit --symbol BTC/USDT:USDT --kind funding --from 2024-01-01
`;

/** Registers `data download`. */
export function addDownloadCommand(data: Command, print: (line: string) => void): void {
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
    .addHelpText('after', HELP)
    .action((options: DataDownloadOptions) => dataDownload(options, print));
}

import { type Command, Option } from 'commander';
import { type DataDownloadOptions, dataDownload } from './data-download.ts';
import { DOWNLOAD_KINDS } from './download-request.ts';

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

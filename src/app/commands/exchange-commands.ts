import type { Command } from 'commander';
import type { RunningExchange } from '../../local-exchange/start-exchange.ts';
import type { Log } from '../../ports/log.ts';
import { columns } from '../base/text.ts';

interface Options {
  readonly json?: boolean;
  readonly set?: readonly string[];
  readonly state?: string;
}

const HELP = `
Example:
  $ npx tidegate exchange configs/exchange.yaml --set ports.spot=8601 --state exchange.state
`;

/** `tidegate exchange <config>`: a local exchange until Ctrl-C. */
export function addExchangeCommand(program: Command, print: (line: string) => void): void {
  program
    .command('exchange')
    .description("run a local exchange that serves the exchange's HTTP API")
    .argument('<config>', 'config file (YAML)')
    .option('--json', 'print URLs, keys and pid as one JSON object on the first line')
    .option('--set <path=value>', 'override a setting, e.g. ports.spot=8601 (repeatable)', collect)
    .option('--state <file>', 'keep what happens in this file, and go on from it after a restart')
    .addHelpText('after', HELP)
    .action(async (path: string, options: Options) => {
      // Only now: the server is of no use to a backtest, and takes memory.
      const { loadExchangeConfig } = await import('../local-exchange/run-exchange.ts');
      const { runExchange } = await import('../local-exchange/run-exchange.ts');
      const config = loadExchangeConfig(path, options.set ?? [], process.env);
      // Whoever has read the URLs may end it at once.
      const end = interrupted();
      const running = await runExchange(config, options.state, STDERR);
      print(options.json === true ? JSON.stringify(listing(running)) : text(running));
      await end;
      await running.close();
    });
}

function listing({ spot, futures, controlUrl, accounts }: RunningExchange) {
  return { spot, futures, ...(controlUrl === undefined ? {} : { control: controlUrl }), accounts, pid: process.pid };
}

function text({ spot, futures, controlUrl, accounts }: RunningExchange): string {
  const hosts = [['spot', spot], ['futures', futures], ...(controlUrl === undefined ? [] : [['control', controlUrl]])];
  const keys = accounts.map(({ name, uid, key, secret, passphrase }) => [name, uid, key, secret, passphrase]);
  return `${columns(hosts)}\n\n${columns([['account', 'uid', 'key', 'secret', 'passphrase'], ...keys])}\n\nCtrl-C ends it.`;
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

/** Warnings go to stderr: stdout is for what was asked. */
const STDERR: Log = {
  debug: () => {},
  info: () => {},
  warn: (message, fields) => process.stderr.write(`warning: ${message}${fields === undefined ? '' : ` ${JSON.stringify(fields)}`}\n`),
};

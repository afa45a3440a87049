import { Command, CommanderError } from 'commander';
import { TidegateError } from '../model/errors.ts';
import { EXIT_CODES, exitCodeOf } from './base/exit-codes.ts';
import { lackOfFiles } from './base/open-files.ts';
import { ownVersion } from './base/own-files.ts';
import { addBacktestCommands, addStrategiesCommand } from './commands/backtest-commands.ts';
import { addBotCommands } from './commands/bot-commands.ts';
import { addDataCommands } from './commands/data-commands.ts';
import { addApiCommand, addExchangeCommand } from './commands/exchange-commands.ts';
import { hideBorrowed } from './config/reading/secrets.ts';

/** Runs the command line. @returns when the command is done; the exit code is set on the process. */
export async function main(argv: readonly string[]): Promise<void> {
  outliveReaders();
  nameLackOfFiles();
  const program = new Command('tidegate')
    .description('automated trading: one strategy class in backtests, on paper and live')
    .version(ownVersion())
    .showHelpAfterError('(add --help for what is possible)')
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'error USAGE: ')) });
  const print = (line: string) => process.stdout.write(`${line}\n`);
  addBacktestCommands(program, print);
  addDataCommands(program, print);
  addStrategiesCommand(program, print);
  addApiCommand(program, print);
  addExchangeCommand(program, print);
  addBotCommands(program, print);
  for (const command of program.commands) {
    command.exitOverride();
    for (const inner of command.commands) inner.exitOverride();
  }
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = complain(error, argv.includes('--json'));
  }
}

/** Who reads may leave, as `head` does: a command goes on without. What cannot be written otherwise ends it, unless somebody else listens. */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && stream.listenerCount('error') === 1) throw error;
    });
  }
}

/** What nobody catches ends the process with Node's own message, unless it is a lack of files. */
function nameLackOfFiles(): void {
  process.on('uncaughtExceptionMonitor', (error) => {
    const isLast = process.listenerCount('uncaughtException') === 0;
    if (isLast && lackOfFiles(error) !== undefined) process.exit(complain(error, false));
  });
}

/** @param json one object is expected on stdout. */
function complain(thrown: unknown, json: boolean): number {
  // Commander has printed its own message; help and version are no errors.
  const error = thrown instanceof CommanderError ? thrown : (lackOfFiles(thrown) ?? thrown);
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT_CODES.ok;
    const message = error.message.replace(/^error: /, '');
    if (json) process.stdout.write(`${JSON.stringify({ error: { code: 'USAGE', message } })}\n`);
    return EXIT_CODES.config;
  }
  if (error instanceof TidegateError) process.stderr.write(`error ${error.code}: ${hideBorrowed(error.message)}\n`);
  else process.stderr.write(`${hideBorrowed(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`);
  return exitCodeOf(error);
}

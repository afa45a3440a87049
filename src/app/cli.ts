import { Command, CommanderError } from 'commander';
import { TidegateError } from '../model/errors.ts';
import { EXIT_CODES, exitCodeOf } from './base/exit-codes.ts';
import { machineTrouble, unusablePlace } from './base/machine-trouble.ts';
import { ownVersion } from './base/own-files.ts';
import { typesHint } from './base/types-hint.ts';
import { addBacktestCommands, addStrategiesCommand } from './commands/backtest-commands.ts';
import { addBotCommands } from './commands/bot-commands.ts';
import { addCompletionCommand } from './commands/completion-command.ts';
import { addDataCommands } from './commands/data-commands.ts';
import { addApiCommand, addExchangeCommand } from './commands/exchange-commands.ts';
import { addRunsCommand } from './commands/run-commands.ts';
import { addSearchCommand, addWorkerCommand } from './commands/search-commands.ts';
import { addPortfolioCommand, addSignificanceCommand } from './commands/significance-command.ts';
import { addWorkspaceCommands } from './commands/workspace-commands.ts';
import { hideBorrowed } from './config/reading/secrets.ts';
import { guardOutput } from './terminal/guarded-output.ts';

/** Runs the command line. @returns when the command is done; the exit code is set on the process. */
export async function main(argv: readonly string[]): Promise<void> {
  guardOutput();
  ignoreClosedPipes();
  reportUncaught();
  const program = commandLine();
  for (const command of program.commands) {
    command.exitOverride();
    for (const inner of command.commands) inner.exitOverride();
  }
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = reportError(error, argv.includes('--json'));
  }
}

/** The width of help in a pipe. */
const PIPE_COLUMNS = 80;
/** Narrower lines cannot be read. */
const LEAST_COLUMNS = 40;
/** The narrowest column for the meanings of terms. */
const LEAST_MEANING = 24;

/** Help no wider than a terminal: texts break between words, and commands of examples with a backslash, so that they can be pasted. */
export function wrapHelp(text: string, columns = PIPE_COLUMNS): string {
  const width = Math.max(LEAST_COLUMNS, columns);
  return text
    .split('\n')
    .flatMap((line) => (line.length <= width ? [line] : wrappedLine(line, width)))
    .join('\n');
}

function wrappedLine(line: string, width: number): string[] {
  const isCommand = line.startsWith('  $ ');
  const [indent = ''] = line.match(/^ */)!;
  // A term, two or more spaces, its meaning: the meaning goes on below its own beginning.
  const [, term = ''] = line.match(/^( {2}\S.*? {2,})\S/) ?? [];
  const isBeside = term !== '' && width - term.length >= LEAST_MEANING;
  const next = isCommand ? '      ' : isBeside ? ' '.repeat(term.length) : term === '' ? indent : `${indent}    `;
  const [first = '', ...words] = line.trimStart().split(' ');
  const lines = [`${indent}${first}`];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= width - (isCommand ? 2 : 0)) lines[lines.length - 1] = longer;
    else lines.push(`${next}${word}`);
  }
  return lines.map((one, index) => (isCommand && index < lines.length - 1 ? `${one} \\` : one));
}

/** All commands with their options, before they parse anything. */
export function commandLine(): Command {
  const program = new Command('tidegate')
    .description('Run one strategy class in backtests, on paper and live.')
    .version(ownVersion())
    // Options after the name of a command are those of that command: `search` and its commands have some of the same names.
    .enablePositionalOptions()
    .showHelpAfterError('(run the command with --help for its arguments and options)')
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, 'error USAGE: ')),
      writeOut: (text) => process.stdout.write(wrapHelp(text, process.stdout.isTTY ? process.stdout.columns : PIPE_COLUMNS)),
    });
  const print = (line: string) => process.stdout.write(`${line}\n`);
  addBacktestCommands(program, print);
  addSearchCommand(program, print);
  addWorkerCommand(program);
  addSignificanceCommand(program);
  addPortfolioCommand(program);
  addRunsCommand(program, print);
  addDataCommands(program, print);
  addStrategiesCommand(program, print);
  addApiCommand(program, print);
  addExchangeCommand(program, print);
  addBotCommands(program, print);
  addWorkspaceCommands(program, print);
  addCompletionCommand(program, print);
  return program;
}

/** A reader such as `head` may close the pipe: the command goes on. Any other failed write ends it, unless the stream has another listener. */
function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && stream.listenerCount('error') === 1) throw error;
    });
  }
}

/** Ends the process with Tidegate's message after an uncaught error: Node would write its own message, unguarded, to the terminal. */
function reportUncaught(): void {
  process.on('uncaughtExceptionMonitor', (error) => {
    if (process.listenerCount('uncaughtException') === 0) process.exit(reportError(error, false));
  });
}

/**
 * Prints an error on stderr.
 * @param json print a wrong command line, or a limit of the machine, as one object on stdout, too.
 * @returns the exit code.
 */
function reportError(thrown: unknown, json: boolean): number {
  // Commander has already printed its message. Help and version are not errors.
  const error = thrown instanceof CommanderError ? thrown : (machineTrouble(thrown) ?? unusablePlace(thrown) ?? thrown);
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT_CODES.ok;
    const message = error.message.replace(/^error: /, '');
    if (json) process.stdout.write(`${JSON.stringify({ error: { code: 'USAGE', message } })}\n`);
    return EXIT_CODES.config;
  }
  if (error instanceof TidegateError) {
    // A limit of the machine may be met before the command has begun: it has printed nothing then.
    if (json && error !== thrown) process.stdout.write(`${JSON.stringify({ error: { code: error.code, message: error.message } })}\n`);
    process.stderr.write(`error ${error.code}: ${hideBorrowed(error.message)}\n`);
    process.stderr.write(typesHint(error.code, process.cwd()));
  } else process.stderr.write(`${hideBorrowed(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`);
  return exitCodeOf(error);
}

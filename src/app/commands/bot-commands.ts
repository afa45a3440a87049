import { type Command, InvalidArgumentError, Option } from 'commander';
import type { DoctorOptions } from '../doctor/run-doctor.ts';
import type { ExplainOptions } from '../explain/run-explain.ts';
import type { AskOptions } from '../live/process/control-socket.ts';
import type { RunOptions } from '../live/run-paper.ts';
import type { RecordOptions } from '../record/run-record.ts';
import type { ReplayCommandOptions } from '../replay/run-replay.ts';
import type { WatchdogOptions } from '../watchdog/run-watchdog.ts';
import { collect } from './collect.ts';

/**
 * Registers the commands of bots: those that run one, those that talk to a running one, and `record`, `doctor`, `replay` and
 * `explain`. Heavy modules are loaded when a command is called.
 */
export function addBotCommands(program: Command, print: (line: string) => void): void {
  addRuns(program);
  addControls(program, print);
  addRecord(program);
  addDoctor(program, print);
  addReplay(program, print);
  addExplain(program, print);
}

const PAPER_HELP = '\nExample:\n  $ npx tidegate paper configs/sma-cross.yaml --set paper.prices.speed=600\n';
const LIVE_HELP = `
Keys come from TIDEGATE_API_KEY, TIDEGATE_API_SECRET and TIDEGATE_API_PASSPHRASE, TIDEGATE_KEYS_FILE (a JSON file of mode 600),
or live.keys. docs/live.md leads from paper to live in ten steps.
`;

const WATCHDOG_HELP = `
live.watchdog.afterMs says how long the bot may be silent, live.watchdog.flatten whether its positions are closed, too. Keys come from
where those of the bot do. docs/watchdog.md says what it does and what it cannot.
`;

/** `tidegate paper`, `live` and `watchdog`: processes that run until they are told to stop. */
function addRuns(program: Command): void {
  const runs = (name: string, description: string, help: string, run: (config: string, options: RunOptions) => Promise<void>) =>
    program
      .command(name)
      .description(description)
      .argument('<config>', 'config file (YAML)')
      .option('--set <path=value>', 'override a setting (repeatable)', collect)
      .option('--json', 'JSON lines on stdout, on a terminal too')
      .option('--quiet', 'nothing on stdout; log.jsonl is written all the same')
      .addHelpText('after', help)
      .action(async (config: string, options: RunOptions) => {
        await run(config, options).finally(endSoon);
      });
  runs('paper', 'run the strategies of a config against a local exchange of their own', PAPER_HELP, async (config, options) => {
    await (await import('../live/run-paper.ts')).runPaper(config, options);
  });
  runs('live', 'run the strategies of a config against the exchange, with real money', LIVE_HELP, async (config, options) => {
    await (await import('../live/run-live.ts')).runLive(config, options);
  })
    .option('--new-account', 'where the keys are of another account than the journal: put the journal aside and begin a new one')
    .option('--same-account', "the keys are new, and of the journal's account: start although nothing proves it");
  program
    .command('watchdog')
    .description("cancel a live bot's orders when its heartbeat stops, and latch it; beside the bot, as a process of its own")
    .argument('<config>', 'config file (YAML) of the bot')
    .option('--set <path=value>', 'override a setting, as the bot was started with (repeatable)', collect)
    .option('--paper', 'watch the paper bot, which is only latched')
    .option('--json', 'JSON lines on stdout, on a terminal too')
    .option('--quiet', 'nothing on stdout; watchdog.jsonl is written all the same')
    .addHelpText('after', WATCHDOG_HELP)
    .action(async (config: string, options: WatchdogOptions) => {
      await (await import('../watchdog/run-watchdog.ts')).runWatchdog(config, options).finally(endSoon);
    });
}

/** Timers and sockets that linger must not keep a bot that has ended. */
function endSoon(): void {
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

const LINGER_MS = 1_000;

/** `tidegate status`, `stop`, `kill`, `reduce` and `reset`: what talks to a running bot. */
function addControls(program: Command, print: (line: string) => void): void {
  const asks = (name: 'status' | 'stop' | 'kill' | 'reduce' | 'reset', description: string) =>
    program
      .command(name)
      .description(description)
      .argument('<config>', 'config file (YAML) of the bot')
      .option('--paper', 'the paper bot (default: whichever runs)')
      .option('--live', 'the live bot')
      .option('--set <path=value>', 'override a setting, as the bot was started with (repeatable)', collect)
      .option('--json', 'print its status as one JSON object')
      .action(async (config: string, options: AskOptions) => {
        const { tellBot } = await import('../live/process/control-socket.ts');
        const { text, code } = await tellBot(config, name, options);
        print(text);
        process.exitCode = code;
      });
  asks('status', 'show how a running bot is');
  asks('stop', 'stop a running bot, as Ctrl-C does');
  asks('kill', 'cancel everything and send nothing of the strategies until a reset; the bot stays up')
    .option(
      '--flatten',
      "close the strategies' positions at market, too; report what was closed, and end with 11 where something still stands",
    )
    .option('--wait <seconds>', 'how long to wait for that (default: 30)', seconds)
    .option('--reason <text>', 'why, for the log');
  asks('reduce', 'open nothing new until a reset: only exits pass')
    .option('--strategy <id>', 'one strategy alone')
    .option('--reason <text>', 'why, for the log');
  asks('reset', 'take latches and halts back: trade again').option('--strategy <id>', 'the latches of one strategy alone');
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0) || !Number.isFinite(value))
    throw new InvalidArgumentError('expected a number of seconds, 0 or more.');
  return value;
}

const RECORD_HELP = `
Example:
  $ npx tidegate record configs/my-bot.yaml --set record.rotate=15m

It needs no key. docs/data.md says what is written, and where.
`;

/** `tidegate record <config>`: the exchange's tickers into a recording, until it is stopped. */
function addRecord(program: Command): void {
  program
    .command('record')
    .description("record the exchange's tickers until Ctrl-C")
    .argument('<config>', 'config file (YAML)')
    .option('--set <path=value>', 'override a setting (repeatable)', collect)
    .option('--polls', 'a JSON line on stdout for each poll that is on disk')
    .option('--json', 'JSON lines on stdout, on a terminal too')
    .option('--quiet', 'nothing on stdout but what --polls asks for; log.jsonl is written all the same')
    .addHelpText('after', RECORD_HELP)
    .action(async (config: string, options: RecordOptions) => {
      const { runRecord } = await import('../record/run-record.ts');
      await runRecord(config, options);
    });
}

const DOCTOR_HELP = `
Nothing is changed, and no order is placed. Exits with 8 where a check fails. docs/doctor.md lists the checks.

Example:
  $ npx tidegate doctor configs/my-bot.yaml --mode live
`;

/** `tidegate doctor <config>`: what is wrong with a config and its surroundings, and how to mend it. */
function addDoctor(program: Command, print: (line: string) => void): void {
  program
    .command('doctor')
    .description('check config, strategies, data, disk, journal, keys and exchange, and say what to mend')
    .argument('<config>', 'config file (YAML)')
    .addOption(
      new Option('--mode <mode>', 'what it is to be run as (default: live, paper or backtest, the first that the config has)').choices([
        'backtest',
        'paper',
        'live',
      ]),
    )
    .option('--set <path=value>', 'override a setting (repeatable)', collect)
    .option('--only <check>', 'one check by its id, and what it needs (repeatable)', collect)
    .option('--json', 'print all findings as one JSON object')
    .addHelpText('after', DOCTOR_HELP)
    .action(async (config: string, options: DoctorOptions) => {
      const { runDoctor } = await import('../doctor/run-doctor.ts');
      process.exitCode = await runDoctor(config, options, print);
    });
}

const REPLAY_HELP = `
Exits with 0 where every decision and the state are the same, with 9 at the first that is not. Nothing is sent, and no key is needed.

Examples:
  $ npx tidegate replay runs/sma-cross-paper
  $ npx tidegate replay runs/sma-cross-paper --set strategies.0.params.fast=10
`;

/** `tidegate replay <journal>`: a bot's run again, from what its journal says that it was told. */
function addReplay(program: Command, print: (line: string) => void): void {
  program
    .command('replay')
    .description("tell the engine again what a bot's journal says that it was told, and compare every decision")
    .argument('<journal>', 'folder of a bot, e.g. runs/sma-cross-paper, or its journal.sqlite')
    .option('--config <file>', "another config in place of the journal's own")
    .option('--strategy-dir <dir>', 'take the strategies from this folder, by the names of their files')
    .option('--set <path=value>', 'override a setting (repeatable)', collect)
    .option('--json', 'print what was compared, and the first difference, as one JSON object')
    .option('--quiet', 'no progress')
    .addHelpText('after', REPLAY_HELP)
    .action(async (journal: string, options: ReplayCommandOptions) => {
      const { runReplay } = await import('../replay/run-replay.ts');
      const { text, code } = await runReplay(journal, options);
      print(text);
      process.exitCode = code;
    });
}

const EXPLAIN_HELP = `
Ids: a client order id or its beginning, the exchange's order id, or the number of an intent's record (of a backtest: line), as #142.

Examples:
  $ npx tidegate explain runs/sma-cross-paper 142
  $ npx tidegate explain runs/sma-cross-1 smacross-sma-1
  $ npx tidegate explain runs/sma-cross-paper --denied
`;

/** `tidegate explain <run> [id]`: what became of an intent, and why. */
function addExplain(program: Command, print: (line: string) => void): void {
  program
    .command('explain')
    .description('print the life of one intent: data, risk, requests, fills, ledger; or why intents were not carried out')
    .argument('<run>', "folder of a bot or its journal.sqlite, or a backtest's folder that was written with --events")
    .argument('[id]', 'of an order or an intent')
    .option('--denied', 'sum up why intents were not carried out')
    .option('--json', 'print one JSON object')
    .addHelpText('after', EXPLAIN_HELP)
    .action(async (run: string, id: string | undefined, options: ExplainOptions) => {
      const { runExplain } = await import('../explain/run-explain.ts');
      print(runExplain(run, id, options));
    });
}

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { DoctorOptions } from '../doctor/run-doctor.ts';
import type { ExplainOptions } from '../explain/run-explain.ts';
import type { AskOptions } from '../live/process/control-bot.ts';
import type { CloseOptions, SteerOptions } from '../live/process/steer-bot.ts';
import type { RunOptions } from '../live/run-paper.ts';
import type { ProveOptions } from '../prove/prove-bot.ts';
import type { RecordOptions } from '../record/run-record.ts';
import type { ReplayCommandOptions } from '../replay/run-replay.ts';
import type { ServeOptions } from '../serve/run-serve.ts';
import { writeStyled } from '../terminal/guarded-output.ts';
import { terminalLook } from '../terminal/terminal-look.ts';
import type { WatchdogOptions } from '../watchdog/run-watchdog.ts';
import { collect } from './collect.ts';

/**
 * Registers the commands of bots: those that run a bot, those that control a running one, `bots` and `serve`, and `record`, `doctor`, `replay` and
 * `explain`. Heavy modules are loaded when a command runs.
 */
export function addBotCommands(program: Command, print: (line: string) => void): void {
  addRuns(program);
  addControls(program, print);
  addSteering(program, print);
  addBots(program, print);
  addServe(program, print);
  addProve(program);
  addRecord(program);
  addDoctor(program, print);
  addReplay(program, print);
  addExplain(program, print);
}

const PAPER_HELP = '\nExample:\n  $ npx tidegate paper configs/sma-cross.yaml --set paper.prices.speed=600\n';
const LIVE_HELP = `
Keys are read from TIDEGATE_API_KEY, TIDEGATE_API_SECRET and TIDEGATE_API_PASSPHRASE, else from TIDEGATE_KEYS_FILE (a JSON file
of mode 600), else from live.keys. docs/tutorials/from-paper-to-live.md leads from paper to live in ten steps.
`;

const WATCHDOG_HELP = `
The watchdog acts if the bot writes no heartbeat for live.watchdog.afterMs. With live.watchdog.flatten it also closes the positions.
It reads its keys from the same places as the bot. docs/reference/watchdog.md describes its limits.
`;

/** `tidegate paper`, `live` and `watchdog`: processes that run until they are stopped. */
function addRuns(program: Command): void {
  const runs = (name: string, description: string, help: string, run: (config: string, options: RunOptions) => Promise<void>) =>
    program
      .command(name)
      .description(description)
      .argument('<config>', 'config file (YAML)')
      .option('--set <path=value>', 'change a setting of the config (repeatable)', collect)
      .option('--json', 'write JSON lines to stdout, on a terminal too')
      .option('--quiet', 'write nothing to stdout; log.jsonl is still written')
      .addHelpText('after', help)
      .action(async (config: string, options: RunOptions) => {
        await run(config, options).finally(endSoon);
      });
  runs('paper', 'Run the strategies of a config against a local exchange, until stopped.', PAPER_HELP, async (config, options) => {
    await (await import('../live/run-paper.ts')).runPaper(config, options);
  });
  runs(
    'live',
    'Run the strategies of a config against the exchange, with real money, until stopped.',
    LIVE_HELP,
    async (config, options) => {
      await (await import('../live/run-live.ts')).runLive(config, options);
    },
  )
    .option('--new-account', 'the keys belong to another account than the journal: rename the journal and begin a new one')
    .option('--same-account', "the keys are new but belong to the journal's account: start although nothing proves it")
    .option('--new-journal', 'the journal is damaged: rename it and begin a new one, with all instruments halted until `tidegate reset`');
  program
    .command('watchdog')
    .description("Watch a bot's heartbeat from a second process; when it stops, cancel the bot's orders and latch the bot.")
    .argument('<config>', 'config file (YAML) of the bot')
    .option('--set <path=value>', 'change a setting of the config, as at the start of the bot (repeatable)', collect)
    .option('--paper', 'watch the paper bot; it is latched, and no order is canceled')
    .option('--json', 'write JSON lines to stdout, on a terminal too')
    .option('--quiet', 'write nothing to stdout; watchdog.jsonl is still written')
    .addHelpText('after', WATCHDOG_HELP)
    .action(async (config: string, options: WatchdogOptions) => {
      await (await import('../watchdog/run-watchdog.ts')).runWatchdog(config, options).finally(endSoon);
    });
}

/** Ends the process although timers or sockets may remain open. */
function endSoon(): void {
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

const LINGER_MS = 1_000;

/** `tidegate status`, `stop`, `kill`, `reduce` and `reset`: the commands that control a running bot. */
function addControls(program: Command, print: (line: string) => void): void {
  const control = (name: 'status' | 'stop' | 'kill' | 'reduce' | 'reset', description: string) =>
    program
      .command(name)
      .description(description)
      .argument('<config>', 'config file (YAML) of the bot')
      .option('--paper', 'control the paper bot (default: the one that runs)')
      .option('--live', 'control the live bot')
      .option('--set <path=value>', 'change a setting of the config, as at the start of the bot (repeatable)', collect)
      .option('--json', "print the bot's status as one JSON object")
      .action(async (config: string, options: AskOptions) => {
        const { controlBot } = await import('../live/process/control-bot.ts');
        const { text, code } = await controlBot(config, name, options);
        print(text);
        process.exitCode = code;
      });
  control('status', 'Show the status of a running bot.');
  control('stop', 'Stop a running bot, as Ctrl-C does.');
  control('kill', 'Cancel all orders and send nothing of the strategies until a reset; the process goes on.')
    .option(
      '--flatten',
      "also close the strategies' positions at market, print the closed positions, and exit with 11 if something is still open",
    )
    .option('--wait <seconds>', 'longest time to wait for --flatten (default: 30)', seconds)
    .option('--reason <text>', 'reason, for the log');
  control('reduce', 'Send no opening orders until a reset; closes still pass.')
    .option('--strategy <id>', 'only for this strategy')
    .option('--reason <text>', 'reason, for the log');
  control('reset', 'Lift latches and halts, so that the bot trades again.').option('--strategy <id>', 'only the latches of this strategy');
}

const STEER_HELP = `
The command goes into the journal of the bot, so it stays in force after restarts and a replay repeats it. docs/reference/live.md describes it.
`;

/** `tidegate pause`, `resume`, `close` and `set`: the commands that steer a running bot. */
function addSteering(program: Command, print: (line: string) => void): void {
  const steer = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .argument('<config>', 'config file (YAML) of the bot')
      .option('--paper', 'steer the paper bot (default: the one that runs)')
      .option('--live', 'steer the live bot')
      .option('--set <path=value>', 'change a setting of the config, as at the start of the bot (repeatable)', collect)
      .option('--json', "print the outcome and the bot's status as one JSON object")
      .addHelpText('after', STEER_HELP);
  const strategy = ['--strategy <id>', 'the strategy (default: the only one of the config)'] as const;
  const toward = (act: 'pause' | 'resume') => async (config: string, options: SteerOptions) => {
    const { steerStrategy } = await import('../live/process/steer-bot.ts');
    const { text, code } = await steerStrategy(config, act, options);
    print(text);
    process.exitCode = code;
  };
  steer('pause', 'Let one strategy open nothing until it is resumed; its hooks still run, and its exits pass.')
    .option(...strategy)
    .option('--reason <text>', 'reason, for the log')
    .action(toward('pause'));
  steer('close', 'Close one position at market: cancel the orders there, and wait until nothing is left.')
    .requiredOption('--symbol <symbol>', 'the symbol of the position')
    .option('--strategy <id>', 'only the position of this strategy (default: of all)')
    .addOption(new Option('--side <side>', 'only the position of this side').choices(['long', 'short']))
    .option('--wait <seconds>', 'longest time to wait (default: 30); exit with 11 if something is still open', seconds)
    .option('--reason <text>', 'reason, for the log')
    .action(async (config: string, options: SteerOptions & Partial<CloseOptions>) => {
      const { steerClose } = await import('../live/process/steer-bot.ts');
      const { text, code } = await steerClose(config, options);
      print(text);
      process.exitCode = code;
    });
  steer('set', 'Change a limit of the running bot, such as risk.orders.maxNotional=500; null removes it.')
    .argument('<limit=value>', 'the limit by its path in the config, and its new value')
    .action(async (config: string, assignment: string, options: SteerOptions) => {
      const { steerLimit } = await import('../live/process/steer-bot.ts');
      const { text, code } = await steerLimit(config, assignment, options);
      print(text);
      process.exitCode = code;
    });
  steer('resume', 'Let a paused strategy open positions again.')
    .option(...strategy)
    .action(toward('resume'));
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0) || !Number.isFinite(value))
    throw new InvalidArgumentError('Expected a number of seconds, 0 or more.');
  return value;
}

const BOTS_HELP = `
Each row has the state of a bot with its proof; sums are those of the rows that have figures, by mode and currency. Nothing is changed.

Examples:
  $ npx tidegate bots
  $ npx tidegate bots configs/my-bot.yaml /srv/bots --json
`;

/** `tidegate bots`: all bots of configs and folders. */
function addBots(program: Command, print: (line: string) => void): void {
  program
    .command('bots')
    .description('List the bots of configs and folders with their states, and the sums of their figures.')
    .argument('[paths...]', 'configs of bots, and folders that have bots up to three levels below (default: this folder)')
    .option('--json', 'print the bots as one JSON object')
    .addHelpText('after', BOTS_HELP)
    .action(async (paths: readonly string[], { json }: { readonly json?: boolean }) => {
      const { fleetJson, fleetText, lookAtFleet } = await import('../fleet/list-bots.ts');
      const fleet = await lookAtFleet(paths.length === 0 ? ['.'] : paths, Date.now());
      if (json === true) print(JSON.stringify(fleetJson(fleet)));
      else writeStyled(process.stdout, `${fleetText(fleet, terminalLook())}\n`);
    });
}

const SERVE_HELP = `
At the first start, tokens of an operator and of a viewer are made in runs/serve/tokens.json. TIDEGATE_SERVE_TOKEN and
TIDEGATE_SERVE_VIEWER_TOKEN take their place. docs/reference/serve.md has the routes.

Examples:
  $ npx tidegate serve
  $ npx tidegate serve configs/my-bot.yaml /srv/bots --port 8800
`;

/** `tidegate serve`: pages and an API of all bots. */
function addServe(program: Command, print: (line: string) => void): void {
  program
    .command('serve')
    .description('Serve pages and an API of all bots of this machine, with their states, figures and controls, until Ctrl-C.')
    .argument('[paths...]', 'configs of bots, and folders that have bots up to three levels below (default: this folder)')
    .option('--port <n>', 'port', port, DEFAULT_PORT)
    .option('--listen <address>', 'IP address; one that others reach needs TLS (default: 127.0.0.1)')
    .option('--cert <file>', 'certificate for TLS (PEM)')
    .option('--key <file>', 'its key (PEM)')
    .option('--insecure-listen', 'listen without TLS where others can read along')
    .option('--origin <url>', 'a URL by which the pages are reached, such as https://bots.example.com (repeatable)', collect)
    .option('--trust-proxy <address>', 'IP address of a proxy whose X-Forwarded-* headers count (repeatable)', collect)
    .option('--base-path <path>', 'path below which everything is served, such as /bots')
    .option('--dir <folder>', 'folder of the tokens and of the audit log (default: runs/serve)')
    .option('--json', 'print the URL as one JSON object')
    .addHelpText('after', SERVE_HELP)
    .action(async (paths: readonly string[], options: ServeOptions) => {
      const { runServe } = await import('../serve/run-serve.ts');
      await runServe(paths, options, print).finally(endSoon);
    });
}

const DEFAULT_PORT = 8_787;

function port(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= 65_535) return value;
  throw new InvalidArgumentError('Expected a port: a whole number up to 65535.');
}

const PROVE_HELP = `
It replays the journal, runs the bot's own config on its own recording (\`record\` in the config), and compares both to the last digit. The
bot may run meanwhile. It exits with 0 if every decision is the same and each difference has a cause, else with 9.
docs/how-to/prove-a-bot.md explains the result.

Example:
  $ npx tidegate prove configs/my-bot.yaml --day 2026-03-01 --set prove.onDifference=reduce
`;

/** `tidegate prove <config>`: a bot against the replay of its journal and against its backtest. */
function addProve(program: Command): void {
  program
    .command('prove')
    .description("Replay a bot's journal, run its backtest on its own recording, and show the cause of each difference.")
    .argument('<config>', 'config file (YAML) of the bot')
    .option('--paper', 'prove the paper bot (default: the one that has run)')
    .option('--live', 'prove the live bot')
    .option('--day <date>', 'compare only what ended on this day, in UTC, e.g. 2026-03-01')
    .option('--set <path=value>', 'change a setting of the config (repeatable)', collect)
    .option('--json', 'print the proof as one JSON object')
    .addHelpText('after', PROVE_HELP)
    .action(async (config: string, options: ProveOptions) => {
      const { proveBot } = await import('../prove/prove-bot.ts');
      const { text, code } = await proveBot(config, options, terminalLook());
      writeStyled(process.stdout, `${text}\n`);
      process.exitCode = code;
    });
}

const RECORD_HELP = `
Example:
  $ npx tidegate record configs/my-bot.yaml --set record.rotate=15m

It needs no key. docs/reference/data.md describes the files.
`;

/** `tidegate record <config>`: records the exchange's tickers until it is stopped. */
function addRecord(program: Command): void {
  program
    .command('record')
    .description("Record the exchange's tickers until Ctrl-C.")
    .argument('<config>', 'config file (YAML)')
    .option('--set <path=value>', 'change a setting of the config (repeatable)', collect)
    .option('--polls', 'print a JSON line for each poll after it has been written to disk')
    .option('--json', 'write JSON lines to stdout, on a terminal too')
    .option('--quiet', 'write only the lines of --polls to stdout; log.jsonl is still written')
    .addHelpText('after', RECORD_HELP)
    .action(async (config: string, options: RecordOptions) => {
      const { runRecord } = await import('../record/run-record.ts');
      await runRecord(config, options);
    });
}

const DOCTOR_HELP = `
doctor changes nothing and places no order. It exits with 8 if a check fails. docs/reference/doctor.md lists the checks.

Example:
  $ npx tidegate doctor configs/my-bot.yaml --mode live
`;

/** `tidegate doctor <config>`: checks a config and its environment, and prints how to fix problems. */
function addDoctor(program: Command, print: (line: string) => void): void {
  program
    .command('doctor')
    .description('Check config, strategies, data, disk, journal, keys and exchange, and print how to fix problems.')
    .argument('<config>', 'config file (YAML)')
    .addOption(
      new Option('--mode <mode>', 'check for this command (default: the first of live, paper and backtest that the config has)').choices([
        'backtest',
        'paper',
        'live',
      ]),
    )
    .option('--set <path=value>', 'change a setting of the config (repeatable)', collect)
    .option('--only <check>', 'run only this check, by its id, and the checks that it needs (repeatable)', collect)
    .option('--json', 'print all findings as one JSON object')
    .addHelpText('after', DOCTOR_HELP)
    .action(async (config: string, options: DoctorOptions) => {
      const { runDoctor } = await import('../doctor/run-doctor.ts');
      process.exitCode = await runDoctor(config, options, print);
    });
}

const REPLAY_HELP = `
Exits with 0 if every decision and the state are the same, and with 9 at the first difference. replay sends nothing and needs no key.

Examples:
  $ npx tidegate replay runs/sma-cross-paper
  $ npx tidegate replay runs/sma-cross-paper --set strategies.0.params.fast=10
`;

/** `tidegate replay <journal>`: repeats a bot's run from the events in its journal. */
function addReplay(program: Command, print: (line: string) => void): void {
  program
    .command('replay')
    .description("Replay a bot's journal and check that every decision is the same.")
    .argument('<journal>', 'folder of a bot, e.g. runs/sma-cross-paper, or its journal.sqlite')
    .option('--config <file>', 'use this config instead of the one in the journal')
    .option('--strategy-dir <dir>', 'load the strategies from this folder, by the names of their files')
    .option('--set <path=value>', 'change a setting of the config (repeatable)', collect)
    .option('--json', 'print the counts and the first difference as one JSON object')
    .option('--quiet', 'print no progress')
    .addHelpText('after', REPLAY_HELP)
    .action(async (journal: string, options: ReplayCommandOptions) => {
      const { runReplay } = await import('../replay/run-replay.ts');
      const { text, code } = await runReplay(journal, options);
      print(text);
      process.exitCode = code;
    });
}

const EXPLAIN_HELP = `
An id is a client order id or its beginning, the exchange's order id, or the number of an intent's record in the journal
(for a backtest: its line in events.jsonl), with or without #.

Examples:
  $ npx tidegate explain runs/sma-cross-paper 142
  $ npx tidegate explain runs/sma-cross-1 smacross-sma-1
  $ npx tidegate explain runs/sma-cross-paper --denied
`;

/** `tidegate explain <run> [id]`: prints the life of an intent with its causes. */
function addExplain(program: Command, print: (line: string) => void): void {
  program
    .command('explain')
    .description('Print the life of one intent (data, risk, requests, fills, ledger), or why intents were not executed.')
    .argument('<run>', 'folder of a bot, its journal.sqlite, or the folder of a backtest that ran with --events')
    .argument('[id]', 'id of an order or an intent')
    .option('--denied', 'count why intents were not executed')
    .option('--json', 'print the result as one JSON object')
    .addHelpText('after', EXPLAIN_HELP)
    .action(async (run: string, id: string | undefined, options: ExplainOptions) => {
      const { runExplain } = await import('../explain/run-explain.ts');
      print(runExplain(run, id, options));
    });
}

import type { Command } from 'commander';
import type { AskOptions } from '../live/control/ask-bot.ts';
import type { RunOptions } from '../live/paper/run-paper.ts';
import type { WatchdogOptions } from '../watchdog/run-watchdog.ts';

const PAPER_HELP = '\nExample:\n  $ npx tidegate paper configs/sma-cross.yaml --set paper.prices.speed=600\n';
const LIVE_HELP = `
Keys come from TIDEGATE_API_KEY, TIDEGATE_API_SECRET and TIDEGATE_API_PASSPHRASE, TIDEGATE_KEYS_FILE (a JSON file of mode 600),
or live.keys. docs/live.md leads from paper to live in ten steps.
`;

const WATCHDOG_HELP = `
live.watchdog.afterMs says how long the bot may be silent, live.watchdog.flatten whether its positions are closed, too. Keys come from
where those of the bot do. docs/watchdog.md says what it does and what it cannot.
`;

/** `tidegate paper` and `live`, and the commands that talk to a running bot. Heavy modules are loaded when they are called for. */
export function addBotCommands(program: Command, print: (line: string) => void): void {
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
    await (await import('../live/paper/run-paper.ts')).runPaper(config, options);
  });
  runs('live', 'run the strategies of a config against the exchange, with real money', LIVE_HELP, async (config, options) => {
    await (await import('../live/run-live.ts')).runLive(config, options);
  });
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
        const { tellBot } = await import('../live/control/ask-bot.ts');
        print(await tellBot(config, name, options));
      });
  asks('status', 'show how a running bot is');
  asks('stop', 'stop a running bot, as Ctrl-C does');
  asks('kill', 'cancel everything and open nothing new until a reset; the bot stays up')
    .option('--flatten', "close the strategies' positions at market, too")
    .option('--reason <text>', 'why, for the log');
  asks('reduce', 'open nothing new until a reset: only exits pass')
    .option('--strategy <id>', 'one strategy alone')
    .option('--reason <text>', 'why, for the log');
  asks('reset', 'take latches back: trade again').option('--strategy <id>', 'those of one strategy alone');
}

/** Timers and sockets that linger must not keep a bot that has ended. */
function endSoon(): void {
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

const LINGER_MS = 1_000;

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

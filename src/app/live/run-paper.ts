import { join } from 'node:path';
import { Credentials } from '../../exchange/client/credentials.ts';
import { CLIENT_DEFAULTS } from '../../exchange/client/transport.ts';
import { BotJournal } from '../../journal/bot-journal.ts';
import type { RecordKind } from '../../journal/journal-record.ts';
import { TurnClock } from '../../venues/rest/real-clock.ts';
import { botFolder, makeBotFolder } from '../planning/bot-folder.ts';
import { botLog, LateLog } from '../terminal/bot-log.ts';
import { BotScreen, type ScreenOptions } from '../terminal/bot-screen.ts';
import { withChanges } from './bot/setting-changes.ts';
import { type StartWaits, untilAnswered } from './bot/until-answered.ts';
import type { WaitingBot } from './bot/waiting-bot.ts';
import { botClients } from './bot-clients.ts';
import { termsText, tradingTerms } from './exchange-checks.ts';
import { PaperExchange } from './paper-exchange.ts';
import { botSection, planBot } from './plan-bot.ts';
import { botRecorder, runBot } from './process/run-bot.ts';
import { postSettings } from './process/signal-post.ts';

/** The options of `paper` and `live`. */
export interface RunOptions extends ScreenOptions {
  readonly set?: readonly string[] | undefined;
  /** If the keys belong to another account than the journal: rename the journal and begin a new one. */
  readonly newAccount?: boolean | undefined;
  /** The user confirms that the keys belong to the journal's account. */
  readonly sameAccount?: boolean | undefined;
  /** If the journal cannot be used: rename it and begin a new one, halted until a reset. */
  readonly newJournal?: boolean | undefined;
}

/**
 * Runs a bot against its own local exchange, in this process and with the same clock: either at the real exchange's present prices, or
 * in the time of a recording, from its first price or from the end of the last run.
 */
export async function runPaper(path: string, options: RunOptions): Promise<void> {
  const { loaded, changes, notes } = withChanges(path, options.set ?? [], 'paper');
  const { config } = loaded;
  botSection(loaded, 'paper');
  const post = postSettings(loaded, 'paper', process.env);
  const paper = config.paper!;
  const folder = botFolder(paper.dir, config.name, 'paper');
  const log = new LateLog();
  const exchange = await PaperExchange.open(loaded, paper, join(folder.path, 'exchange.state'));
  const { prices } = exchange;
  const { speed } = prices;
  const start = Math.max(exchange.lastTime, prices.start);
  const { plan: planned, warnings, warmUp } = await planBot(loaded, 'paper', log, { start, speed });
  const plan = { ...planned, changes };
  makeBotFolder(folder);
  // The journal's lock shows that this is the only process, before it touches the exchange's state.
  let now = () => start;
  const journal = BotJournal.open(folder.journal, {
    bot: config.name,
    now: () => now(),
    instruments: plan.instruments,
    // At high speeds it must not wait for the disk. It need not survive a loss of power, as the state of its exchange does not either.
    synchronous: 'normal',
  });
  const clock = prices.clock(Math.max(start, lastTimeIn(journal)));
  const turns = new TurnClock(clock);
  now = () => turns.now();
  const screen = new BotScreen(options);
  let redact = (text: string) => text;
  log.open(botLog({ file: folder.log, lines: screen.line, redact: (text) => redact(text), now: () => clock.now() }));
  const over = new AbortController();
  try {
    const running = await exchange.start(clock, log, () => over.abort());
    try {
      const [account] = running.accounts;
      const { connectMs, headersMs, bodyMs } = CLIENT_DEFAULTS;
      const settings = {
        spotBaseUrl: running.spot,
        contractBaseUrl: running.futures,
        // Bot and exchange share one clock. Sockets need wall time.
        clockSyncMs: 0,
        connectMs: connectMs * speed,
        headersMs: headersMs * speed,
        bodyMs: bodyMs * speed,
      };
      const clients = botClients({
        clock,
        steady: prices.steady(clock),
        credentials: new Credentials(account!),
        settings,
        live: undefined,
      });
      redact = (text) => clients.redact(post?.token.redact(text) ?? text);
      const terms = tradingTerms(loaded, { mode: 'paper', folder, accountId: clients.accountId, ...settings });
      if (screen.live) screen.text(termsText(terms));
      else log.info('about to trade', terms);
      for (const warning of [...exchange.warnings, ...notes, ...warnings]) log.warn(warning);
      const prepare = async ({ signal }: WaitingBot, waits: StartWaits) => {
        waits.begin('candles of its exchange');
        const gaps = await untilAnswered(async () => warmUp?.fromCandles(clients.client, clock.now()), { clock, log, signal, waits });
        for (const gap of gaps ?? []) log.warn(gap);
      };
      const openRecorder = () => botRecorder(config, plan, clock, log);
      const parts = { mode: 'paper', plan, folder, clock, turns, speed, clients, journal, log, screen, post } as const;
      await runBot({ ...parts, prepare, openRecorder, over: over.signal });
    } finally {
      await running.close();
    }
  } finally {
    journal.close();
    log.close();
  }
}

/** The kinds of records of which one is always near the end of a journal. */
const KINDS: readonly RecordKind[] = ['market', 'event', 'intent', 'request', 'start', 'stop', 'heartbeat'];

/** Epoch ms of the newest record of a journal; minus infinity for a new journal. */
function lastTimeIn(journal: BotJournal): number {
  return Math.max(...KINDS.map((kind) => journal.lastOf(kind)?.time ?? Number.NEGATIVE_INFINITY));
}

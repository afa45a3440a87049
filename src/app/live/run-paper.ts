import { join } from 'node:path';
import { Credentials } from '../../exchange/client/credentials.ts';
import { CLIENT_DEFAULTS } from '../../exchange/client/transport.ts';
import { BotJournal } from '../../journal/bot-journal.ts';
import type { RecordKind } from '../../journal/journal-record.ts';
import { TurnClock } from '../../venues/rest/real-clock.ts';
import { hideSecrets } from '../access/hide-secrets.ts';
import { loadConfig } from '../config/load-config.ts';
import { botFolder, makeBotFolder } from '../planning/bot-folder.ts';
import { botLog, LateLog } from '../terminal/bot-log.ts';
import { BotScreen, type ScreenOptions } from '../terminal/bot-screen.ts';
import { untilAnswered } from './bot/until-answered.ts';
import { botClients } from './bot-clients.ts';
import { termsText, tradingTerms } from './exchange-checks.ts';
import { PaperExchange } from './paper-exchange.ts';
import { botSection, planBot } from './plan-bot.ts';
import { botRecorder, runBot } from './process/run-bot.ts';

export interface RunOptions extends ScreenOptions {
  readonly set?: readonly string[] | undefined;
  /** Where the keys are of another account than the journal: the journal is put aside, and a new one begins. */
  readonly newAccount?: boolean | undefined;
  /** A person says that the keys are of the journal's account. */
  readonly sameAccount?: boolean | undefined;
}

/**
 * A bot against a local exchange of its own, in this process and on one clock with it: now, at the real exchange's
 * prices, or in the time of a recording, from its first price or from where the bot's folder says that the last run was.
 */
export async function runPaper(path: string, options: RunOptions): Promise<void> {
  const loaded = loadConfig(path, { set: options.set, env: process.env });
  const { config } = loaded;
  botSection(loaded, 'paper');
  const paper = config.paper!;
  hideSecrets(process.env, config.live);
  const folder = botFolder(paper.dir, config.name, 'paper');
  const log = new LateLog();
  const exchange = await PaperExchange.open(config, paper, join(folder.path, 'exchange.state'));
  const { prices } = exchange;
  const { speed } = prices;
  const start = Math.max(exchange.lastTime, prices.start);
  const { plan, warnings, warmUp } = await planBot(loaded, 'paper', log, { start, speed });
  makeBotFolder(folder);
  // Nothing of the exchange is touched before this process is known to be the only one.
  let now = () => start;
  const journal = BotJournal.open(folder.journal, {
    bot: config.name,
    now: () => now(),
    instruments: plan.instruments,
    // It need not outlive a loss of power, which its exchange does not either, and waits for no disk at high speeds.
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
        // There is one clock, and a socket takes its time by the wall.
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
      redact = clients.redact;
      const terms = tradingTerms(loaded, { mode: 'paper', folder, accountId: clients.accountId, ...settings });
      if (screen.live) screen.text(termsText(terms));
      else log.info('about to trade', terms);
      for (const warning of warnings) log.warn(warning);
      const prepare = async (signal: AbortSignal) => {
        const gaps = await untilAnswered(async () => warmUp?.fromCandles(clients.client, clock.now()), { clock, log, signal });
        for (const gap of gaps ?? []) log.warn(gap);
      };
      const openRecorder = () => botRecorder(config, plan, clock, log);
      const parts = { mode: 'paper', plan, folder, clock, turns, speed, clients, journal, log, screen } as const;
      await runBot({ ...parts, prepare, openRecorder, over: over.signal });
    } finally {
      await running.close();
    }
  } finally {
    journal.close();
    log.close();
  }
}

/** One of these is always near the end. */
const KINDS: readonly RecordKind[] = ['market', 'event', 'intent', 'request', 'start', 'stop', 'heartbeat'];

/** Epoch ms of the newest record of a journal; minus infinity of a new one. */
function lastTimeIn(journal: BotJournal): number {
  return Math.max(...KINDS.map((kind) => journal.lastOf(kind)?.time ?? Number.NEGATIVE_INFINITY));
}

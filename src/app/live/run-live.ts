import { existsSync, renameSync } from 'node:fs';
import { BotJournal } from '../../journal/bot-journal.ts';
import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import { SteadyClock, SystemClock, TurnClock } from '../../venues/rest/real-clock.ts';
import { type Access, accessOf } from '../access/access-settings.ts';
import { hideSecrets } from '../access/hide-secrets.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import { formatAt } from '../config/reading/problems.ts';
import type { Config } from '../config/schema/schema.ts';
import { type BotFolder, botFolder, makeBotFolder } from '../planning/bot-folder.ts';
import { botLog, LateLog, wallSet } from '../terminal/bot-log.ts';
import { BotScreen } from '../terminal/bot-screen.ts';
import { untilAnswered } from './bot/until-answered.ts';
import { botClients } from './bot-clients.ts';
import { checkExchange, termsText, tradingTerms } from './exchange-checks.ts';
import { botSection, planBot } from './plan-bot.ts';
import { takeHandover } from './process/handover.ts';
import { botRecorder, runBot } from './process/run-bot.ts';
import type { RunOptions } from './run-paper.ts';

/** A bot against the exchange that its config names, with real money. */
export async function runLive(path: string, options: RunOptions): Promise<void> {
  const loaded = loadConfig(path, { set: options.set, env: process.env });
  const { config } = loaded;
  botSection(loaded, 'live');
  const live = config.live!;
  if (!live.enabled) throw refused(loaded, 'live.enabled: expected true before orders go to the exchange; say so when you mean it');
  const variables = new Set(Object.keys(process.env));
  const { credentials, ...given } = accessOf({}, process.env, live);
  const hidden = hideSecrets(process.env, live);
  const readable = !hidden && [...variables].some((name) => !(name in process.env));
  if (credentials === undefined) {
    throw new TidegateError('KEYS_INVALID', 'no keys: set TIDEGATE_API_KEY, _SECRET and _PASSPHRASE, or TIDEGATE_KEYS_FILE, or live.keys');
  }
  requireUrls(loaded, config, given);
  const log = new LateLog();
  const clock = new SystemClock(wallSet(log));
  const { plan, warnings, warmUp } = await planBot(loaded, 'live', log, { start: clock.now(), speed: 1 });
  const folder = botFolder(live.dir, config.name, 'live');
  makeBotFolder(folder);
  const screen = new BotScreen(options);
  const settings = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  let openLog: ((redact: (text: string) => string) => void) | undefined = (redact) =>
    log.open(botLog({ file: folder.log, lines: screen.line, redact, now: () => clock.now() }));
  const trade = async (isSameAccount: boolean) => {
    const turns = new TurnClock(clock);
    const opening = { bot: config.name, now: () => turns.now(), instruments: plan.instruments };
    const journal = BotJournal.open(folder.journal, opening);
    const clients = botClients({ clock, steady: new SteadyClock(), credentials, settings, live });
    openLog?.(clients.redact);
    openLog = undefined;
    try {
      const terms = tradingTerms(loaded, { mode: 'live', folder, accountId: clients.accountId, ...given });
      if (screen.live) screen.text(termsText(terms));
      else log.info('about to trade', terms);
      for (const warning of warnings) log.warn(warning);
      if (readable)
        log.warn('the keys came in environment variables, which this system shows to strategies as well: use a file, TIDEGATE_KEYS_FILE');
      const handover = (signal: AbortSignal) => takeHandover(folder, journal, opening, { log, signal });
      const prepare = async (signal: AbortSignal) => {
        const asking = { clock, log, signal };
        const notes = await untilAnswered(() => checkExchange(clients.client, plan.instruments), asking);
        for (const note of notes ?? []) log.warn(note);
        const gaps = await untilAnswered(async () => warmUp?.fromCandles(clients.client, clock.now()), asking);
        for (const gap of gaps ?? []) log.warn(gap);
      };
      const openRecorder = () => botRecorder(config, plan, clock, log);
      const parts = { mode: 'live', plan, folder, clock, turns, speed: 1, clients, isSameAccount, journal, log, screen } as const;
      await runBot({ ...parts, handover, prepare, openRecorder });
    } finally {
      journal.close();
      await clients.close();
    }
  };
  const { newAccount = false, sameAccount = false } = options;
  try {
    await trade(sameAccount).catch(async (error: unknown) => {
      if (!newAccount || !(error instanceof TidegateError) || error.code !== 'ACCOUNT_DIFFERS') throw error;
      const aside = putAside(folder, clock.now());
      log.warn('the journal of another account was put aside, and a new one begins', { aside });
      await trade(false);
    });
  } finally {
    log.close();
  }
}

/** Renames the journal, and what lies beside it, so that the next one begins anew. @returns its new name. */
function putAside({ journal }: BotFolder, now: number): string {
  const stamp = isoTime(Math.floor(now)).replaceAll(':', '-');
  const aside = journal.replace(/\.sqlite$/, `-${stamp}.sqlite`);
  for (const end of ['-wal', '-shm', '.mark', '']) if (existsSync(`${journal}${end}`)) renameSync(`${journal}${end}`, `${aside}${end}`);
  return aside;
}

function requireUrls(loaded: LoadedConfig, { instruments }: Config, { spotBaseUrl, contractBaseUrl }: Omit<Access, 'credentials'>): void {
  const symbols = Object.keys(instruments);
  const isContract = (symbol: string) => symbol.endsWith('-PERP');
  const missing = (name: string, symbol: string | undefined) =>
    refused(
      loaded,
      `live.${name}: missing: ${symbol} is traded there (or set TIDEGATE_${name === 'spotBaseUrl' ? 'SPOT' : 'CONTRACT'}_BASE_URL)`,
    );
  if (spotBaseUrl === undefined && !symbols.every(isContract))
    throw missing(
      'spotBaseUrl',
      symbols.find((symbol) => !isContract(symbol)),
    );
  if (contractBaseUrl === undefined && symbols.some(isContract)) throw missing('contractBaseUrl', symbols.find(isContract));
}

function refused(loaded: LoadedConfig, message: string): TidegateError {
  return new TidegateError('CONFIG_INVALID', formatAt(loaded.locate(['live', 'enabled'], true), message));
}

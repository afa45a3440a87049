import { existsSync, renameSync } from 'node:fs';
import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { BotJournal } from '../../journal/bot-journal.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import { isoTime } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { State } from '../../state/state.ts';
import { SteadyClock, SystemClock, TurnClock } from '../../venues/rest/real-clock.ts';
import { type Access, accessOf } from '../access/access-settings.ts';
import { referenceSymbols } from '../config/account-settings.ts';
import { hideSecrets, isKeyVariable } from '../config/hide-secrets.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { formatAt } from '../config/reading/problems.ts';
import { type BotFolder, botFolder, makeBotFolder } from '../planning/bot-folder.ts';
import { type BotPlan, expectedContracts } from '../planning/run-plans.ts';
import { botLog, LateLog, wallSet } from '../terminal/bot-log.ts';
import { BotScreen } from '../terminal/bot-screen.ts';
import { readKnown } from './bot/journal-history.ts';
import { withChanges } from './bot/setting-changes.ts';
import { type StartWaits, untilAnswered } from './bot/until-answered.ts';
import { CLOSES_ONLY, type WaitingBot } from './bot/waiting-bot.ts';
import { botClients } from './bot-clients.ts';
import { checkExchange, termsText, tradingTerms } from './exchange-checks.ts';
import { botSection, planBot } from './plan-bot.ts';
import { takeHandover } from './process/handover.ts';
import { botRecorder, runBot } from './process/run-bot.ts';
import { postSettings } from './process/signal-post.ts';
import type { RunOptions } from './run-paper.ts';
import type { WarmUp } from './warm-up.ts';

/** Runs a bot against the exchange of its config, with real money. */
export async function runLive(path: string, options: RunOptions): Promise<void> {
  const { loaded, changes, notes } = withChanges(path, options.set ?? [], 'live');
  const { config } = loaded;
  botSection(loaded, 'live');
  const live = config.live!;
  if (!live.enabled) throw refused(loaded, 'live.enabled: expected true: orders are sent with real money only if you set it');
  const hasKeys = Object.keys(process.env).some(isKeyVariable);
  const { credentials, ...given } = accessOf({}, process.env, live);
  const post = postSettings(loaded, 'live', process.env);
  // Strategies are loaded later. A warning follows if the keys cannot be hidden from them.
  const readable = !hideSecrets() && hasKeys;
  if (credentials === undefined) {
    throw new TidegateError(
      'KEYS_INVALID',
      'no keys were found: set TIDEGATE_API_KEY, _SECRET and _PASSPHRASE, or TIDEGATE_KEYS_FILE, or live.keys',
    );
  }
  requireUrls(loaded, given);
  const log = new LateLog();
  const logWall = wallSet(log);
  let clockSet = (_byMs: number) => {};
  const clock = new SystemClock((byMs) => {
    logWall(byMs);
    clockSet(byMs);
  });
  const { plan: planned, warnings, warmUp } = await planBot(loaded, 'live', log, { start: clock.now(), speed: 1 });
  const plan = { ...planned, changes };
  const folder = botFolder(live.dir, config.name, 'live');
  makeBotFolder(folder);
  const screen = new BotScreen(options);
  const settings = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  let openLog: ((redact: (text: string) => string) => void) | undefined = (redact) =>
    log.open(botLog({ file: folder.log, lines: screen.line, redact, now: () => clock.now() }));
  const trade = async (isSameAccount: boolean, beganBecause?: string) => {
    const turns = new TurnClock(clock);
    const opening = { bot: config.name, now: () => turns.now(), instruments: plan.instruments, beganBecause };
    const journal = BotJournal.open(folder.journal, opening);
    const clients = botClients({ clock, steady: new SteadyClock(), credentials, settings, live });
    openLog?.((text) => clients.redact(post?.token.redact(text) ?? text));
    openLog = undefined;
    try {
      const terms = tradingTerms(loaded, { mode: 'live', folder, accountId: clients.accountId, ...given });
      if (screen.live) screen.text(termsText(terms));
      else log.info('about to trade', terms);
      for (const warning of [...notes, ...warnings]) log.warn(warning);
      if (readable)
        log.warn('the keys are in environment variables, which strategies can read on this system: use a file, TIDEGATE_KEYS_FILE');
      const handover = (signal: AbortSignal) => takeHandover(folder, journal, opening, { log, signal });
      const prepare = async (waiting: WaitingBot, waits: StartWaits) => {
        const { signal, hurry } = waiting;
        const retrying = { clock, log, signal, hurry, waits };
        // A killed bot sends only cancels and closes: a wrong clock, a suspended pair or a missing list of pairs keeps it from neither.
        const passes = ({ code, message }: TidegateError) => {
          const isPassed = waiting.isKilled && (code === 'START_REFUSED' || clients.client.timeKnown);
          if (isPassed) log.warn('killed: the bot starts all the same, to cancel and to close', { error: message });
          return isPassed;
        };
        waits.begin('the checks of the config at the exchange');
        const ofContracts = { expected: expectedContracts(plan), positions: config.risk.positions };
        const mustStart = (instrument: Instrument) => waiting.isKilled || isOpenOn(waiting.state, instrument);
        const notes = await untilAnswered(() => checkExchange(clients.client, plan.instruments, mustStart, ofContracts), {
          ...retrying,
          passes,
        });
        for (const note of notes ?? []) log.warn(note);
        if (warmUp !== undefined) await readCandles({ warmUp, client: clients.client, waiting, waits, clock, log });
      };
      const openRecorder = () => botRecorder(config, plan, clock, log);
      const parts = { mode: 'live', plan, folder, clock, turns, speed: 1, clients, isSameAccount, journal, log, screen, post } as const;
      const watchClock = (found: (byMs: number) => void) => {
        clockSet = found;
      };
      await runBot({ ...parts, handover, prepare, openRecorder, watchClock });
    } finally {
      journal.close();
      await clients.close();
    }
  };
  const { newAccount = false, sameAccount = false, newJournal = false } = options;
  try {
    const damage = newJournal ? damageOf(folder, plan, () => clock.now()) : undefined;
    let beganBecause: string | undefined;
    if (damage !== undefined) {
      const aside = renameJournal(folder, clock.now());
      log.warn('the journal cannot be used: it was renamed, and a new one begins', { aside, why: damage });
      beganBecause = `it began again, because the one before (${aside}) cannot be used`;
    }
    await trade(sameAccount, beganBecause).catch(async (error: unknown) => {
      if (!newAccount || !(error instanceof TidegateError) || error.code !== 'ACCOUNT_DIFFERS') throw error;
      const aside = renameJournal(folder, clock.now());
      log.warn('the journal belongs to another account: it was renamed, and a new one begins', { aside });
      await trade(false);
    });
  } finally {
    log.close();
  }
}

interface CandlesWanted {
  readonly warmUp: WarmUp;
  readonly client: ExchangeClient;
  readonly waiting: WaitingBot;
  readonly waits: StartWaits;
  readonly clock: Clock;
  readonly log: Log;
}

/** Reads the candles that strategies need. A kill does not wait for them: without them no strategy runs. */
async function readCandles({ warmUp, client, waiting, waits, clock, log }: CandlesWanted): Promise<void> {
  waits.begin('candles of the exchange');
  const { signal, hurry } = waiting;
  const giveUp = AbortSignal.any([signal, hurry]);
  const passes = () => waiting.isKilled;
  const found = waiting.isKillUnfinished
    ? undefined
    : await untilAnswered(() => warmUp.fromCandles(client, clock.now()), { clock, log, signal, giveUp, hurry, passes, waits });
  for (const gap of found ?? []) log.warn(gap);
  if (found !== undefined || signal.aborted) return;
  waiting.closesOnly = true;
  log.warn(CLOSES_ONLY);
}

/** Whether the journal has a position or an open order of the instrument. */
function isOpenOn({ books, formerBooks, openOrders }: State, instrument: Instrument): boolean {
  if ([...openOrders.values()].some((order) => order.instrument === instrument)) return true;
  return [...books.values(), ...formerBooks.values()].some((book) => book.sides(instrument).some(({ steps }) => steps !== 0));
}

/** Why the journal cannot be used; `undefined` if it can. @throws TidegateError JOURNAL_FAILED, BOT_RUNNING */
function damageOf({ journal }: BotFolder, plan: BotPlan, now: () => number): string | undefined {
  if (!existsSync(journal)) return undefined;
  try {
    const opened = BotJournal.open(journal, { bot: plan.name, now, instruments: plan.instruments });
    try {
      readKnown(plan, opened);
    } finally {
      opened.close();
    }
    return undefined;
  } catch (error) {
    if (error instanceof TidegateError && error.code === 'JOURNAL_DAMAGED') return error.message;
    throw error;
  }
}

/** Renames the journal and its companion files, so that a new one begins. @returns its new path. */
function renameJournal({ journal }: BotFolder, now: number): string {
  const stamp = isoTime(Math.floor(now)).replaceAll(':', '-');
  const aside = journal.replace(/\.sqlite$/, `-${stamp}.sqlite`);
  for (const end of ['-wal', '-shm', '.mark', '']) if (existsSync(`${journal}${end}`)) renameSync(`${journal}${end}`, `${aside}${end}`);
  return aside;
}

function requireUrls(loaded: LoadedConfig, { spotBaseUrl, contractBaseUrl }: Omit<Access, 'credentials'>): void {
  const symbols = Object.keys(loaded.config.instruments);
  const references = referenceSymbols(loaded.config);
  const isContract = (symbol: string) => symbol.endsWith('-PERP');
  const missing = (name: string, symbol: string | undefined) =>
    refused(
      loaded,
      `live.${name}: missing: ${symbol} ${references.has(symbol ?? '') ? 'has its prices' : 'is traded'} at this URL (or set TIDEGATE_${name === 'spotBaseUrl' ? 'SPOT' : 'CONTRACT'}_BASE_URL)`,
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

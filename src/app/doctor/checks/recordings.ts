import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { BUDGET_DEFAULTS } from '../../../exchange/client/weight-budget.ts';
import { ExchangeError } from '../../../exchange/errors.ts';
import { OPERATION_TABLE } from '../../../exchange/operations/operation-table.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { FileLock } from '../../../journal/journal-lock.ts';
import { isoTime } from '../../../model/time.ts';
import { openRecording } from '../../../recording/catalogue/open-recording.ts';
import { checkSeries } from '../../../recording/checks/check-series.ts';
import { seriesTitle } from '../../../recording/columns/series-meta.ts';
import type { StoredSeries } from '../../../recording/columns/series-reader.ts';
import { OWN_FILES } from '../../base/own-files.ts';
import { pairTroubles } from '../../live/exchange-checks.ts';
import { botSection, requireProfile } from '../../live/plan-bot.ts';
import { readHeartbeat } from '../../live/process/heartbeat.ts';
import { plannedStrategies } from '../../planning/planned-strategies.ts';
import { type Check, failed, type Outcome, ok, type Patient, skipped, warning } from '../check.ts';

/** Beyond this share, orders and look-ups find little left. */
const BUSY = 0.5;
const MEND = 'ask less often (live.poll), trade fewer symbols, or set live.budget to what the exchange grants you';

export const limits: Check = {
  id: 'limits',
  title: 'what the bot asks fits into the limits',
  modes: ['live'],
  needs: ['config'],
  mend: MEND,
  run(patient) {
    const { ipWeight, windowMs } = { ...BUDGET_DEFAULTS, ...patient.loaded.config.live?.budget };
    const spent = Math.ceil(weightOf(patient, windowMs));
    const share = spent / ipWeight;
    const found = `looking alone takes some ${spent} of ${ipWeight} weight in ${windowMs / 1_000} s`;
    if (share > 1) return failed(found, MEND);
    return share > BUSY ? warning(found, MEND) : ok(found);
  },
};

/** Of one window without an order: tickers and marks, fills, balances, the futures account and its orders. */
function weightOf({ loaded: { config }, instruments }: Patient, windowMs: number): number {
  const { tickerMs, accountMs } = config.live!.poll;
  const of = (name: keyof typeof OPERATION_TABLE) => OPERATION_TABLE[name].weight.ip;
  const spot = instruments.filter(({ kind }) => kind === 'spot').length;
  const contracts = instruments.length - spot;
  const prices = Math.min(spot * of('ticker'), of('tickers')) + contracts * of('futuresTicker');
  const account = (spot > 0 ? of('accountAssets') : 0) + (contracts > 0 ? of('futuresAccount') + contracts * of('futuresOrders') : 0);
  return windowMs * (prices / tickerMs + account / accountMs);
}

export const nodeVersion: Check = {
  id: 'node',
  title: 'Node is new enough',
  mend: 'install Node anew',
  run({ machine: { nodeVersion: found } }) {
    const { engines } = JSON.parse(readFileSync(OWN_FILES.packageJson, 'utf8')) as { engines: { node: string } };
    const wanted = engines.node.replace(/^\D+/, '');
    if (found.localeCompare(wanted, 'en', { numeric: true }) >= 0) return ok(`Node ${found}, at least ${wanted} is needed`);
    return failed(`Node ${found}, at least ${wanted} is needed`, `install Node ${wanted} or newer`);
  },
};

const PAIRS_MEND = 'write into the config what the exchange says: `tidegate api exchangeInfo`';

export const pairs: Check = {
  id: 'pairs',
  title: 'pairs are listed, in the units of the config',
  modes: ['live'],
  needs: ['spot'],
  mend: PAIRS_MEND,
  async run({ exchange, instruments }) {
    const spot = instruments.filter(({ kind }) => kind === 'spot');
    if (spot.length === 0) return skipped('no pair is traded');
    const { wrong, notes } = await pairTroubles(exchange, spot);
    if (wrong.length > 0) return failed(wrong.join('; '), PAIRS_MEND);
    return notes.length > 0 ? warning(notes.join('; '), PAIRS_MEND) : ok(spot.map(({ symbol }) => symbol).join(', '));
  },
};

const UNKNOWN = 'whether it may withdraw, which it should not, the API does not tell: look at its page at the exchange';

/** Canceling an order that never was harms nothing, and is refused in another way where the key may not trade. */
export const permissions: Check = {
  id: 'permissions',
  title: 'the key may trade',
  modes: ['live'],
  needs: ['accepted'],
  mend: 'see to the reason first, then ask again',
  async run({ exchange, instruments }) {
    const clientOid = `doctor-${randomUUID().slice(0, 8)}`;
    for (const kind of ['spot', 'futures'] as const) {
      const symbol = instruments.find((one) => one.kind === kind)?.symbol;
      if (symbol === undefined) continue;
      const body = { symbol: wireSymbol(symbol), clientOid };
      try {
        await (kind === 'spot' ? exchange.cancelOrder(body) : exchange.cancelFuturesOrder(body));
      } catch (error) {
        if (!(error instanceof ExchangeError) || error.outcome !== 'rejected') throw error;
        if (error.reason !== 'permission') continue;
        return failed(`it may not trade ${kind}: ${error.message}`, "let the key trade, at the exchange's page");
      }
    }
    return ok(`it may cancel, and so trade; ${UNKNOWN}`);
  },
};

/** An entry of pm2's file, as far as it is looked at. */
interface App {
  readonly name?: string;
  readonly args?: readonly string[] | string;
  readonly cwd?: string;
  readonly kill_timeout?: number;
  readonly wait_ready?: boolean;
}
const FILE = 'ecosystem.config.cjs';

export const processManager: Check = {
  id: 'manager',
  title: "pm2's file gives the bot its time",
  modes: ['paper', 'live'],
  needs: ['config'],
  mend: `mend ${FILE}; docs/live.md`,
  run(patient) {
    const path = join(patient.machine.cwd, FILE);
    if (!existsSync(path)) return skipped(`there is no ${FILE} here; with systemd: docs/systemd`);
    const { apps = [] } = createRequire(path)(path) as { apps?: readonly App[] };
    const own = apps.filter((app) => runs(app, patient));
    if (own.length === 0) return skipped(`no entry of ${FILE} runs \`${patient.mode} ${basename(patient.path)}\``);
    const { graceMs } = botSection(patient.loaded, patient.mode as 'live');
    for (const { name = 'an entry', kill_timeout: killMs = 1_600, wait_ready: waits } of own) {
      if (killMs <= graceMs) {
        return failed(`${name}: pm2 kills after ${killMs} ms, the bot may take ${graceMs} to stop`, 'set kill_timeout above graceMs');
      }
      if (waits !== true) return failed(`${name}: pm2 does not wait until the bot is ready`, 'set wait_ready: true');
    }
    return ok(own.map(({ name }) => name).join(', '));
  },
};

function runs({ args = [], cwd = '.' }: App, { path, mode, machine }: Patient): boolean {
  const words = typeof args === 'string' ? args.split(' ') : args;
  return words[0] === mode && words.some((word) => resolve(machine.cwd, cwd, word) === resolve(path));
}

/** A round trip that long leaves prices old, and orders late. */
const SLOW_MS = 2_000;
const REACHABLE_MEND = 'see to the network, the URL and the proxy; the exchange may be down, or not let this address in';

const reachable = (id: string, host: 'spot' | 'futures', ask: (client: ExchangeClient) => Promise<unknown>): Check => ({
  id,
  title: `the ${host} host answers`,
  modes: ['live'],
  needs: ['keys'],
  mend: REACHABLE_MEND,
  async run({ exchange, access }) {
    const url = host === 'spot' ? access?.spotBaseUrl : access?.contractBaseUrl;
    if (url === undefined) return skipped('nothing is traded there');
    // The first request opens the connection.
    await ask(exchange);
    const sent = performance.now();
    await ask(exchange);
    const tookMs = Math.round(performance.now() - sent);
    const found = `${url} answers in ${tookMs} ms`;
    return tookMs > SLOW_MS ? warning(found, 'see to the network, or run nearer to the exchange') : ok(found);
  },
});

export const spotReachable = reachable('spot', 'spot', (client) => client.spotTime());
export const futuresReachable = reachable('futures', 'futures', (client) => client.futuresTime());

const SEE = '`tidegate data check` shows all of it; `tidegate data import` or `data download` gets it anew';

export const recordings: Check = {
  id: 'recordings',
  title: 'the recordings are there and sound, over the whole period',
  modes: ['backtest', 'paper'],
  needs: ['config'],
  mend: SEE,
  async run(patient) {
    const { config } = patient.loaded;
    const names = namesOf(patient);
    if (names.length === 0) return skipped('prices come from an exchange');
    const series: StoredSeries[] = [];
    for (const name of names) series.push(...(await openRecording(config.dataDir, name, Object.keys(config.instruments))).series);
    const wrong = [...missing(patient, series)];
    const doubtful: string[] = [];
    for (const one of series) {
      for (const { severity, text } of checkSeries(one).findings) {
        (severity === 'error' ? wrong : doubtful).push(`${seriesTitle(one.meta)}: ${text}`);
      }
    }
    return judged(wrong, doubtful, `${series.length} series of ${names.join(', ')}`);
  },
};

function namesOf({ loaded: { config }, mode }: Patient): readonly string[] {
  if (mode === 'backtest') return config.backtest.data;
  const recording = config.paper?.prices.recording;
  return recording === undefined ? [] : [recording];
}

/** What the period, or paper, wants and no series has. */
function* missing({ loaded: { config }, mode }: Patient, series: readonly StoredSeries[]): Generator<string> {
  const { from, to = Number.POSITIVE_INFINITY } = config.backtest;
  for (const symbol of Object.keys(config.instruments)) {
    const own = series.filter(({ meta }) => meta.symbol === symbol && (mode === 'backtest' || meta.kind === 'ticker'));
    if (own.length === 0) yield `${symbol}: nothing is recorded${mode === 'paper' ? ' of its tickers, which paper plays' : ''}`;
    else if (mode === 'backtest') {
      const [first, last] = [Math.min(...own.map(({ meta }) => meta.firstTime)), Math.max(...own.map(({ meta }) => meta.lastTime))];
      const range = `is recorded from ${isoTime(first)} to ${isoTime(last)}`;
      if (last < (from ?? first) || first >= to) yield `${symbol}: ${range}, nothing of it between backtest.from and backtest.to`;
      else if (from !== undefined && first > from) yield `${symbol}: ${range}, and backtest.from is ${isoTime(from)}`;
    }
  }
}

function judged(wrong: readonly string[], doubtful: readonly string[], all: string): Outcome {
  if (wrong.length > 0) return failed(wrong.join('; '), SEE);
  return doubtful.length > 0 ? warning(doubtful.join('; '), SEE) : ok(all);
}

/** A bot that writes a heartbeat a second, and has not for so long, hangs, or is still starting. */
const SILENT_MS = 10_000;

export const running: Check = {
  id: 'running',
  title: 'no process of the bot hangs',
  modes: ['paper', 'live'],
  needs: ['folder'],
  mend: 'let this user write to the lock file',
  run({ folder }) {
    const path = `${folder.journal}.lock`;
    const lock = existsSync(path) ? FileLock.take(path) : undefined;
    lock?.release();
    if (!existsSync(path) || lock !== undefined) return ok('the bot does not run');
    const beat = readHeartbeat(folder.heartbeat);
    const ageMs = beat === undefined ? Number.POSITIVE_INFINITY : Date.now() - beat.time;
    if (beat?.phase === 'running' && ageMs < SILENT_MS) return ok(`the bot runs (process ${beat.pid})`);
    const since = Number.isFinite(ageMs) ? `its newest heartbeat is ${Math.round(ageMs / 1_000)} s old` : 'it has no heartbeat';
    return failed(`a process holds the journal, and ${since}`, 'it is starting, or hangs: see log.jsonl; end that process where it hangs');
  },
};

export const strategies: Check = {
  id: 'strategies',
  title: 'the strategies load, and can be given what they ask for',
  needs: ['config'],
  mend: 'mend the strategy, or its parameters in the config; docs/strategies.md',
  async run({ loaded, mode }) {
    if (mode !== 'backtest') requireProfile(loaded, mode);
    const { strategies: planned, needs } = await plannedStrategies(loaded);
    if (mode !== 'backtest') requireProfile(loaded, mode, needs);
    return ok(planned.map(({ id }) => id).join(', '));
  },
};

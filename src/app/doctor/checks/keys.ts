import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { BUDGET_DEFAULTS, WeightBudget } from '../../../exchange/client/weight-budget.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { inspectJournal, setLatches } from '../../../journal/journal-reader.ts';
import { isRemote } from '../../../recording/remote-storage.ts';
import { checkSettings } from '../../../venues/rest/futures/margin-binding.ts';
import { SystemClock } from '../../../venues/rest/real-clock.ts';
import { accessOf } from '../../access/access-settings.ts';
import { readConfig } from '../../config/load-config.ts';
import { clockTrouble, contractTroubles } from '../../live/exchange-checks.ts';
import { planBot } from '../../live/plan-bot.ts';
import { plannedAccount } from '../../planning/account.ts';
import { expectedContracts, SILENT } from '../../planning/run-plans.ts';
import { type Check, failed, ok, type Patient, skipped, warning } from '../check.ts';

export const botFolderCheck: Check = {
  id: 'folder',
  title: "the bot's folder can be written to",
  modes: ['paper', 'live'],
  needs: ['config'],
  mend: 'give the folder to the user of the bot',
  run({ folder: { path, journal } }) {
    const places = [journal, `${journal}-wal`, path].filter(existsSync);
    const nearest = places.length > 0 ? places : [nearestOf(path)];
    for (const place of nearest) {
      try {
        accessSync(place, place === path || places.length === 0 ? constants.W_OK | constants.X_OK : constants.R_OK | constants.W_OK);
      } catch (error) {
        const why = (error as NodeJS.ErrnoException).code === 'EACCES' ? 'this user may not write there' : (error as Error).message;
        return failed(`${place}: ${why}`, 'give it to the user of the bot, or name another folder in `dir`');
      }
    }
    return ok(path);
  },
};

/** The folder that would be made lies somewhere in one that is there. */
function nearestOf(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestOf(dirname(path));
}

export const clockOffset: Check = {
  id: 'clock',
  title: "the clock is the exchange's",
  modes: ['live'],
  needs: ['spot', 'futures'],
  mend: 'let the clock be set (NTP)',
  async run({ exchange }) {
    const { offsetMs, trouble } = await clockTrouble(exchange);
    return trouble === undefined ? ok(`${Math.round(Math.abs(offsetMs))} ms apart`) : failed(trouble, 'let the clock be set (NTP)');
  },
};

export const configCheck: Check = {
  id: 'config',
  title: 'the config is sound',
  mend: 'mend the places that are named; docs/config.md has every key',
  run(patient) {
    const { config } = patient.load();
    const { mode } = patient;
    if (mode !== 'backtest' && config[mode] === undefined) return failed(`it has no section "${mode}"`, `write one: docs/live.md`);
    return ok(`${config.name}: ${config.strategies.length} strategies on ${Object.keys(config.instruments).join(', ')}`);
  },
};

const MEND = 'set mode and leverage at the exchange as in account.margin and contract.margin, or the other way round';
/** Of the coin that contracts are settled in. */
const USDT = '2';

export const contracts: Check = {
  id: 'contracts',
  title: 'contracts have prices, mode and leverage as the config reckons',
  modes: ['live'],
  needs: ['futures', 'accepted'],
  mend: MEND,
  async run({ exchange, instruments, loaded: { config } }) {
    const own = instruments.filter(({ kind }) => kind === 'futures');
    if (own.length === 0) return skipped('no contract is traded');
    const wrong = await contractTroubles(exchange, own);
    if (wrong.length > 0) return failed(wrong.join('; '), 'trade what the exchange has');
    const { account } = await exchange.futuresAccount({ coinId: USDT });
    checkSettings(
      expectedContracts({ instruments, account: plannedAccount(config) }).filter(({ instrument }) => instrument.quote === 'USDT'),
      account,
    );
    const { create_order_rate_limit_per_minute: most } = account;
    return ok(`${own.map(({ symbol }) => symbol).join(', ')}; ${most === 0 ? 'no limit' : `at most ${most}`} on orders a minute`);
  },
};

const MB = 1_000_000;
/** A bot on a full disk stops. A month of a price a second is some 220 MB. */
const LEAST = 100 * MB;
const ENOUGH = 1_000 * MB;

export const disk: Check = {
  id: 'disk',
  title: 'there is room on the disk',
  needs: ['config'],
  mend: 'let this user see the disk of the folder',
  run(patient) {
    const places = placesOf(patient).map((path) => ({ path, free: patient.machine.freeBytes(path) }));
    const [worst] = places.sort((a, b) => a.free - b.free);
    if (worst === undefined) return ok('nothing is kept on a disk');
    const found = `${Math.floor(worst.free / MB)} MB are free at ${worst.path}`;
    if (worst.free < LEAST) return failed(found, 'make room: a bot that cannot write its journal stops');
    return worst.free < ENOUGH ? warning(found, 'make room before long: a month of one price a second is 220 MB') : ok(found);
  },
};

function placesOf(patient: Patient): string[] {
  const { dataDir } = patient.loaded.config;
  const data = isRemote(dataDir) ? [] : [dataDir];
  return patient.mode === 'backtest' ? data : [...data, patient.folder.path];
}

export const enabled: Check = {
  id: 'enabled',
  title: 'orders may go to the exchange',
  modes: ['live'],
  needs: ['config'],
  mend: 'set live.enabled to true or false',
  run({ path, set, machine: { environment } }) {
    const { value } = readConfig(path, { set, env: environment });
    const { enabled: isEnabled } = (value.live ?? {}) as { enabled?: unknown };
    if (isEnabled === true) return ok('live.enabled is true');
    return warning('live.enabled is not true: `tidegate live` will refuse', 'set it to true when you mean it');
  },
};

export const history: Check = {
  id: 'history',
  title: 'bars from before the start fill the indicators',
  modes: ['live'],
  needs: ['strategies'],
  mend: 'import newer bars into a recording of backtest.data, or set live.candles to true, or live.warmup to cold',
  async run({ loaded, mode }) {
    const { warnings, warmUp } = await planBot(loaded, mode as 'live', SILENT, { start: Date.now(), speed: 1 });
    if (warmUp !== undefined) return ok('the exchange is asked for candles at the start');
    return warnings.length > 0 ? warning(warnings.join('; '), 'import newer bars, or set live.candles to true') : ok('nothing is missing');
  },
};

export const journal: Check = {
  id: 'journal',
  title: 'the journal is whole, and of this bot',
  modes: ['paper', 'live'],
  needs: ['folder'],
  mend: 'put the journal aside and start with a copy that is whole, or with none: the exchange is then asked what is open',
  run({ folder, loaded, instruments }) {
    if (!existsSync(folder.journal)) return skipped('there is none yet');
    const { records } = inspectJournal(folder.journal, { bot: loaded.config.name, instruments });
    return ok(`${records} records, each as it was written`);
  },
};

export const keyAccepted: Check = {
  id: 'accepted',
  title: 'the exchange takes the keys',
  modes: ['live'],
  needs: ['clock'],
  mend: 'check key, secret, passphrase, the addresses that the key is bound to, and whether the account is frozen',
  async run({ exchange, access, instruments }) {
    const read: string[] = [];
    if (access?.spotBaseUrl !== undefined) {
      await exchange.accountAssets();
      read.push('balances');
    }
    const contract = instruments.find(({ kind }) => kind === 'futures');
    if (contract !== undefined) {
      await exchange.futuresOrders({ symbol: wireSymbol(contract.symbol) });
      read.push('futures orders');
    }
    return ok(`${read.join(' and ')} can be read`);
  },
};

const KEYS_MEND = 'set TIDEGATE_API_KEY, _SECRET and _PASSPHRASE, or TIDEGATE_KEYS_FILE (a JSON file of mode 600), or live.keys';

export const keys: Check = {
  id: 'keys',
  title: 'there are keys, and places to send them to',
  modes: ['live'],
  needs: ['config'],
  mend: KEYS_MEND,
  run(patient) {
    const { config } = patient.loaded;
    const access = accessOf({}, patient.machine.environment, config.live);
    const { credentials, spotBaseUrl, contractBaseUrl, locale } = access;
    if (credentials === undefined) return failed('no keys', KEYS_MEND);
    const symbols = Object.keys(config.instruments);
    const isContract = (symbol: string) => symbol.endsWith('-PERP');
    const lacking = [
      ...(spotBaseUrl === undefined && !symbols.every(isContract) ? ['live.spotBaseUrl'] : []),
      ...(contractBaseUrl === undefined && symbols.some(isContract) ? ['live.contractBaseUrl'] : []),
    ];
    if (lacking.length > 0) return failed(`${lacking.join(' and ')} missing`, 'name the URLs of the exchange');
    const clock = new SystemClock();
    patient.access = access;
    patient.client = new ExchangeClient({
      clock,
      budget: new WeightBudget(clock, { ...BUDGET_DEFAULTS, ...config.live?.budget }),
      credentials,
      random: Math.random,
      settings: { ...config.live?.timeouts, spotBaseUrl, contractBaseUrl, ...(locale === undefined ? {} : { locale }), readAttempts: 1 },
    });
    return ok(`account ${credentials.accountId} (a hash of the key)`);
  },
};

export const latches: Check = {
  id: 'latches',
  title: 'nothing keeps the bot from trading',
  modes: ['paper', 'live'],
  needs: ['folder'],
  mend: 'mend the journal first',
  run({ folder, instruments }) {
    const set = existsSync(folder.journal) ? setLatches(folder.journal, instruments) : [];
    const words = set.map(
      ({ rule, strategyId, reason }) => `${rule}${strategyId === undefined ? '' : ` of ${strategyId}`} (${reason ?? ''})`,
    );
    const isKilled = existsSync(folder.killFile);
    if (!isKilled && set.length === 0) return ok('no kill file, no latch');
    const found = [...(isKilled ? [`the kill file ${folder.killFile} is there`] : []), ...words.map((word) => `latched: ${word}`)];
    const file = isKilled ? 'remove the kill file, then ' : '';
    return failed(found.join('; '), `find out why; ${file}\`tidegate reset\` while the bot runs`);
  },
};

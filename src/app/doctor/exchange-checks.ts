import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { SHORTEST_SEARCHED } from '../../exchange/client/credentials.ts';
import { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { BUDGET_DEFAULTS, WeightBudget } from '../../exchange/client/weight-budget.ts';
import { ExchangeError } from '../../exchange/errors.ts';
import { OPERATION_TABLE } from '../../exchange/operations/operation-table.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import { withJournal } from '../../journal/journal-reader.ts';
import { Decimal } from '../../model/decimal.ts';
import { type Instrument, tradableOf } from '../../model/instrument.ts';
import type { Log } from '../../ports/log.ts';
import { checkSettings } from '../../venues/rest/futures/contract-settings.ts';
import { FuturesReads } from '../../venues/rest/futures/futures-reads.ts';
import { linesToWrite } from '../../venues/rest/listed-grids.ts';
import { SystemClock } from '../../venues/rest/real-clock.ts';
import { accessOf } from '../access/access-settings.ts';
import { type LoadedConfig, readConfig } from '../config/load-config.ts';
import { ACCOUNT_MEMORY, checkAccount, type KnownAccount } from '../live/bot/account-check.ts';
import { readKnown } from '../live/bot/journal-history.ts';
import { clockTrouble } from '../live/clock-checks.ts';
import {
  contractTroubles,
  type GridTrouble,
  gridTroubleText,
  lackingOrThrow,
  pairTroubles,
  suspendedText,
  USDT,
} from '../live/exchange-checks.ts';
import { botPlanOf } from '../live/plan-bot.ts';
import { plannedAccount } from '../planning/planned-account.ts';
import { expectedContracts } from '../planning/run-plans.ts';
import { type Check, failed, type Outcome, ok, type Patient, skipped, warning } from './check.ts';

/** Above this share, little weight is left for orders and queries. */
const BUSY = 0.5;
const LIMITS_MEND = "poll less often (live.poll), trade fewer symbols, or set live.budget to your account's limits";

export const limits: Check = {
  id: 'limits',
  title: "polling fits into the exchange's rate limits",
  modes: ['live'],
  needs: ['config'],
  mend: LIMITS_MEND,
  run(patient) {
    const { ipWeight, windowMs } = { ...BUDGET_DEFAULTS, ...patient.loaded.config.live?.budget };
    const spent = Math.ceil(weightOf(patient, windowMs));
    const share = spent / ipWeight;
    const found = `polling alone uses some ${spent} of ${ipWeight} weight in ${windowMs / 1_000} s`;
    if (share > 1) return failed(found, LIMITS_MEND);
    return share > BUSY ? warning(found, LIMITS_MEND) : ok(found);
  },
};

/** The weight of polling in one window without orders: prices, fills, balances, the futures account and its lists. */
function weightOf({ loaded: { config }, instruments }: Patient, windowMs: number): number {
  const { tickerMs, accountMs, idleMs } = config.live!.poll;
  const of = (name: keyof typeof OPERATION_TABLE) => OPERATION_TABLE[name].weight.ip;
  const spotOf = (some: readonly Instrument[]) => some.filter(({ kind }) => kind === 'spot').length;
  const polled = spotOf(instruments);
  const prices = Math.min(polled * of('ticker'), of('tickers')) + (instruments.length - polled) * of('futuresTicker');
  const traded = tradableOf(instruments);
  const spot = spotOf(traded);
  const contracts = traded.length - spot;
  // All contracts share their lists.
  const account = (spot > 0 ? of('accountAssets') : 0) + (contracts > 0 ? of('futuresAccount') + of('futuresFills') : 0);
  const lists = spot * of('fills') + (contracts > 0 ? of('futuresOrders') + of('triggers') : 0);
  return windowMs * (prices / tickerMs + account / accountMs + lists / idleMs);
}

export const enabled: Check = {
  id: 'enabled',
  title: 'the config allows real orders',
  modes: ['live'],
  needs: ['config'],
  mend: 'set live.enabled to true or false',
  run({ path, set, machine: { environment } }) {
    const { value } = readConfig(path, { withoutBacktest: true, set, env: environment });
    const { enabled: isEnabled } = (value.live ?? {}) as { enabled?: unknown };
    if (isEnabled === true) return ok('live.enabled is true');
    return warning('live.enabled is not true: `tidegate live` will refuse to start', 'set it to true to trade with real money');
  },
};

const KEYS_MEND = 'set TIDEGATE_API_KEY, _SECRET and _PASSPHRASE, or TIDEGATE_KEYS_FILE (a JSON file of mode 600), or live.keys';

export const keys: Check = {
  id: 'keys',
  title: 'there are keys and URLs of the exchange',
  modes: ['live'],
  needs: ['config'],
  mend: KEYS_MEND,
  run(patient) {
    const { config } = patient.loaded;
    const access = accessOf({}, patient.machine.environment, config.live);
    const { credentials, spotBaseUrl, contractBaseUrl, locale } = access;
    if (credentials === undefined) return failed('no keys were found', KEYS_MEND);
    const symbols = Object.keys(config.instruments);
    const isContract = (symbol: string) => symbol.endsWith('-PERP');
    const lacking = [
      ...(spotBaseUrl === undefined && !symbols.every(isContract) ? ['live.spotBaseUrl'] : []),
      ...(contractBaseUrl === undefined && symbols.some(isContract) ? ['live.contractBaseUrl'] : []),
    ];
    if (lacking.length > 0) return failed(`${lacking.join(' and ')} missing`, 'set the URLs of the exchange');
    const clock = new SystemClock();
    patient.access = access;
    patient.client = new ExchangeClient({
      clock,
      budget: new WeightBudget(clock, { ...BUDGET_DEFAULTS, ...config.live?.budget }),
      credentials,
      random: Math.random,
      settings: { ...config.live?.timeouts, spotBaseUrl, contractBaseUrl, ...(locale === undefined ? {} : { locale }), readAttempts: 1 },
    });
    const found = `account ${credentials.accountId} (a hash of the key)`;
    if (credentials.unsearched.length === 0) return ok(found);
    const short = `${credentials.unsearched.join(' and ')} shorter than ${SHORTEST_SEARCHED} characters: not searched for in texts, so a reply of the exchange that has it is logged as it is`;
    return warning(`${found}; ${short}`, `create a key with a passphrase of ${SHORTEST_SEARCHED} characters or more`);
  },
};

const SILENT: Log = { debug() {}, info() {}, warn() {} };

/** With a round trip of this time, prices are old and orders are late. */
const SLOW_MS = 2_000;
const REACHABLE_MEND = 'check the network, the URL and the proxy; the exchange may be down, or may not accept this IP address';

const reachable = (id: string, host: 'spot' | 'futures', ask: (client: ExchangeClient) => Promise<unknown>): Check => ({
  id,
  title: `the ${host} host replies`,
  modes: ['live'],
  needs: ['keys'],
  mend: REACHABLE_MEND,
  async run({ exchange, access }) {
    const url = host === 'spot' ? access?.spotBaseUrl : access?.contractBaseUrl;
    if (url === undefined) return skipped(`the config trades no ${host}`);
    // The first request opens the connection.
    await ask(exchange);
    const sent = performance.now();
    await ask(exchange);
    const tookMs = Math.round(performance.now() - sent);
    const found = `${url} replies in ${tookMs} ms`;
    return tookMs > SLOW_MS ? warning(found, 'check the network, or run the bot nearer to the exchange') : ok(found);
  },
});

export const spotReachable = reachable('spot', 'spot', (client) => client.spotTime());
export const futuresReachable = reachable('futures', 'futures', (client) => client.futuresTime());

export const clockOffset: Check = {
  id: 'clock',
  title: "this machine's clock agrees with the exchange's",
  modes: ['live'],
  needs: ['spot', 'futures'],
  mend: 'synchronize the clock (NTP)',
  async run({ exchange }) {
    const { offsetMs, errorMs, trouble } = await clockTrouble(exchange);
    if (trouble !== undefined) return failed(trouble, 'synchronize the clock (NTP)');
    return ok(`${Math.round(Math.abs(offsetMs))} ms apart, within ${Math.round(errorMs)} ms`);
  },
};

export const keyAccepted: Check = {
  id: 'accepted',
  title: 'the exchange accepts the keys',
  modes: ['live'],
  needs: ['clock'],
  mend: 'check key, secret, passphrase, the IP addresses that the key allows, and whether the account is frozen',
  async run({ exchange, access, instruments }) {
    const read: string[] = [];
    if (access?.spotBaseUrl !== undefined) {
      await exchange.accountAssets();
      read.push('balances');
    }
    const contract = tradableOf(instruments).find(({ kind }) => kind === 'futures');
    if (contract !== undefined) {
      // That the exchange lacks this operation proves nothing about keys: the check of contracts names it.
      const lacks = await exchange.futuresAccount({ coinId: USDT }).then(() => undefined, lackingOrThrow);
      if (lacks === undefined) read.push('futures account');
    }
    return ok(`${read.join(' and ')} can be read`);
  },
};

const ACCOUNT_MEND =
  "use the keys of the journal's account; or compare both accounts and see docs/reference/live.md#is-it-the-same-account";

export const account: Check = {
  id: 'account',
  title: "the keys belong to the journal's account",
  modes: ['live'],
  needs: ['accepted', 'journal'],
  mend: ACCOUNT_MEND,
  async run({ exchange, access, instruments, folder, loaded }) {
    if (!existsSync(folder.journal)) return skipped('there is no journal yet');
    const parts = { strategies: [], needs: [], params: [], history: () => [], log: SILENT, speed: 1 };
    const plan = { ...botPlanOf(loaded, 'live', parts), instruments };
    const { state, known } = withJournal(folder.journal, instruments, (journal) => ({
      state: readKnown(plan, journal).state,
      known: journal.recall(ACCOUNT_MEMORY) as KnownAccount | undefined,
    }));
    const { accountId } = access!.credentials!;
    await checkAccount({ client: exchange, instruments: tradableOf(instruments), coinIds: plan.ids?.coins, state, known, accountId });
    return ok(
      known === undefined ? 'the journal has no account yet, and agrees with the account of these keys' : 'the same as in the journal',
    );
  },
};

const STANDING_MEND = 'raise the limit in `risk.positions`, or sell or close the position: until then, every opening order is denied';

export const standing: Check = {
  id: 'standing',
  title: "the account's positions are within risk.positions",
  modes: ['live'],
  needs: ['accepted'],
  mend: STANDING_MEND,
  async run({ exchange, instruments, loaded: { config } }) {
    const limited = instruments.flatMap((instrument) => {
      const most = config.risk.positions[instrument.symbol];
      return most === undefined ? [] : [{ instrument, most: new Decimal(most) }];
    });
    if (limited.length === 0) return skipped('risk.positions is not set');
    const onSpot = limited.some(({ instrument: { kind } }) => kind === 'spot');
    const assets = onSpot ? await exchange.accountAssets() : [];
    const picture =
      onSpot && limited.every(({ instrument: { kind } }) => kind === 'spot')
        ? undefined
        : await futuresPicture(exchange, instruments, config);
    const beyond = limited.flatMap(({ instrument, most }) => {
      const { symbol, kind, base } = instrument;
      const coin = assets.find(({ coinName }) => coinName.toUpperCase() === base);
      const spot = coin === undefined ? [] : [new Decimal(coin.available).plus(coin.frozen)];
      const sides = picture?.positions.filter((one) => one.instrument === instrument) ?? [];
      const held = kind === 'spot' ? spot : sides.map(({ steps }) => instrument.step.toDecimal(steps));
      const largest = Decimal.max(0, ...held);
      return largest.greaterThan(most) ? [`${symbol}: ${largest.toFixed()} held, risk.positions allows ${most.toFixed()}`] : [];
    });
    return beyond.length > 0
      ? warning(beyond.join('; '), STANDING_MEND)
      : ok(limited.map(({ instrument: { symbol } }) => symbol).join(', '));
  },
};

/** Positions of contracts settled in USDT, as the exchange shows them. */
async function futuresPicture(exchange: ExchangeClient, instruments: Patient['instruments'], config: Patient['loaded']['config']) {
  const contracts = instruments.filter(({ kind, quote }) => kind === 'futures' && quote === 'USDT');
  const expected = expectedContracts({ instruments, account: plannedAccount(config) });
  const reads = new FuturesReads({
    client: exchange,
    now: () => exchange.serverTime(),
    instruments: contracts,
    expected,
    checksSettings: false,
  });
  return reads.picture({ ask: 'picture', coin: 'USDT' });
}

const UNKNOWN = "the API does not show whether it may withdraw, which it should not: see the key's page at the exchange";

/** To cancel an order that never existed has no effect, and is rejected with another reason if the key may not trade. */
export const permissions: Check = {
  id: 'permissions',
  title: 'the key may trade',
  modes: ['live'],
  needs: ['accepted'],
  mend: 'fix the cause of this error, then run the check again',
  async run({ exchange, instruments }) {
    const clientOid = `doctor-${randomUUID().slice(0, 8)}`;
    for (const kind of ['spot', 'futures'] as const) {
      const symbol = tradableOf(instruments).find((one) => one.kind === kind)?.symbol;
      if (symbol === undefined) continue;
      const body = { symbol: wireSymbol(symbol), clientOid };
      try {
        await (kind === 'spot' ? exchange.cancelOrder(body) : exchange.cancelFuturesOrder(body));
      } catch (error) {
        if (!(error instanceof ExchangeError) || error.outcome !== 'rejected') throw error;
        if (error.reason !== 'permission' && error.reason !== 'barred') continue;
        return failed(`it may not trade ${kind}: ${error.message}`, "allow trading for this key on the exchange's page");
      }
    }
    return ok(`the key may cancel orders, and so trade; ${UNKNOWN}`);
  },
};

const PAIRS_MEND = "set the exchange's values in the config: `tidegate api exchangeInfo`";

export const pairs: Check = {
  id: 'pairs',
  title: "pairs are listed with the config's tick, step and limits",
  modes: ['live'],
  needs: ['spot'],
  mend: PAIRS_MEND,
  async run({ exchange, instruments, loaded }) {
    const spot = instruments.filter(({ kind }) => kind === 'spot');
    if (spot.length === 0) return skipped('the config trades no pair');
    const { grids, wrong, suspended, notes, ...found } = await pairTroubles(exchange, spot);
    const passing = [...found.passing, ...suspended.map(suspendedText)];
    if (grids.length > 0) return offGrid(grids, [...wrong, ...passing], loaded);
    if (wrong.length > 0) return failed([...wrong, ...passing].join('; '), PAIRS_MEND);
    if (passing.length > 0)
      return failed(
        passing.join('; '),
        'nothing to fix: a start without a position or orders there waits until the exchange trades the pair again',
      );
    return notes.length > 0 ? warning(notes.join('; '), PAIRS_MEND) : ok(spot.map(({ symbol }) => symbol).join(', '));
  },
};

/** The grid of the exchange is not the config's: names the lines to change. */
function offGrid(grids: readonly GridTrouble[], others: readonly string[], loaded: LoadedConfig): Outcome {
  const lines = grids.map((one) => {
    const { instrument, difference } = one;
    const { file, line } = loaded.locate(['instruments', instrument.symbol, difference.setting]);
    return `${linesToWrite([difference])} for ${instrument.symbol} (${file}:${line})`;
  });
  const mend = `write ${lines.join(', ')}; a bot with a journal keeps its units until it is flat, then starts with a new journal`;
  return failed([...grids.map(gridTroubleText), ...others].join('; '), mend);
}

const CONTRACTS_MEND =
  'set mode and leverage at the exchange as in account.margin and contract.margin, or set them in the config as at the exchange';
const LACKING_MEND = 'without one of these operations trade no futures, or set live.contractBaseUrl to an address that has them';

export const contracts: Check = {
  id: 'contracts',
  title: "contracts have prices, and the config's margin mode and leverage",
  modes: ['live'],
  needs: ['futures', 'accepted'],
  mend: CONTRACTS_MEND,
  async run({ exchange, instruments, loaded }) {
    const { config } = loaded;
    const own = instruments.filter(({ kind }) => kind === 'futures');
    if (own.length === 0) return skipped('the config trades no contract');
    const expected = expectedContracts({ instruments, account: plannedAccount(config) });
    const { grids, wrong, notes } = await contractTroubles(exchange, own, { expected, positions: config.risk.positions });
    if (grids.length > 0) return offGrid(grids, wrong, loaded);
    if (wrong.length > 0) return failed(wrong.join('; '), `use the exchange's contracts and values in the config; ${LACKING_MEND}`);
    const symbols = own.map(({ symbol }) => symbol).join(', ');
    if (tradableOf(own).length === 0) return ok(`${symbols}: only prices are used`);
    const { account } = await exchange.futuresAccount({ coinId: USDT });
    checkSettings(
      expected.filter(({ instrument }) => instrument.quote === 'USDT'),
      account,
      config.live?.leverage === 'set',
    );
    if (notes.length > 0) return warning(notes.join('; '), "write the exchange's values in the config");
    const { create_order_rate_limit_per_minute: most } = account;
    return ok(`${symbols}; ${most === 0 ? 'no limit' : `at most ${most}`} on orders a minute`);
  },
};

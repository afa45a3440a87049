import { resolve } from 'node:path';
import { Credentials } from '../../exchange/client/credentials.ts';
import { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { WeightBudget } from '../../exchange/client/weight-budget.ts';
import { Refusal } from '../../local-exchange/refusal.ts';
import type { RunningExchange } from '../../local-exchange/start-exchange.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Log } from '../../ports/log.ts';
import { SteadyClock, SystemClock } from '../../venues/rest/real-clock.ts';
import { complaints, listed } from '../config/reading/problems.ts';
import { formatPath } from '../config/reading/tree.ts';
import { ExchangeConfigSchema } from '../local-exchange/exchange-config.ts';
import { loadExchangeConfig, runExchange } from '../local-exchange/run-exchange.ts';
import type { AccountKeys, ClientOptions, ExchangeSettings, LocalExchange, StartOptions } from './exchange-types.ts';
import { FUNCTION, libraryError, NUMBER, type OptionForms, requireOptions, TEXT } from './library-error.ts';

/**
 * Starts a local exchange on free loopback ports of this process, for tests of a bot or of another client. It serves the operations of the
 * real exchange over HTTP. It ends with `close()`, and then leaves no listener and no connection behind.
 *
 * ```ts
 * import { startExchange } from 'tidegate/exchange';
 *
 * const exchange = await startExchange({
 *   instruments: { 'BTC-USDT': { tickSize: '0.01', stepSize: '0.00001', takerFee: '0.001' } },
 *   accounts: [{ name: 'trader', balances: { spot: { USDT: '10000' } } }],
 * });
 * exchange.setPrice('BTC-USDT', '94000');
 * const client = exchange.client('trader');
 * const { close } = await client.ticker({ symbol: 'BTCUSDT_SPBL' });
 * console.log(close); // 94000
 * await exchange.close();
 * ```
 *
 * @param config the settings of its config as an object, or the path of a config file.
 * @throws TidegateError CONFIG_INVALID with every wrong setting, or for a port in use; CONFIG_NOT_FOUND; DATA_NOT_FOUND for a recording
 * that is not there; DATA_INVALID for a state file of another exchange.
 */
export async function startExchange(config: ExchangeSettings | string, options: StartOptions = {}): Promise<LocalExchange> {
  requireOptions('startExchange', options, { baseDir: TEXT, stateFile: TEXT, onWarning: FUNCTION });
  const { stateFile, onWarning = () => {} } = options;
  const log: Log = { debug: () => {}, info: () => {}, warn: onWarning };
  try {
    const checked = typeof config === 'string' ? loadExchangeConfig(config, [], {}) : checkedSettings(config, options.baseDir ?? '.');
    return new StartedExchange(await runExchange(checked, stateFile === undefined ? undefined : resolve(stateFile), log));
  } catch (error) {
    throw libraryError(error);
  }
}

/** The name of an exchange that has none: its keys are derived from it. */
const DEFAULT_NAME = 'local';

function checkedSettings(settings: ExchangeSettings, baseDir: string) {
  const given: ExchangeSettings = { name: DEFAULT_NAME, ...settings };
  const { dataDir } = given;
  const isLocal = dataDir !== undefined && !dataDir.includes('://');
  const value = isLocal ? { ...given, dataDir: resolve(baseDir, dataDir) } : given;
  const { data, error } = ExchangeConfigSchema.safeParse(value);
  if (data !== undefined) return data;
  const found = complaints(error.issues, ExchangeConfigSchema, value);
  const texts = found.map(({ path, message }) => (path.length === 0 ? message : `${formatPath(path)}: ${message}`));
  throw new TidegateError('CONFIG_INVALID', listed([...new Set(texts)], texts.length));
}

/** A running exchange with the clients that it made. */
class StartedExchange implements LocalExchange {
  readonly spot: string;
  readonly futures: string;
  readonly control: string | undefined;
  readonly accounts: LocalExchange['accounts'];
  readonly #running: RunningExchange;
  readonly #clients = new Set<ExchangeClient>();
  #closed: Promise<void> | undefined;

  constructor(running: RunningExchange) {
    const { spot, futures, controlUrl, accounts } = running;
    this.spot = spot;
    this.futures = futures;
    this.control = controlUrl;
    this.accounts = accounts;
    this.#running = running;
  }

  client(name?: string): ExchangeClient {
    const { spot, futures, accounts } = this;
    const account = name === undefined ? accounts[0] : accounts.find((one) => one.name === name);
    if (account === undefined) {
      const names = accounts.map((one) => one.name).join(', ');
      throw new TidegateError('REQUEST_INVALID', `the exchange has no account "${name}": expected one of ${names}`);
    }
    const client = exchangeClient({ spot, futures, ...account });
    this.#clients.add(client);
    return client;
  }

  now(): number {
    return this.#running.now();
  }

  async step(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new TidegateError('REQUEST_INVALID', `step(${ms}): expected ms of at least 0`);
    this.#do('step', (control) => control.step(ms));
    // The clients sign with the exchange's time, whose distance from theirs is another one now.
    await Promise.all([...this.#clients].map((client) => client.measureClock()));
  }

  setPrice(symbol: string, price: string): void {
    requireAmount('setPrice', price, 'a price');
    this.#do('setPrice', (control) => control.setPrice(symbol, price));
  }

  deposit(account: string, wallet: 'spot' | 'funding' | 'futures', coin: string, amount: string): void {
    requireAmount('deposit', amount);
    this.#do('deposit', (control) => control.deposit(account, wallet, coin, amount));
  }

  freeze(account: string, frozen = true): void {
    this.#do('freeze', (control) => control.setStatus(account, { frozen }));
  }

  setFaults(faults: Parameters<LocalExchange['setFaults']>[0]): void {
    const { data, error } = ExchangeConfigSchema.shape.faults.safeParse(faults);
    if (error !== undefined) {
      const [complaint] = complaints(error.issues, ExchangeConfigSchema.shape.faults, faults);
      throw new TidegateError('REQUEST_INVALID', `setFaults: ${formatPath(complaint!.path)}: ${complaint!.message}`);
    }
    this.#do('setFaults', (control) => control.setFaults(data as typeof faults));
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      await Promise.all([...this.#clients].map((client) => client.close()));
      await this.#running.close();
    })();
    return this.#closed;
  }

  /** Refusals have codes of the exchange; a caller in the process gets an error of Tidegate. */
  #do(what: string, act: (control: RunningExchange['control']) => void): void {
    if (this.#closed !== undefined) throw new TidegateError('REQUEST_INVALID', `${what}: the exchange is closed`);
    try {
      act(this.#running.control);
    } catch (error) {
      throw error instanceof Refusal ? new TidegateError('REQUEST_INVALID', `${what}: ${error.message}`, { cause: error }) : error;
    }
  }
}

const AMOUNT = /^\d{1,18}(\.\d{1,18})?$/;

function requireAmount(what: string, amount: string, noun = 'an amount'): void {
  if (typeof amount === 'string' && AMOUNT.test(amount) && /[1-9]/.test(amount)) return;
  throw new TidegateError(
    'REQUEST_INVALID',
    `${what}: expected ${noun} above 0 as decimal text, not ${JSON.stringify(amount) ?? 'nothing'}`,
  );
}

/** With the other fields of an account, so that `...exchange.accounts[0]` is a choice of keys. */
const CLIENT_OPTIONS: OptionForms<ClientOptions> & OptionForms<AccountKeys> = {
  ...{
    spot: TEXT,
    futures: TEXT,
    key: true,
    secret: true,
    passphrase: true,
    readAttempts: NUMBER,
    timeoutMs: NUMBER,
    name: true,
    uid: true,
  },
};

/**
 * A client of an exchange: the local one or the real one. Without keys, it can call public operations alone. It waits for the weight
 * limits of the exchange by itself; clients of one process that call one exchange share no limits, so make one client for an account.
 *
 * ```ts
 * import { exchangeClient, startExchange } from 'tidegate/exchange';
 *
 * const exchange = await startExchange({
 *   instruments: { 'BTC-USDT': { tickSize: '0.01', stepSize: '0.00001' } },
 *   accounts: [{ name: 'trader', balances: { spot: { USDT: '10000' } } }],
 * });
 * const client = exchangeClient({ spot: exchange.spot, ...exchange.accounts[0] });
 * const balances = await client.accountAssets();
 * console.log(balances.length); // 1
 * await client.close();
 * await exchange.close();
 * ```
 *
 * @throws TidegateError CONFIG_INVALID for a URL that is neither https nor on this machine, KEYS_INVALID if only a part of the keys is given.
 */
export function exchangeClient(options: ClientOptions): ExchangeClient {
  requireOptions('exchangeClient', options, CLIENT_OPTIONS);
  const { spot, futures, key, secret, passphrase, readAttempts, timeoutMs } = options;
  const given = [key, secret, passphrase].filter((part) => part !== undefined && part !== '');
  if (given.length !== 0 && given.length !== 3) {
    throw new TidegateError('KEYS_INVALID', 'expected key, secret and passphrase, or none of them');
  }
  const credentials = given.length === 0 ? undefined : new Credentials({ key: key!, secret: secret!, passphrase: passphrase! });
  return new ExchangeClient({
    clock: new SystemClock(),
    budget: new WeightBudget(new SteadyClock()),
    credentials,
    random: Math.random,
    settings: {
      ...(spot !== undefined && { spotBaseUrl: spot }),
      ...(futures !== undefined && { contractBaseUrl: futures }),
      ...(readAttempts !== undefined && { readAttempts }),
      ...(timeoutMs !== undefined && { connectMs: timeoutMs, headersMs: timeoutMs, bodyMs: timeoutMs }),
    },
  });
}

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BotStatus } from '../../src/app/live/process/bot-status.ts';
import { askBot } from '../../src/app/live/process/control-socket.ts';
import type { Behaviour } from '../../src/local-exchange/behaviour.ts';
import type { FaultRule } from '../../src/local-exchange/faults.ts';
import { type RunningExchange, startExchange } from '../../src/local-exchange/start-exchange.ts';
import { Instrument } from '../../src/model/instrument.ts';
import { SystemClock } from '../../src/venues/rest/real-clock.ts';
import { fillSettings, marginSettings } from '../builders.ts';
import type { Market } from './list.ts';
import type { Left } from './rules.ts';

const SYMBOLS = { spot: 'BTC-USDT', futures: 'BTC-USDT-PERP' } as const;
const SPOT = { tickSize: '0.01', stepSize: '0.0001', makerFee: '0', takerFee: '0' };
const PERP = { tickSize: '0.1', stepSize: '0.0001', makerFee: '0.0002', takerFee: '0.0006' };
const CONTRACT = { value: '0.000001', tiers: [{ maintenance: '0.005' }], liquidationFee: '0.001', triggerBy: 'last' } as const;
const PRICE = '60000';
/** The strategy's position, in base units, and the coins that the account has beside it. */
export const SIZE = 0.01;
export const OWN_COINS = 1;

/**
 * `Holder` buys once, with a stop 10 % below, and leaves bids 20 % below; one more bid at each price below 58,500. Above 61,000 it locks
 * the symbol, if it is to, or leaves an order that sells its position far above. `Second` acts once, at a price above 61,000.
 */
const STRATEGY = `import { type Intents, lock, place, Strategy, type Ticker, z } from 'tidegate';
export class Holder extends Strategy<typeof Holder.params> {
  static params = z.object({ bids: z.int(), locks: z.boolean().default(false), sells: z.boolean().default(false) });
  static needs = { tickers: true };
  done = false;
  sold = false;
  save() { return { done: this.done }; }
  restore(saved: { done: boolean }) { this.done = saved.done; }
  onTicker({ symbol, last }: Ticker): Intents {
    const long = symbol.endsWith('-PERP') ? { positionSide: 'long' as const } : {};
    const bid = place({ symbol, side: 'buy', type: 'limit', quantity: '0.002', price: (last * 0.8).toFixed(1), ...long });
    if (this.done && this.params.locks && last > 61000) return lock({ symbol, until: this.now + 3_600_000 });
    if (this.done && this.params.sells && last > 61000 && !this.sold) {
      this.sold = true;
      return place({ symbol, side: 'sell', type: 'limit', quantity: this.position(symbol).quantity, price: (last * 1.2).toFixed(1), reduceOnly: true });
    }
    if (this.done) return last < 58500 ? bid : undefined;
    this.done = true;
    return [
      place({ symbol, side: 'buy', type: 'market', quantity: '${SIZE}', exits: { stopLoss: last * 0.9 }, ...long }),
      ...Array.from({ length: this.params.bids }, () => bid),
    ];
  }
}
`;

/** The second strategy: one bid far below; one bid 1 % below; a losing trade that it ends itself, or by its stop. */
export type Second = 'bid' | 'buy' | 'loss' | 'stop';
const SECOND = `import { type Intents, place, Strategy, type Ticker, z } from 'tidegate';
export class Second extends Strategy<typeof Second.params> {
  static params = z.object({ does: z.enum(['bid', 'buy', 'loss', 'stop']) });
  static needs = { tickers: true };
  done = false;
  onTicker({ symbol, last }: Ticker): Intents {
    const { does } = this.params;
    const long = symbol.endsWith('-PERP') ? { positionSide: 'long' as const } : {};
    const { quantity } = this.position(symbol, long.positionSide);
    if (does === 'loss' && quantity > 0 && last < 60500) return place({ symbol, side: 'sell', type: 'market', quantity, reduceOnly: true, ...long });
    if (this.done || last < 61000) return undefined;
    this.done = true;
    if (does === 'bid') return place({ symbol, side: 'buy', type: 'limit', quantity: '0.002', price: (last * 0.75).toFixed(1), ...long });
    if (does === 'buy') return place({ symbol, side: 'buy', type: 'limit', quantity: '0.002', price: (last * 0.99).toFixed(1), ...long });
    return place({ symbol, side: 'buy', type: 'market', quantity: '0.002', ...(does === 'stop' ? { exits: { stopLoss: last * 0.995 } } : {}), ...long });
  }
}
`;

/** Longer than any cell takes. */
const HIDDEN_MS = 100_000_000;

/** A clock of the exchange that can be wrong. */
class WrongClock extends SystemClock {
  aheadMs = 0;
  override now(): number {
    return super.now() + this.aheadMs;
  }
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Processes that still run: none of them outlives this one, however it ends. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A command's process. */
class Program {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';

  constructor(root: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    this.child = spawn(process.execPath, [join(root, 'bin/tidegate.mjs'), ...args], { env: { ...process.env, ...env }, stdio: 'pipe' });
    this.child.stdout!.on('data', (chunk: Buffer) => {
      this.stdout = `${this.stdout}${chunk}`.slice(-MOST_TEXT);
    });
    this.child.stderr!.on('data', (chunk: Buffer) => {
      this.stderr = `${this.stderr}${chunk}`.slice(-MOST_TEXT);
    });
    running.add(this.child);
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code) => {
        running.delete(this.child);
        resolve({ code, stdout: this.stdout, stderr: this.stderr });
      });
    });
  }

  get isUp(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }
}
const MOST_TEXT = 500_000;

/** What a cell may set in the config of its bot. */
export interface PlaceOptions {
  /** The program's folder. */
  readonly root: string;
  readonly folder: string;
  readonly market: Market;
  readonly watchdogFlattens?: boolean;
  /** More of the `live` section, as YAML in a flow map, beginning with a comma. */
  readonly live?: string;
  /** The `risk` section, or another one. */
  readonly risk?: string;
  /** How the exchange behaves. */
  readonly behaviour?: Partial<Behaviour>;
  /** A second strategy. */
  readonly second?: Second;
  /** Whether the strategy locks its symbol. */
  readonly locks?: boolean;
  /** Whether it leaves an order that sells its position, above 61,000. */
  readonly sells?: boolean;
  /** How many bids it leaves; default 1. */
  readonly bids?: number;
  /** The coins that the account has beside the position; default 1. */
  readonly ownCoins?: number;
}

/** A bot as a process at a local exchange of this process: what is left there is read from the exchange itself. */
export class Place {
  readonly symbol: string;
  readonly config: string;
  readonly log: string;
  readonly mark: string;
  /** Bought by hand, in base units; negative if sold. */
  byHand = 0;
  bot: Program | undefined;
  #watchdog: Program | undefined;
  readonly #programs: Program[] = [];
  readonly #own: string;

  private constructor(
    readonly options: PlaceOptions,
    readonly exchange: RunningExchange,
    readonly clock: WrongClock,
  ) {
    const { folder, market, live = '', risk = '', watchdogFlattens = false, bids = 1, locks = false, sells = false, second } = options;
    this.symbol = SYMBOLS[market];
    this.config = join(folder, 'bot.yaml');
    const own = join(folder, 'runs/holder-live');
    this.#own = own;
    this.log = join(own, 'log.jsonl');
    this.mark = join(own, 'journal.sqlite.mark');
    writeFileSync(join(folder, 'holder.ts'), STRATEGY);
    writeFileSync(join(folder, 'second.ts'), SECOND);
    const two = `\n  - { id: two, file: ./second.ts, symbols: [${this.symbol}], params: { does: ${second} } }`;
    const terms = market === 'spot' ? SPOT : { ...PERP, contract: CONTRACT };
    const account = market === 'spot' ? 'kind: spot' : 'kind: futures, margin: { mode: shared, leverage: 10 }';
    writeFileSync(
      this.config,
      `name: holder
account: { ${account}, balances: { USDT: "100000" } }
instruments: ${JSON.stringify({ [this.symbol]: { ...terms, ...('contract' in terms ? { contract: withoutTrigger(CONTRACT) } : {}) } })}
strategies:
  - { id: one, file: ./holder.ts, symbols: [${this.symbol}], params: { bids: ${bids}, locks: ${locks}, sells: ${sells} } }${second === undefined ? '' : two}
${risk}
live: { enabled: true, spotBaseUrl: "${exchange.spot}", contractBaseUrl: "${exchange.futures}", dir: ./runs, graceMs: 600000, visibilityLagMs: 300, poll: { tickerMs: 200, accountMs: 200, lookupMs: 500 }, watchdog: { afterMs: 3000, flatten: ${watchdogFlattens} }${live} }
`,
    );
  }

  static async open(options: PlaceOptions): Promise<Place> {
    const clock = new WrongClock();
    const instruments = [
      new Instrument(0, { symbol: SYMBOLS.spot, ...SPOT }),
      new Instrument(1, { symbol: SYMBOLS.futures, ...PERP, contract: CONTRACT }),
    ];
    const exchange = await startExchange({
      name: 'situations',
      clock,
      instruments,
      accounts: [
        { name: 'bot', balances: { spot: { USDT: '100000', BTC: String(options.ownCoins ?? OWN_COINS) }, futures: { USDT: '100000' } } },
      ],
      fills: fillSettings({ limit: 'touch' }),
      behaviour: options.behaviour ?? {},
      margin: () => marginSettings(),
      limits: { ipWeight: 0, uidWeight: 0, actionsPerSecond: 0 },
    });
    const place = new Place(options, exchange, clock);
    place.price(PRICE);
    return place;
  }

  price(price: string): void {
    this.exchange.control.setPrice(this.symbol, price);
  }

  /** From now on the list of fills does not show new ones; `false`: it shows all. */
  hideFills(hides: boolean): void {
    this.exchange.control.setFaults({ visibilityLagMs: hides ? HIDDEN_MS : 0 });
    if (!hides) for (const fill of this.account.orders.fills) Object.assign(fill, { shownFrom: 0 });
  }

  /** Money appears in the futures wallet, without any record of it. */
  addMoney(amount: number): void {
    const { futures } = this.account;
    const recorded = futures.collateralRecords.bind(futures);
    futures.collateralRecords = () => recorded().map((one) => ({ ...one, amount: one.amount.plus(amount) }));
  }

  faults(rules: readonly FaultRule[]): void {
    this.exchange.control.setFaults({ rules });
  }

  get account() {
    return this.exchange.exchange.accounts.named('bot')!;
  }

  /** A market order of the account that is not the bot's. */
  trade(side: 'buy' | 'sell', size: number): void {
    const { exchange, symbol } = this;
    const { uid } = this.account;
    const quantity = String(size);
    if (this.options.market === 'spot') {
      const order = {
        side,
        orderType: 'market',
        force: 'normal',
        price: '',
        quantity: side === 'buy' ? String(size * Number(PRICE)) : quantity,
        clientOrderId: 'by-hand',
      };
      exchange.exchange.perform('placeSpot', { uid, symbol, orders: [order] } as never, exchange.now());
    } else {
      const order = { clientOid: 'by-hand', size: quantity, type: side === 'buy' ? '1' : '3', price: undefined, triggerPrice: PRICE };
      exchange.exchange.perform('placeTrigger', { uid, symbol, order } as never, exchange.now());
    }
    this.byHand += side === 'buy' ? size : -size;
  }

  /** A bid of the account that is not the bot's. */
  reserve(): void {
    const { exchange, symbol } = this;
    const order = { side: 'buy', orderType: 'limit', force: 'normal', price: '30000', quantity: '0.5', clientOrderId: 'by-hand' };
    exchange.exchange.perform('placeSpot', { uid: this.account.uid, symbol, orders: [order] } as never, exchange.now());
  }

  /** The owner cancels the stop at the exchange. @returns false if there is none. */
  cancelStop(): boolean {
    const { exchange } = this;
    const stop = this.account.orders.all.find(({ live, request }) => live && request.side === 'sell');
    if (stop !== undefined) exchange.exchange.perform('cancel', { uid: this.account.uid, key: stop.key }, exchange.now());
    return stop !== undefined;
  }

  /** What is left of the strategy at the exchange: on spot the engine holds the stop. */
  left(): Left {
    const { market } = this.options;
    const { orders } = this.account;
    const own = orders.all.filter((one) => one.live && one.clientOrderId !== 'by-hand');
    const exits = own.filter(({ request }) => request.side === 'sell').length;
    const entries = own.length - exits;
    const hasEntries = entries >= (this.options.bids ?? 1);
    const isAll = hasEntries && (market === 'spot' || exits > 0);
    const some = hasEntries ? 'entries' : exits > 0 ? 'exits' : 'none';
    return { position: this.held() > SIZE / 100 ? 'open' : 'closed', orders: isAll ? 'all' : entries + exits > 0 ? some : 'none' };
  }

  /** The quantity of all strategies, in base units. */
  held(): number {
    const { spot, futures } = this.account;
    const { market, ownCoins = OWN_COINS } = this.options;
    return market === 'spot'
      ? spot.ledger.balance('BTC').total.toNumber() - Math.max(0, ownCoins + this.byHand)
      : futures.positionRecords().reduce((sum, { quantity }) => sum + quantity.toNumber(), 0) - Math.max(0, this.byHand);
  }

  /** The number of open buys of the strategies at the exchange. */
  entries(): number {
    return this.account.orders.all.filter(
      ({ live, clientOrderId, request }) => live && clientOrderId !== 'by-hand' && request.side === 'buy',
    ).length;
  }

  start(...more: string[]): Program {
    const { key, secret, passphrase } = this.exchange.accounts[0]!;
    const keys = { TIDEGATE_API_KEY: key, TIDEGATE_API_SECRET: secret, TIDEGATE_API_PASSPHRASE: passphrase };
    const program = new Program(this.options.root, [...(more.length > 0 ? more : ['live']), this.config], keys);
    this.#programs.push(program);
    if (more.length === 0) this.bot = program;
    return program;
  }

  /** Starts the bot, and returns when it is ready. */
  async ready(): Promise<void> {
    const bot = this.start();
    await until(
      () => /"msg":"ready"/.test(bot.stdout),
      () => `the bot is not ready: ${bot.stderr}${bot.stdout.slice(-2_000)}`,
      bot,
    );
  }

  /** Ready, with its position and its orders. */
  async holding(): Promise<void> {
    await this.ready();
    await until(
      async () => {
        const left = this.left();
        const status = await this.status();
        const isGuarded = this.options.market === 'futures' || (status?.openOrders.held ?? 0) > 0;
        return left.position === 'open' && left.orders === 'all' && isGuarded;
      },
      () => `the strategy has not traded: ${JSON.stringify(this.left())}`,
      undefined,
      // Futures orders leave at most ten in a second, and a few in each minute wait longer.
      LONGEST_MS + (this.options.bids ?? 1) * ORDER_MS,
    );
  }

  async gone(): Promise<void> {
    this.bot?.child.kill('SIGKILL');
    await this.bot?.ended;
  }

  command(...args: readonly string[]): Promise<Ended> {
    const [name = '', ...more] = args;
    const program = new Program(this.options.root, [name, this.config, ...more], {});
    this.#programs.push(program);
    return program.ended;
  }

  /** The status as the bot answers it to `tidegate status`, without a process for each question; `undefined` if it does not answer. */
  async status(): Promise<BotStatus | undefined> {
    if (this.bot?.isUp !== true) return undefined;
    return askBot(join(this.#own, 'control.json'), { command: 'status' }).then(
      (answer) => answer as BotStatus,
      () => undefined,
    );
  }

  watch(): Program {
    this.#watchdog = this.start('watchdog');
    return this.#watchdog;
  }

  logText(): string {
    return existsSync(this.log) ? readFileSync(this.log, 'utf8') : '';
  }

  async close(): Promise<void> {
    for (const { child } of this.#programs) child.kill('SIGKILL');
    await Promise.all(this.#programs.map(({ ended }) => ended));
    await this.exchange.close();
  }
}

/** The config has no `triggerBy`. */
function withoutTrigger({ triggerBy: _, ...contract }: typeof CONTRACT): object {
  return contract;
}

const LOOK_MS = 100;
/** Far above what a busy machine takes. */
const LONGEST_MS = 120_000;

/** So long each of many orders may take until it rests. */
const ORDER_MS = 2_000;

/** Waits until this is true. @throws Error with the reason if it takes too long or the program ends. */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  why: () => string,
  program?: { readonly isUp: boolean },
  longestMs = LONGEST_MS,
  lookMs = LOOK_MS,
): Promise<void> {
  const end = performance.now() + longestMs;
  while (!(await isTrue())) {
    if (performance.now() > end || program?.isUp === false) throw new Error(why());
    await slept(lookMs);
  }
}

export function slept(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

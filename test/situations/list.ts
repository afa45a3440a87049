/** The commands of the table. The watchdog is no command to the bot: it acts if the bot's heartbeats stop. */
export const COMMANDS = ['status', 'stop', 'kill', 'kill --flatten', 'reduce', 'reset', 'watchdog', 'watchdog, flatten'] as const;
export type CommandName = (typeof COMMANDS)[number];

export const MARKETS = ['spot', 'futures'] as const;
export type Market = (typeof MARKETS)[number];

/**
 * The strategy's orders: all of them; its exits alone; its entries alone; none. Its position has a stop, and a bid rests far below. The
 * engine itself holds the stop on spot.
 */
type Orders = 'all' | 'exits' | 'entries' | 'none';

/** The facts of a situation from which the rules derive each expectation. */
export interface Situation {
  readonly name: string;
  readonly title: string;
  /** Where it can be; both by default. */
  readonly markets?: readonly Market[];
  /** The bot's process: it answers commands; it has the lock and does not answer; there is none. */
  readonly process: 'answers' | 'silent' | 'none';
  /** Whether heartbeats arrive, so that a watchdog has nothing to do. */
  readonly beats: boolean;
  /** Whether the exchange does what the bot requests, in this situation. */
  readonly bot: 'acts' | 'waits';
  /** Whether it does what others request with the same keys. */
  readonly exchange: 'acts' | 'refuses';
  /** The orders before the command. */
  readonly orders: Orders;
  /** A part of the position is in no record of the exchange: a close cannot contain it. It is in one as soon as the situation ends. */
  readonly hides?: boolean;
  /** A stop is in progress. */
  readonly stops?: boolean;
  /** The kill in force before the command. */
  readonly killed?: 'kill' | 'flatten';
  /** What `status` says about trading. */
  readonly trading: 'yes' | 'in part' | 'no';
  /** What phase, latches and health of `status` contain. */
  readonly shows: RegExp;
  /** A reset makes it trade. Its cause may halt it again later. */
  readonly reset?: 'trades';
  /** What ends it, if something outside the bot does. */
  readonly goesOn?: string;
  /** Takes longer than 10 s to bring about. */
  readonly slow?: boolean;
}

const RUNNING = { process: 'answers', beats: true, bot: 'acts', exchange: 'acts', orders: 'all' } as const;
const HALTED = { ...RUNNING, trading: 'no', reset: 'trades' } as const;
const LATCHED = { ...RUNNING, orders: 'exits', trading: 'no', reset: 'trades' } as const;
const WAITING = { process: 'answers', beats: false, bot: 'waits', exchange: 'refuses', orders: 'all', trading: 'no' } as const;

export const SITUATIONS = [
  { ...WAITING, name: 'network', title: 'starting, waits for the network', shows: /starting.*no reply/s, goesOn: 'the network is back' },
  {
    ...WAITING,
    name: 'clock',
    title: "starting, waits for the machine's clock",
    bot: 'acts',
    exchange: 'acts',
    shows: /starting.*clock/s,
    goesOn: 'the clock is right',
  },
  {
    ...WAITING,
    name: 'key',
    title: 'starting, waits for its key (account frozen)',
    shows: /starting.*40013/s,
    goesOn: 'the account is free',
  },
  { ...RUNNING, name: 'second', title: 'ready, and a second start was refused by its lock', trading: 'yes', shows: /running/ },
  { ...RUNNING, name: 'ready', title: 'ready', trading: 'yes', shows: /running/ },
  { ...HALTED, name: 'foreign', title: 'halted: a trade that is not of the bot', shows: /orders that are not ours trade it/ },
  {
    ...HALTED,
    name: 'reserved',
    title: "halted: somebody else's order reserves coins",
    markets: ['spot'],
    shows: /orders that are not ours have reserved/,
    slow: true,
  },
  {
    ...HALTED,
    name: 'unexplained',
    title: 'halted: a balance that no record explains',
    markets: ['spot'],
    shows: /no record explains/,
    slow: true,
  },
  { ...HALTED, name: 'older', title: 'halted: the journal lacks its end', shows: /the journal may lack its end/ },
  {
    ...HALTED,
    name: 'sold',
    title: 'halted: a part was sold while the bot did not run',
    shows: /(by the journal, the account has|no order of the journal explains)/,
  },
  { ...HALTED, name: 'unknown', title: 'halted: the outcome of an order is unknown', shows: /the outcome of order .* is unknown/ },
  {
    ...HALTED,
    name: 'fills',
    title: 'halted: an order reports fills that no record shows',
    markets: ['spot'],
    shows: /reports fills that no record shows/,
    hides: true,
    goesOn: 'the records show them',
  },
  { ...HALTED, name: 'vanished', title: 'halted: an order has vanished', shows: /order .* has vanished/, slow: true },
  {
    ...HALTED,
    name: 'money',
    title: 'halted: money of the futures wallet that nothing explains',
    markets: ['futures'],
    shows: /of the futures wallet that nothing explains/,
    slow: true,
  },
  {
    ...HALTED,
    name: 'stops',
    title: 'halted: somebody canceled the stop twice',
    markets: ['futures'],
    orders: 'entries',
    shows: /canceled at the exchange again.*unprotected/s,
    slow: true,
  },
  { ...LATCHED, name: 'reduced', title: 'latched by reduce', shows: /"reduce"/ },
  { ...LATCHED, name: 'drawdown', title: 'latched by a limit (drawdown)', shows: /"maxDrawdown"/ },
  { ...LATCHED, name: 'daily', title: 'latched by a limit (loss of a day)', shows: /"dailyLoss"/ },
  { ...LATCHED, name: 'errors', title: 'latched by errors of the exchange', shows: /"venueErrors"/ },
  { ...LATCHED, name: 'losses', title: 'latched by losing trades (cooldown)', shows: /"cooldown"/ },
  { ...LATCHED, name: 'pause', title: 'latched by the end of a trade in the symbol', shows: /"symbolCooldown"/ },
  { ...LATCHED, name: 'guard', title: 'latched by losing stops', shows: /"stopLossGuard"/ },
  { ...LATCHED, name: 'lock', title: 'latched by a lock of the strategy', shows: /"lock"/ },
  {
    ...RUNNING,
    name: 'killed',
    title: 'killed; the position is left, without its stop',
    orders: 'none',
    killed: 'kill',
    trading: 'no',
    shows: /"kill"/,
    reset: 'trades',
  },
  {
    ...RUNNING,
    name: 'closing',
    title: 'killed with flatten; the exchange refuses the close',
    bot: 'waits',
    exchange: 'refuses',
    orders: 'none',
    killed: 'flatten',
    trading: 'no',
    shows: /"kill"/,
    reset: 'trades',
    goesOn: 'the exchange takes orders',
  },
  {
    ...RUNNING,
    name: 'stopping',
    title: 'stopping; the exchange refuses its cancels',
    stops: true,
    bot: 'waits',
    exchange: 'refuses',
    trading: 'no',
    shows: /stopping.*waits for the end of \d open order/s,
    goesOn: 'the exchange takes cancels',
  },
  {
    name: 'hung',
    title: 'hung (stopped by a signal)',
    process: 'silent',
    beats: false,
    bot: 'waits',
    exchange: 'acts',
    orders: 'all',
    trading: 'yes',
    shows: /running/,
    goesOn: 'it goes on',
  },
  {
    name: 'gone',
    title: 'gone (kill -9)',
    process: 'none',
    beats: false,
    bot: 'waits',
    exchange: 'acts',
    orders: 'all',
    trading: 'yes',
    shows: /running/,
    goesOn: 'it is started again',
  },
] as const satisfies readonly Situation[];
export type SituationName = (typeof SITUATIONS)[number]['name'];

/** Has no divisor in common with the number of commands. */
const SHORT_STEP = 3;

export interface Cell {
  readonly situation: Situation & { readonly name: SituationName };
  readonly command: CommandName;
  readonly market: Market;
}

/** Every situation, market and command. */
export const CELLS: readonly Cell[] = SITUATIONS.flatMap((situation: Cell['situation']) =>
  (situation.markets ?? MARKETS).flatMap((market) => COMMANDS.map((command) => ({ situation, command, market }))),
);

/** The short form: each situation once, each command and each market at least once. */
export const SHORT: readonly Cell[] = SITUATIONS.map((situation: Cell['situation'], index) => {
  const markets = situation.markets ?? MARKETS;
  return { situation, command: COMMANDS[(index * SHORT_STEP) % COMMANDS.length]!, market: markets[index % markets.length]! };
});

export function titleOf({ situation, command, market }: Cell): string {
  return `${situation.name} x ${command} (${market})`;
}

import { Bot } from '../../src/app/live/bot/bot.ts';
import type { BotPlan } from '../../src/app/planning/run-plans.ts';
import { Credentials } from '../../src/exchange/client/credentials.ts';
import { ExchangeClient } from '../../src/exchange/client/exchange-client.ts';
import { WeightBudget } from '../../src/exchange/client/weight-budget.ts';
import { BotJournal } from '../../src/journal/bot-journal.ts';
import { BEHAVIOUR, type Behaviour } from '../../src/local-exchange/behaviour.ts';
import { type FaultKind, FaultPlan, type FaultSettings } from '../../src/local-exchange/faults.ts';
import { Decimal } from '../../src/model/decimal.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import type { Log } from '../../src/ports/log.ts';
import type { ReconcileSettings } from '../../src/venues/reconcile/settings.ts';
import { TurnClock } from '../../src/venues/rest/real-clock.ts';
import { T0 } from '../builders.ts';
import { ExchangeSide, instrumentsOf, type Markets } from './exchange-side.ts';
import type { Liar } from './liar.ts';
import { type Arrive, FUTURES_URL, Link, type LinkFault, SPOT_URL, slowAnswers } from './link.ts';
import { RandomTrader } from './random-trader.ts';
import { SimClock } from './sim-clock.ts';

export interface WorldOptions {
  readonly seed: number;
  readonly markets: Markets;
  readonly faults: Partial<FaultSettings>;
  /** How the exchange does what no document settles. */
  readonly behaviour?: Partial<Behaviour> | undefined;
  /** File of the bot's journal. */
  readonly journal: string;
  readonly rest?: Partial<ReconcileSettings> | undefined;
  readonly log?: Log | undefined;
  readonly beatMs?: number | undefined;
  /** Of the bot's plan, where it is not the random trader's. */
  readonly bot?: Partial<Pick<BotPlan, 'strategies' | 'bars' | 'onStop' | 'limits' | 'poll' | 'history' | 'origin'>> | undefined;
  /** Limits that the bot keeps to, in place of none: its requests wait. */
  readonly budget?: ConstructorParameters<typeof WeightBudget>[1] | undefined;
  /** Share of prices at which the random trader does nothing. */
  readonly idle?: number | undefined;
  /** The exchange's weights count, and the random trader wants so many times as much at each price: more than they allow. */
  readonly burst?: number | undefined;
  /** Share of the answers that take some 10 s. */
  readonly slow?: number | undefined;
  /** Says what is not so. */
  readonly liar?: Liar | undefined;
  /** An exchange elsewhere, in place of one beside the bot. */
  readonly remote?: RemoteExchange | undefined;
}

/** Where requests go, and whose account it is there. */
export interface RemoteExchange {
  readonly arrive: Arrive;
  readonly credentials: ConstructorParameters<typeof Credentials>[0];
}

/** A key that the account got later. */
const RENEWED = 'renewed-key';

/** Between two heartbeats in the journal, unless said otherwise. */
const BEAT_MS = 10_000;

/** How far a list of futures is behind the present at most, in ms. */
function longestLag({ lists }: Markets): number {
  return Math.max(0, ...Object.values(lists.lagMs ?? {}));
}

/** A clock whose callbacks die with the process that set them. */
class MortalClock {
  dead = false;
  constructor(private readonly clock: SimClock) {}
  now(): number {
    return this.clock.now();
  }
  schedule(time: number, callback: () => void): () => void {
    return this.clock.schedule(time, () => {
      if (!this.dead) callback();
    });
  }
}

/** One life of the bot: what ends with its process. */
export interface Life {
  readonly bot: Bot;
  readonly clock: MortalClock;
  readonly link: Link;
  readonly journal: BotJournal;
  readonly ended: Promise<void>;
  over: boolean;
  failure: unknown;
}

/** A local exchange and a bot in one process, under simulated time. */
export class World {
  readonly clock = new SimClock(T0);
  readonly faults: FaultPlan;
  readonly struck = new Map<FaultKind | LinkFault, number>();
  /** Ms that the answer to the next request takes longer, until `restsFrom`. */
  readonly #slowMs: () => number;
  readonly instruments: readonly Instrument[];
  readonly plan: BotPlan;
  /** Epoch ms from which the strategy places nothing more: told by time, so that it is the same in a replay. */
  restsFrom = Number.POSITIVE_INFINITY;
  #side: ExchangeSide | undefined;
  #keys: ConstructorParameters<typeof Credentials>[0] | undefined;

  constructor(readonly options: WorldOptions) {
    const { markets, remote, slow = 0 } = options;
    const slowMs = slowAnswers(options.seed, slow);
    this.#slowMs = () => (slow > 0 && this.clock.now() < this.restsFrom ? slowMs() : 0);
    const { marketBuyByQuote, batchLimit } = { ...BEHAVIOUR, ...options.behaviour };
    const { kind, margin } = markets;
    const instruments = instrumentsOf(kind);
    this.instruments = instruments;
    const contracts = instruments.filter(({ contract }) => contract !== undefined);
    if (remote === undefined) this.#side = new ExchangeSide({ ...options, clock: this.clock, instruments });
    this.faults = this.#side?.faults ?? new FaultPlan({ ...options.faults, seed: options.seed });
    this.plan = {
      name: 'bot',
      instruments,
      account:
        kind === 'spot'
          ? { kind: 'spot', currency: 'USDT', equityEveryMs: 3_600_000 }
          : {
              kind: 'futures',
              currency: 'USDT',
              equityEveryMs: 3_600_000,
              margin: new Map(contracts.map(({ symbol }) => [symbol, margin])),
            },
      strategies: [
        {
          id: 'random',
          symbols: instruments.map(({ symbol }) => symbol),
          params: { seed: options.seed, resting: (now: number) => now > this.restsFrom, idle: options.idle, burst: options.burst },
          create: (context) => new RandomTrader(context),
        },
      ],
      limits: { maxPosition: new Map() },
      marketBuyCollar: new Decimal('0.05'),
      bars: { from: 'ticker', intervals: instruments.map(() => []), graceMs: 2_000 },
      exitsWaitForNextBar: false,
      closeAtEnd: false,
      history: () => [],
      log: options.log ?? SILENT,
      capabilities: {
        marketData: ['ticker', 'mark'],
        marketBuyByQuantity: !marketBuyByQuote,
        marketBuyByQuote,
        futuresTriggers: true,
        batchLimit,
      },
      poll: { tickerMs: 1_000, accountMs: 1_000, lookupMs: 15_000, idleMs: 5_000, staleMs: 10_000 },
      // A stale reply may show a moment at which what had happened before was not shown yet.
      rest: {
        visibilityLagMs: Math.max(1_000, this.faults.settings.visibilityLagMs + this.faults.staleMs + longestLag(options.markets)),
        batchLimit,
        ...options.rest,
      },
      onStop: 'cancel',
      // With little weight, the cancels of a stop and their proofs take long.
      graceMs: options.budget === undefined ? 60_000 : 180_000,
      ...options.bot,
    };
  }

  /** Takes in what an exchange elsewhere has become. */
  adopt(side: ExchangeSide): void {
    this.#side = side;
  }

  get core() {
    return this.#side!.core;
  }

  get account() {
    return this.#side!.account;
  }

  /** Somebody else's at the same exchange. */
  get otherAccount() {
    return this.core.exchange.accounts.named('other')!;
  }

  /** The account gets another key; the old one goes on, too. */
  renewKey(): void {
    const { accounts } = this.core.exchange;
    const { credentials } = this.account.identity;
    const find = accounts.withKey.bind(accounts);
    accounts.withKey = (key) => find(key === RENEWED ? credentials.key : key);
    this.#keys = { ...credentials, key: RENEWED };
  }

  /**
   * Starts the bot, again after a kill.
   * @param deathAt the commit of this life in which its process dies: before or after it has become durable.
   * @param keys of another account, or of this one.
   */
  start(deathAt?: { readonly commit: number; readonly durable: boolean }, keys = this.#keys): Life {
    const { seed, journal: path } = this.options;
    const remote = this.options.remote ?? { arrive: this.#side!.arrive, credentials: keys ?? this.account.identity.credentials };
    const clock = new MortalClock(this.clock);
    const { liar } = this.options;
    const link = new Link({
      clock: this.clock,
      faults: this.faults,
      arrive: remote.arrive,
      struck: this.struck,
      slowMs: this.#slowMs,
      liar,
    });
    const turns = new TurnClock(clock);
    const journal = BotJournal.open(path, {
      bot: this.plan.name,
      now: () => turns.now(),
      instruments: this.instruments,
      synchronous: 'off',
    });
    const credentials = new Credentials(remote.credentials);
    const plenty = { ipWeight: 1e9, uidWeight: 1e9, actionsPerSecond: 1e9, pauseMs: 1_000 };
    const budget = new WeightBudget(clock, this.options.burst === undefined ? { ...plenty, ...this.options.budget } : {});
    let drawn = seed;
    const random = () => {
      drawn = (drawn * 16_807) % 2_147_483_647;
      return drawn / 2_147_483_647;
    };
    const client = (readAttempts: number) =>
      new ExchangeClient({
        clock,
        budget,
        credentials,
        random,
        sender: link,
        settings: { spotBaseUrl: SPOT_URL, contractBaseUrl: FUTURES_URL, readAttempts },
      });
    const bot = new Bot({
      plan: this.plan,
      clock,
      turns,
      client: client(2),
      marketClient: client(1),
      budget,
      accountId: credentials.accountId,
      journal,
      log: this.plan.log,
      random,
    });
    const beat = () => {
      turns.schedule(turns.now() + (this.options.beatMs ?? BEAT_MS), () => {
        bot.beat();
        beat();
      });
    };
    if (deathAt !== undefined) dieIn(journal, deathAt, () => this.kill(life));
    const ended = bot.run(() => beat());
    const life: Life = { bot, clock, link, journal, ended, over: false, failure: undefined };
    ended.then(
      () => {
        life.over = true;
      },
      (error: unknown) => {
        life.over = true;
        life.failure = error;
      },
    );
    return life;
  }

  /** As SIGKILL does: nothing more is done, what was not committed is lost, what has left still arrives. */
  kill(life: Pick<Life, 'clock' | 'link' | 'journal'>): void {
    life.clock.dead = true;
    life.link.cut = true;
    life.journal.close();
  }
}

export const SILENT: Log = { debug() {}, info() {}, warn() {} };

/** The process is gone in the middle of a turn: nothing after this line is executed. */
function dieIn(
  journal: BotJournal,
  { commit: at, durable }: { readonly commit: number; readonly durable: boolean },
  kill: () => void,
): void {
  const commit = journal.commit.bind(journal);
  let commits = 0;
  journal.commit = () => {
    commits++;
    if (commits < at) {
      commit();
      return;
    }
    if (commits === at && durable) commit();
    if (commits === at) kill();
    throw new Error('killed');
  };
}

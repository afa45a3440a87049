import type { Engine } from '../../../engine/engine.ts';
import { ClientIds } from '../../../engine/orders/client-ids.ts';
import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import type { WeightBudget } from '../../../exchange/client/weight-budget.ts';
import type { BotJournal } from '../../../journal/bot-journal.ts';
import { RULES, type RunStarted, type StatePoint } from '../../../journal/journal-record.ts';
import { NO_REQUESTS } from '../../../model/account-events.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import type { Command } from '../../../ports/market-feed.ts';
import type { State } from '../../../state/state.ts';
import type { Strategy } from '../../../strategy/strategy.ts';
import { LiveFeed } from '../../../venues/rest/live-feed.ts';
import type { AccountRounds } from '../../../venues/rest/polling/account-rounds.ts';
import type { MarketPoller, MarketPollerOptions } from '../../../venues/rest/polling/market-poller.ts';
import type { TurnClock } from '../../../venues/rest/real-clock.ts';
import { type RequestsQueue, RestVenue, type RestVenueOptions } from '../../../venues/rest/rest-venue.ts';
import type { Difference } from '../../../venues/rest/trading.ts';
import { type BotPlan, DETECT_SHARE, expectedContracts } from '../../planning/run-plans.ts';
import { liveContainer, TOKENS } from '../../wiring/container.ts';
import { ACCOUNT_MEMORY, checkAccount, type KnownAccount } from './account-check.ts';
import type { Activity } from './activity.ts';
import { type Known, type Past, readKnown, resumedHalf } from './journal-history.ts';
import { pollersOf, urgencyIn } from './pollers.ts';
import { knownStrategies, statePoint } from './state-point.ts';
import { Keeping, TurnJournal } from './turn-journal.ts';
import { untilAnswered } from './until-answered.ts';
import { type Commanded, forgetCommand, keepCommand, nothingToCancel, pendingCommands } from './waiting-bot.ts';

/** What a bot is put together from. */
interface BotParts {
  readonly plan: BotPlan;
  /** Real time; the engine sees it through `turns`. */
  readonly clock: Clock;
  readonly turns: TurnClock;
  readonly client: ExchangeClient;
  /** For tickers: tries each read once. */
  readonly marketClient: ExchangeClient;
  readonly budget: WeightBudget;
  /** Whose weight is spent; see `Credentials`. */
  readonly accountId: string;
  /** A person says that the keys are of the journal's account. */
  readonly isSameAccount?: boolean | undefined;
  /** Opened with the time of `turns`. The bot closes it. */
  readonly journal: BotJournal;
  /** What the journal says, where that has been read. */
  readonly known?: Known | undefined;
  readonly log: Log;
  /** Between 0 and 1: draws pauses. */
  readonly random: () => number;
  /** See `MarketPollerOptions`. */
  readonly polled?: MarketPollerOptions['polled'];
  /** Called before the first event, for whoever wants to observe. */
  readonly observe?: ((engine: Engine) => void) | undefined;
}

/** Market data waits this long for the account's round, as a share of what counts as stale. */
const ACCOUNT_FIRST = 0.5;
const ERA_RADIX = 36;
/** Most client ids that a start looks up at a time, to see whether a run that the journal does not know has given them. */
const IDS_ASKED = 8;

/** How often a stop looks whether all is done, in ms. */
const STOP_LOOK_MS = 50;

/**
 * A strategy against an exchange: journal, engine, venue and feed on one clock. It knows nothing of processes, signals or
 * files beyond its journal, so that tests run it as it is.
 */
export class Bot implements Commanded {
  readonly engine: Engine;
  readonly venue: RestVenue;
  readonly state: State;
  /** Where exchange and journal disagreed at the start. */
  differences: readonly Difference[] = [];
  readonly #parts: BotParts;
  readonly #past: Past;
  readonly #turns: TurnJournal;
  readonly #strategies: Strategy[] = [];
  readonly #feed: LiveFeed;
  readonly #keeping: Keeping;
  readonly #ids: ClientIds;
  /** Epoch ms by the engine's clock while it was put together. */
  readonly #madeAt: number;
  readonly #market: MarketPoller;
  readonly #rounds: AccountRounds;
  /** Asked to stop before it began to run: an exchange that cannot be asked is not asked again. */
  readonly #stop = new AbortController();
  /** Nor is an answer waited for. */
  readonly #giveUp = new AbortController();
  #laid = false;
  /** Called once, after the first turn. */
  #onReady: (() => void) | undefined;
  /** The turn under way resets all: halts are the venue's to lift, after it. */
  #lifts = false;
  #over = false;
  #failure: { readonly error: unknown } | undefined;

  /** Wires the bot, going on from its journal. @throws TidegateError where journal, config or strategies do not allow it. */
  constructor(parts: BotParts) {
    this.#parts = parts;
    const { plan, clock, turns, client, journal, log } = parts;
    const { poll } = plan;
    const { state, past } = parts.known ?? readKnown(plan, journal);
    this.state = state;
    this.#past = past;
    const { nextNumber, held, saves, bars, recent } = past;
    this.#turns = new TurnJournal(journal, turns);
    this.#madeAt = turns.now();
    const ids = new ClientIds(plan.name, { era: journal.era.toString(ERA_RADIX), from: nextNumber });
    this.#ids = ids;
    this.venue = new RestVenue({
      client,
      capabilities: plan.capabilities,
      instruments: plan.instruments,
      clock,
      memory: journal,
      log,
      settings: { ...plan.rest, detectMs: poll.accountMs * DETECT_SHARE, lookupMs: poll.lookupMs, idleMs: poll.idleMs },
      isOwn: (clientOrderId) => clientOrderId.startsWith(ids.prefix),
      // Once killed, nothing becomes ours any more: a person may be unwinding by hand.
      adopterOf: ({ symbol }) =>
        this.state.latches.has('kill') ? undefined : plan.strategies.find(({ symbols }) => symbols.includes(symbol))?.id,
      lostOwner: lostOwner(plan, ids.prefix, journal.era),
      urgencyOf: urgencyIn(this.state),
      expected: expectedContracts(plan),
      coinIds: plan.ids?.coins,
    });
    this.#turns.listen(this.venue.events$);
    const { market, rounds } = pollersOf(parts, this.venue, this.state);
    this.#market = market;
    this.#rounds = rounds;
    this.#feed = new LiveFeed({
      clock,
      turns,
      market: this.#market,
      rounds: this.#rounds,
      settled$: this.venue.settled$,
      accountFirstMs: poll.staleMs * ACCOUNT_FIRST,
      hurriedMs: () => (parts.budget.scarce ? Math.min(poll.staleMs, poll.tickerMs) * ACCOUNT_FIRST : undefined),
      aheadOfTurn: () => this.venue.report(),
      beforeTurn: (item) => {
        this.#turns.begin(item);
        if (item.kind !== 'command') return;
        forgetCommand(journal);
        this.#lifts = item.command === 'reset' && item.strategyId === undefined;
      },
      afterTurn: () => {
        // A heartbeat may come first: what the start found is durable with what the engine makes of it.
        if (!this.#turns.begun) return;
        this.#keeping.afterTurn();
        this.venue.begin();
        this.#onReady?.();
        this.#onReady = undefined;
        if (!this.#lifts) return;
        this.#lifts = false;
        this.venue.lift();
      },
      tell: (event) => this.venue.events$.next(event),
      failed: (subject, error, waitMs) => log.warn(`the ${subject} could not be looked at`, { error: String(error), waitMs }),
    });
    const container = liveContainer(this.#turns.watched(knownStrategies({ ...plan, bars }, this.#strategies)), {
      journal: this.#turns,
      clock: this.#turns.clock,
      feed: this.#feed,
      venue: this.venue,
      ids,
      state: this.state,
      resume: { held, saves, recent },
    });
    this.engine = container.get(TOKENS.engine);
    this.#keeping = new Keeping(this.engine, journal, turns, (event) => this.#turns.market(event));
    for (const command of pendingCommands(journal)) this.#feed.command(command);
    this.engine.account$.subscribe((event) => this.activity.take(event));
    parts.observe?.(this.engine);
  }

  /**
   * Lays journal and exchange side by side, then starts the strategies and runs until `stop`, or until something stops it.
   * @param onLaid called when journal and exchange have been laid side by side, before the strategies start.
   * @param onReady called after the first turn: the strategies have got back what they saved, and have started.
   * @throws TidegateError START_REFUSED, or what stopped the run.
   */
  async run(onLaid: (differences: readonly Difference[]) => void = () => {}, onReady: () => void = () => {}): Promise<void> {
    this.#onReady = onReady;
    const { journal, plan, clock, log } = this.#parts;
    const past = this.#past;
    this.venue.hold();
    const nextIds = this.#nextIds();
    this.venue.resume({
      spot: { ...resumedHalf(past, this.state, 'spot'), nextIds },
      futures: resumedHalf(past, this.state, 'futures'),
    });
    const [{ signal }, { signal: giveUp }] = [this.#stop, this.#giveUp];
    try {
      let account: KnownAccount | undefined;
      const compared = async () => {
        account ??= await this.#account();
        return this.venue.open();
      };
      const differences = await untilAnswered(compared, { clock, log, signal, giveUp });
      if (this.#failure !== undefined) throw this.#failure.error;
      if (differences === undefined) return;
      this.differences = differences;
      this.#begin();
      // Durable with the first turn, which takes in what was found: the fills, and what hangs on them, or neither.
      journal.remember(ACCOUNT_MEMORY, account);
      journal.append('start', { name: plan.name, differences });
      onLaid(differences);
      const ran = this.engine.run(this.#feed);
      this.#laid = true;
      await ran;
      journal.append('stop', this.#point());
      journal.commit();
    } finally {
      this.#over = true;
    }
  }

  /** Notes in the journal that it lives, and where it stands; before its first turn nothing. Between two turns. */
  beat(): void {
    const { journal, turns } = this.#parts;
    if (this.#turns.begun) journal.heartbeat(turns.now(), this.#point());
  }

  /** There is a journal of earlier runs. */
  get resumed(): boolean {
    return this.#past.again;
  }

  /** What it did lately, in this run and before. */
  get activity(): Activity {
    return this.#past.activity;
  }

  /** How often the exchange is asked at present, in ms. */
  get periods(): { readonly marketMs: number; readonly accountMs: number } {
    return { marketMs: this.#market.periodMs, accountMs: this.#rounds.periodMs };
  }

  /** What waits to be sent, and how much of the exchange's limits is free. */
  get requests(): RequestsQueue {
    return this.venue.queue;
  }

  /** Tells the strategies, deals with open orders as the config says, and ends once nothing is on its way (or the grace is over). */
  stop(): void {
    const { plan, clock } = this.#parts;
    const until = clock.now() + plan.graceMs;
    this.#stop.abort();
    this.#feed.command({ kind: 'stopping', cancelOrders: plan.onStop === 'cancel' });
    const look = () => {
      if (this.#over) return;
      if (this.leavesNothing || clock.now() >= until) {
        this.#giveUp.abort();
        this.#feed.stop();
      } else clock.schedule(clock.now() + STOP_LOOK_MS, look);
    };
    look();
  }

  /** Journal and exchange have been laid side by side. */
  get laid(): boolean {
    return this.#laid;
  }

  /** Where it ends now, all is done that a stop has to do. */
  get leavesNothing(): boolean {
    return this.#laid ? this.venue.idle : nothingToCancel(this.#parts.plan, this.state);
  }

  /** Ends a run under way with this error; what is in the journal is enough to go on from. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#stop.abort();
    this.#giveUp.abort();
    this.#feed.fail(error);
  }

  /** Cancels everything, closes the strategies' positions where `flatten`, and stays latched until `reset`. @throws TidegateError JOURNAL_FAILED */
  kill(flatten: boolean, reason: string): void {
    this.#command({ kind: 'command', command: 'kill', flatten, reason });
  }

  /** Opens nothing new, of one strategy or all, until `reset`. @throws TidegateError JOURNAL_FAILED */
  reduce(reason: string, strategyId?: string): void {
    this.#command({ kind: 'command', command: 'reduce', strategyId, reason });
  }

  /** Takes all latches and halts back, or the latches of one strategy. @throws TidegateError JOURNAL_FAILED */
  reset(strategyId?: string): void {
    this.#command({ kind: 'command', command: 'reset', strategyId });
  }

  /**
   * The run begins, with client ids of a new era where the journal may lack what was done since it was written. Where it does lack
   * something, nothing is opened until a person has looked: a kill may be what it lacks.
   */
  #begin(): void {
    const { journal, turns, plan, log } = this.#parts;
    const { doubt } = journal;
    const { lostOrders } = this.venue;
    if (doubt?.kind === 'lost') this.venue.doubt(`the journal may lack its end: ${doubt.text}`);
    if (doubt !== undefined || lostOrders.size > 0) {
      journal.renewEra();
      journal.settleDoubt();
      this.#ids.renew(journal.era.toString(ERA_RADIX));
      const lost = [...lostOrders];
      log.warn('the journal may lack its end: client ids begin anew', {
        ...(doubt && { why: doubt.text }),
        ...(lost.length > 0 && { lost }),
      });
    }
    const era = journal.era === journal.createdAt ? {} : { era: journal.era.toString(ERA_RADIX) };
    this.#turns.run({ ...runStarted(plan, this.#madeAt), ...era });
    // What was stale then is found out anew; what was halted stays so until its cause is gone.
    for (const { subject, symbol, condition } of [...this.state.health.values()]) {
      if (condition === 'halted') continue;
      this.venue.events$.next({ kind: 'healthChanged', time: turns.now(), subject, symbol, condition: 'fresh', reason: 'started again' });
    }
    if (this.state.requests.queued > 0 || this.state.requests.free < 1) {
      // Of the run before: nothing of it waits any more.
      this.venue.events$.next({ kind: 'requestsChanged', time: turns.now(), ...NO_REQUESTS });
    }
    this.venue.release();
  }

  /** Client ids of spot orders that the exchange cannot have: those that come next, some at a time, and of orders that are held. */
  #nextIds(): (batch: number) => string[] {
    const { plan, journal } = this.#parts;
    const { nextNumber } = this.#past;
    const era = journal.era.toString(ERA_RADIX);
    const onSpot = plan.strategies.filter(({ symbols }) =>
      plan.instruments.some(({ symbol, contract }) => contract === undefined && symbols.includes(symbol)),
    );
    const each = Math.max(1, Math.floor(IDS_ASKED / Math.max(1, onSpot.length)));
    const next = (batch: number) =>
      onSpot.slice(0, IDS_ASKED).flatMap(({ id }) => {
        const ids = new ClientIds(plan.name, { era, from: nextNumber + batch * each });
        return Array.from({ length: each }, () => ids.next(id));
      });
    // What the engine holds by the journal has never been sent.
    const held = [...this.state.openOrders.values()].filter(
      (order) => order.held && order.instrument.contract === undefined && this.#past.sent?.has(order.clientOrderId) !== true,
    );
    return (batch) => [...(batch === 0 ? held.slice(0, IDS_ASKED).map(({ clientOrderId }) => clientOrderId) : []), ...next(batch)];
  }

  /** Whose account it is. @throws TidegateError ACCOUNT_DIFFERS */
  #account(): Promise<KnownAccount> {
    const { client, plan, journal, accountId, isSameAccount } = this.#parts;
    const known = journal.recall(ACCOUNT_MEMORY) as KnownAccount | undefined;
    const { instruments, ids } = plan;
    return checkAccount({ client, instruments, coinIds: ids?.coins, state: this.state, known, accountId, isTrusted: isSameAccount });
  }

  #command(command: Command): void {
    const { journal, clock } = this.#parts;
    if (!this.#turns.begun) keepCommand(journal, this.state, clock.now(), command);
    this.#feed.command(command);
  }

  #point(): StatePoint {
    const { engine, state } = this;
    const { decisions } = this.#parts.journal;
    return statePoint({ state, held: engine.snapshot(), saves: engine.saves(), strategies: this.#strategies, decisions });
  }
}

/**
 * Finds out whose an order is that has an id of this bot, of the era of its journal or a later one, and that the journal does not
 * know. Orders of earlier journals are none of this one's.
 */
function lostOwner({ strategies }: BotPlan, prefix: string, era: number): RestVenueOptions['lostOwner'] {
  return (clientOrderId, symbol) => {
    if (!clientOrderId.startsWith(prefix)) return undefined;
    const [, slug, word = ''] = /^([a-zA-Z0-9]*)-([0-9a-z]+)-\d+$/.exec(clientOrderId.slice(prefix.length)) ?? [];
    const given = Number.parseInt(word, ERA_RADIX);
    if (!(given >= era)) return undefined;
    const named = strategies.filter(({ id }) => ClientIds.slugOf(id) === slug);
    const [only] = named.length === 1 && named[0]!.symbols.includes(symbol) ? named : [];
    return { strategyId: only?.id };
  };
}

/** What the journal tells of a run as it begins: all that its engine is made of and that no later record tells. */
function runStarted({ origin, strategies }: BotPlan, now: number): RunStarted {
  return {
    now,
    rules: RULES,
    ...(origin === undefined ? {} : { version: origin.version, mode: origin.mode, config: { text: origin.text, file: origin.file } }),
    strategies: strategies.map(({ id, source }) => ({ id, source })),
  };
}

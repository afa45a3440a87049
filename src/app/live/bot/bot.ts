import { take } from 'rxjs';
import type { Engine } from '../../../engine/engine.ts';
import { ClientIds } from '../../../engine/orders/client-ids.ts';
import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import type { RefusedAnswers } from '../../../exchange/client/refused-answers.ts';
import type { WeightBudget } from '../../../exchange/client/weight-budget.ts';
import { ExchangeError } from '../../../exchange/errors.ts';
import type { BotJournal } from '../../../journal/bot-journal.ts';
import { RULES_VERSION, type RunStarted, type StatePoint } from '../../../journal/journal-record.ts';
import { NO_REQUESTS } from '../../../model/account-events.ts';
import { tradableOf } from '../../../model/instrument.ts';
import { isoTime } from '../../../model/time.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import { type Command, type CommandedClose, SETTLED, type SettingChange, type SteerCommand } from '../../../ports/market-feed.ts';
import type { RiskLimits } from '../../../risk/limits.ts';
import type { State } from '../../../state/state.ts';
import type { Strategy } from '../../../strategy/strategy.ts';
import { PacedLog } from '../../../venues/reconcile/paced-log.ts';
import type { Difference } from '../../../venues/reconcile/settings.ts';
import { LiveFeed } from '../../../venues/rest/live-feed.ts';
import type { AccountRounds } from '../../../venues/rest/polling/account-rounds.ts';
import type { MarketPoller, MarketPollerOptions } from '../../../venues/rest/polling/market-poller.ts';
import type { TurnClock } from '../../../venues/rest/real-clock.ts';
import { type RequestsQueue, RestVenue } from '../../../venues/rest/rest-venue.ts';
import { type BotPlan, DETECT_SHARE, expectedContracts } from '../../planning/run-plans.ts';
import { liveContainer, TOKENS } from '../../wiring/container.ts';
import { isClosing } from '../process/kill-report.ts';
import { ACCOUNT_MEMORY, checkAccount, type KnownAccount } from './account-check.ts';
import type { Activity } from './activity.ts';
import { ERA_RADIX, heldUnder, type Known, lostOwner, type Past, readKnown, resumedHalf } from './journal-history.ts';
import { LostStops } from './lost-stops.ts';
import { pollersOf, urgencyIn } from './pollers.ts';
import { recalledChanges, rememberChange, rememberChanges } from './setting-changes.ts';
import { SignalFiles } from './signal-files.ts';
import { withStandIns } from './stand-ins.ts';
import { knownStrategies, statePoint } from './state-point.ts';
import { JournalKeeper, TurnJournal } from './turn-journal.ts';
import { type StartWaits, untilAnswered } from './until-answered.ts';
import { type Commanded, forgetCommand, keepCommand, nothingToCancel, pendingCommands } from './waiting-bot.ts';

/** The parts of a bot. */
interface BotParts {
  readonly plan: BotPlan;
  /** Real time; the engine sees it through `turns`. */
  readonly clock: Clock;
  readonly turns: TurnClock;
  readonly client: ExchangeClient;
  /** For tickers: makes each read request once. */
  readonly marketClient: ExchangeClient;
  readonly budget: WeightBudget;
  /** The account whose weight is spent; see `Credentials`. */
  readonly accountId: string;
  /** Counts the records that are not taken. */
  readonly refused?: Pick<RefusedAnswers, 'note'> | undefined;
  /** The user confirms that the keys belong to the journal's account. */
  readonly isSameAccount?: boolean | undefined;
  /** Opened with the clock of `turns`. The bot closes it. */
  readonly journal: BotJournal;
  /** The content of the journal, if it has been read already. */
  readonly known?: Known | undefined;
  readonly log: Log;
  /** For `status`. */
  readonly waits?: StartWaits | undefined;
  /** See `Commanded`. */
  readonly closesOnly?: boolean | undefined;
  /** A random number between 0 and 1, for pauses. */
  readonly random: () => number;
  /** See `MarketPollerOptions`. */
  readonly polled?: MarketPollerOptions['polled'];
  /** Called before the first event, so that an observer can subscribe. */
  readonly observe?: ((engine: Engine) => void) | undefined;
}

/** How long market data waits for a poll of the account, as a share of the age that counts as stale. */
const ACCOUNT_FIRST = 0.5;
/** The number of client ids that a start queries at a time, to find ids of a run that is not in the journal. */
const IDS_ASKED = 8;

/** How often a stop checks whether everything is done, in ms. */
const STOP_LOOK_MS = 50;

/**
 * A bot: strategies, engine, journal, venue and feed with one clock. It does not use processes, signals or files except its journal, so
 * tests can run it as it is. Long because it connects all parts of a bot, which call each other in one order.
 */
export class Bot implements Commanded {
  readonly engine: Engine;
  readonly venue: RestVenue;
  readonly state: State;
  /** The differences between exchange and journal at the start. */
  differences: readonly Difference[] = [];
  readonly #parts: BotParts;
  readonly #past: Past;
  readonly #turns: TurnJournal;
  readonly #strategies: Strategy[] = [];
  readonly #signals: SignalFiles;
  readonly #feed: LiveFeed;
  readonly #keeping: JournalKeeper;
  readonly #lostStops: LostStops;
  readonly #ids: ClientIds;
  /** Epoch ms of the engine's clock at its construction. */
  readonly #madeAt: number;
  readonly #market: MarketPoller;
  readonly #rounds: AccountRounds;
  /** Aborted by a stop before the run began: requests to the exchange are not repeated. */
  readonly #stop = new AbortController();
  /** Aborted to stop waiting for replies, too. */
  readonly #giveUp = new AbortController();
  #reconciled = false;
  /** Called once, after the first turn. */
  #onReady: (() => void) | undefined;
  /** True if the present turn resets all: the venue lifts halts after it. */
  #lifts = false;
  #over = false;
  /** The number of missing entries in the journal when the era of client ids last changed. */
  #dealtWith = 0;
  #failure: { readonly error: unknown } | undefined;

  /** Builds the bot from its journal. @throws TidegateError if journal, config or strategies do not allow it. */
  constructor(parts: BotParts) {
    this.#parts = parts;
    const { plan, clock, turns, client, journal, log } = parts;
    const { poll } = plan;
    const warnings = new PacedLog(log, () => clock.now());
    const { state, past } = parts.known ?? readKnown(plan, journal);
    this.state = state;
    this.#past = past;
    const { nextNumber, held, saves, bars, recent } = past;
    this.#turns = new TurnJournal(journal, turns, () => this.engine.started);
    this.#madeAt = turns.now();
    const ids = new ClientIds(plan.name, {
      era: journal.era.toString(ERA_RADIX),
      from: nextNumber,
      isRenewed: journal.era !== journal.createdAt,
    });
    this.#ids = ids;
    this.venue = new RestVenue({
      client,
      capabilities: plan.capabilities,
      instruments: tradableOf(plan.instruments),
      clock,
      memory: journal,
      log,
      refused: parts.refused?.note,
      orderOf: (clientOrderId) => this.state.order(clientOrderId),
      settings: { ...plan.rest, detectMs: poll.accountMs * DETECT_SHARE, lookupMs: poll.lookupMs, idleMs: poll.idleMs },
      isOwn: (clientOrderId) => clientOrderId.startsWith(ids.prefix),
      // Once killed, no order is adopted any more: a person may be closing positions manually.
      adopterOf: ({ symbol }) =>
        this.state.latches.has('kill') ? undefined : plan.strategies.find(({ symbols }) => symbols.includes(symbol))?.id,
      lostOwner: lostOwner(plan, ids, journal.era),
      heldUnder: heldUnder(this.state),
      urgencyOf: urgencyIn(this.state),
      expected: expectedContracts(plan),
      coinIds: plan.ids?.coins,
      setsLeverage: plan.setsLeverage,
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
        if (item.command === 'renewIds') this.#ids.renew(item.era);
        else forgetCommand(journal);
        if (item.command === 'limit') rememberChange(journal, item.change);
        this.#lifts = item.command === 'reset' && item.strategyId === undefined;
      },
      afterTurn: () => {
        // A heartbeat may come first: the findings of the start are committed with the engine's reaction to them.
        if (!this.engine.started) return;
        this.#keeping.afterTurn(() => this.venue.turnEnded());
        this.venue.begin();
        this.#renewIds();
        this.#onReady?.();
        this.#onReady = undefined;
        this.#lostStops.halt();
        if (!this.#lifts) return;
        this.#lifts = false;
        this.venue.lift();
      },
      report: (event) => this.venue.events$.next(event),
      failed: (subject, error, waitMs) => {
        const { operation = '', reason = '' } = error instanceof ExchangeError ? error : {};
        const kind = `${subject} ${operation} ${reason}`;
        warnings.warn(kind, `a poll of the ${subject} failed: the bot tries again`, { error: String(error), waitMs });
      },
    });
    const running = this.closesOnly ? withStandIns(plan) : plan;
    const container = liveContainer(this.#turns.watched(knownStrategies({ ...running, bars }, this.#strategies)), {
      journal: this.#turns,
      clock: this.#turns.clock,
      feed: this.#feed,
      venue: this.venue,
      ids,
      state: this.state,
      resume: { held, saves, recent },
    });
    this.engine = container.get(TOKENS.engine);
    this.#signals = new SignalFiles({
      sources: plan.signalFiles ?? [],
      everyMs: poll.tickerMs,
      clock,
      memory: journal,
      log,
      active: () => !this.#over && !this.#stop.signal.aborted,
      deliver: (signals) => {
        for (const signal of signals) this.venue.events$.next(signal);
        // Its turn writes the signals to the journal, in one commit with their place in the file.
        if (signals.length > 0) this.#feed.command(SETTLED);
      },
      failed: (error) => this.fail(error),
    });
    this.#keeping = new JournalKeeper(this.engine, journal, turns, (event) => this.#turns.market(event), this.venue);
    for (const command of pendingCommands(journal)) this.#feed.command(command);
    this.engine.account$.subscribe((event) => this.activity.take(event));
    this.#lostStops = new LostStops(plan, journal, this.venue);
    this.engine.account$.subscribe((event) => this.#lostStops.take(event));
    // An order on a signal needs a price: signals wait for the first prices of this run.
    this.engine.market$.pipe(take(1)).subscribe(() => clock.schedule(clock.now(), () => this.#signals.start()));
    parts.observe?.(this.engine);
  }

  /**
   * Reconciles journal and exchange, then starts the strategies and runs until `stop` or an error.
   * @param onLaid called after the reconciliation, before the strategies start.
   * @param onReady called after the first turn of the strategies: they have restored their saved state, and have started.
   * @throws TidegateError START_REFUSED, or the error that ended the run.
   */
  async run(onLaid: (differences: readonly Difference[]) => void = () => {}, onReady: () => void = () => {}): Promise<void> {
    this.#onReady = onReady;
    const { journal, plan, clock, log, waits } = this.#parts;
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
      waits?.begin('journal and exchange to be compared');
      const differences = await untilAnswered(compared, { clock, log, signal, giveUp, waits });
      waits?.begin('the first prices');
      if (this.#failure !== undefined) throw this.#failure.error;
      if (differences === undefined) return;
      this.differences = differences;
      this.#begin();
      // Committed with the first turn, which processes the findings: so the fills and their consequences are stored together.
      journal.remember(ACCOUNT_MEMORY, account);
      journal.append('start', { name: plan.name, differences });
      onLaid(differences);
      const ran = this.engine.run(this.#feed);
      this.#reconciled = true;
      await ran;
      journal.append('stop', this.#point());
      journal.commit();
    } finally {
      this.#over = true;
    }
  }

  /** Writes a heartbeat with hashes of the state to the journal, between two turns; nothing before the strategies have started. */
  beat(): void {
    const { journal, turns } = this.#parts;
    if (this.engine.started) journal.heartbeat(turns.now(), this.#point());
  }

  /**
   * The clock of the machine was set: nothing opens until the exchange's time has been measured again.
   * @param byMs the change in ms. @param wall epoch ms that the clock shows now.
   */
  clockSet(byMs: number, wall: number): void {
    const { client, marketClient, clock, log, turns } = this.#parts;
    const shows = `this machine's clock was set by ${byMs} ms: it shows ${isoTime(Math.floor(wall))}, the exchange's ${isoTime(client.serverTime())}`;
    client.distrustClock();
    marketClient.distrustClock();
    const report = (condition: 'stale' | 'fresh', reason: string) => {
      if (this.#over || !this.#reconciled) return;
      this.venue.events$.next({ kind: 'healthChanged', time: turns.now(), subject: 'clock', symbol: '', condition, reason });
      this.#feed.command(SETTLED);
    };
    const measure = async () => {
      report('stale', `${shows}; nothing opens until the exchange's time is measured again`);
      await untilAnswered(() => client.measureClock(), { clock, log, signal: this.#stop.signal });
      report('fresh', "the exchange's time is measured again");
    };
    // The clock may have been read in the middle of a turn.
    clock.schedule(clock.now(), () => void measure().catch((error: unknown) => this.fail(error)));
  }

  get closesOnly(): boolean {
    return this.#parts.closesOnly === true;
  }

  /** True if the journal has earlier runs. */
  get resumed(): boolean {
    return this.#past.again;
  }

  /** The recent activity, in this run and before. */
  get activity(): Activity {
    return this.#past.activity;
  }

  /** The present periods of polling, in ms. */
  get periods(): { readonly marketMs: number; readonly accountMs: number } {
    return { marketMs: this.#market.periodMs, accountMs: this.#rounds.periodMs };
  }

  /** The request queue, and the free share of the exchange's limits. */
  get requests(): RequestsQueue {
    return this.venue.queue;
  }

  /** The limits that are in force. */
  get limits(): RiskLimits {
    return this.engine.limits;
  }

  /** See `Commanded`. */
  get changes(): readonly SettingChange[] {
    return recalledChanges(this.#parts.journal);
  }

  /** The closes by command that are not finished. */
  get closes(): readonly CommandedClose[] {
    return this.engine.commandedCloses;
  }

  /** Notifies the strategies, handles open orders as `onStop` requests, and ends once no request is in flight or `graceMs` is over. */
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

  /** True after the reconciliation of journal and exchange. */
  get reconciled(): boolean {
    return this.#reconciled;
  }

  /** True if a stop has nothing left to do. It waits for the closes of a kill that flattens. */
  get leavesNothing(): boolean {
    return this.#reconciled ? this.venue.idle && !isClosing(this.state) : nothingToCancel(this.#parts.plan, this.state);
  }

  /** Ends the run with this error. The journal has everything that a restart needs. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#stop.abort();
    this.#giveUp.abort();
    this.#feed.fail(error);
  }

  /** Cancels all orders, with `flatten` also closes the strategies' positions, and stays latched until `reset`. @throws TidegateError JOURNAL_FAILED */
  kill(flatten: boolean, reason: string): void {
    this.#command({ kind: 'command', command: 'kill', flatten, reason });
  }

  /** Sends no opening orders of one strategy or all until `reset`. @throws TidegateError JOURNAL_FAILED */
  reduce(reason: string, strategyId?: string): void {
    this.#command({ kind: 'command', command: 'reduce', strategyId, reason });
  }

  /** Lifts all latches and halts, or the latches of one strategy. @throws TidegateError JOURNAL_FAILED */
  reset(strategyId?: string): void {
    this.#command({ kind: 'command', command: 'reset', strategyId });
  }

  /** Pauses or resumes a strategy, or closes a position. @throws TidegateError JOURNAL_FAILED */
  steer(command: SteerCommand): void {
    this.#command(command);
  }

  /** Begins a new era of client ids if more missing entries of the journal have been found since the start. */
  #renewIds(): void {
    const { journal } = this.#parts;
    if (this.venue.lostOrders.size <= this.#dealtWith) return;
    this.#newEra();
    this.#feed.command({ kind: 'command', command: 'renewIds', era: journal.era.toString(ERA_RADIX) });
  }

  #newEra(why: object = {}): void {
    const { journal, log } = this.#parts;
    const { lostOrders } = this.venue;
    this.#dealtWith = lostOrders.size;
    journal.renewEra();
    log.warn('the journal may lack its end: client ids get a new era', { ...why, lost: [...lostOrders] });
  }

  /**
   * Begins the run, with a new era of client ids if the journal may lack its end. If entries are missing, all instruments are halted
   * until a reset: a kill may be among them.
   */
  #begin(): void {
    const { journal, turns, plan } = this.#parts;
    const { possibleLoss } = journal;
    const { lostOrders } = this.venue;
    if (possibleLoss?.kind === 'lost') this.venue.haltUntilReset(`the journal may lack its end: ${possibleLoss.text}`);
    if (possibleLoss !== undefined || lostOrders.size > 0) {
      this.#newEra(possibleLoss && { why: possibleLoss.text });
      journal.settleLoss();
      this.#ids.renew(journal.era.toString(ERA_RADIX));
    }
    const era = journal.era === journal.createdAt ? {} : { era: journal.era.toString(ERA_RADIX) };
    this.#turns.run({ ...runStarted(plan, this.#madeAt), ...era, ...(this.closesOnly ? { closesOnly: true } : {}) });
    if (plan.changes !== undefined) rememberChanges(journal, plan.changes);
    // Staleness is determined again. A halt stays until its cause is gone.
    for (const { subject, symbol, condition } of [...this.state.health.values()]) {
      if (condition === 'halted') continue;
      this.venue.events$.next({ kind: 'healthChanged', time: turns.now(), subject, symbol, condition: 'fresh', reason: 'started again' });
    }
    if (this.state.requests.queued > 0 || this.state.requests.free < 1) {
      // The request queue of the earlier run is gone.
      this.venue.events$.next({ kind: 'requestsChanged', time: turns.now(), ...NO_REQUESTS });
    }
    this.venue.release();
  }

  /** Client ids of spot orders that should not exist at the exchange: the next ones, and those of held orders. */
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
    // Held orders in the journal have never been sent.
    const held = [...this.state.openOrders.values()].filter(
      (order) => order.held && order.instrument.contract === undefined && this.#past.sent?.has(order.clientOrderId) !== true,
    );
    return (batch) => [...held.slice(batch * IDS_ASKED, (batch + 1) * IDS_ASKED).map(({ clientOrderId }) => clientOrderId), ...next(batch)];
  }

  /** Checks that the account is the journal's. @throws TidegateError ACCOUNT_DIFFERS */
  #account(): Promise<KnownAccount> {
    const { client, plan, journal, accountId, isSameAccount } = this.#parts;
    const known = journal.recall(ACCOUNT_MEMORY) as KnownAccount | undefined;
    const { ids } = plan;
    const instruments = tradableOf(plan.instruments);
    return checkAccount({ client, instruments, coinIds: ids?.coins, state: this.state, known, accountId, isTrusted: isSameAccount });
  }

  #command(command: Command): void {
    const { journal, clock } = this.#parts;
    if (!this.engine.started) keepCommand(journal, this.state, clock.now(), command);
    this.#feed.command(command);
  }

  #point(): StatePoint {
    const { engine, state } = this;
    const { decisions } = this.#parts.journal;
    return statePoint({ state, held: engine.snapshot(), saves: engine.saves(), strategies: this.#strategies, decisions });
  }
}

/** The journal's record of a start: everything that the engine is built from and that no later record has. */
function runStarted({ origin, strategies }: BotPlan, now: number): RunStarted {
  return {
    now,
    rules: RULES_VERSION,
    ...(origin === undefined ? {} : { version: origin.version, mode: origin.mode, config: { text: origin.text, file: origin.file } }),
    strategies: strategies.map(({ id, source }) => ({ id, source })),
  };
}

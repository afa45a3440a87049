import { Container, type ServiceIdentifier } from 'inversify';
import { ClientIds } from '../../engine/orders/client-ids.ts';
import { NettingAccount } from '../../matching/accounts/netting-account.ts';
import { OwnPositions } from '../../matching/accounts/own-positions.ts';
import type { SimulatedAccount } from '../../matching/accounts/simulated-account.ts';
import { SpotAccount } from '../../matching/accounts/spot-account.ts';
import { TwoWalletAccount } from '../../matching/accounts/two-wallet-account.ts';
import { FuturesAccount } from '../../matching/futures/futures-account.ts';
import { MatchingEngine } from '../../matching/matching-engine.ts';
import { invariant } from '../../model/errors.ts';
import { type Instrument, tradableOf } from '../../model/instrument.ts';
import type { MarketEventKind } from '../../model/market-events.ts';
import type { Journal } from '../../ports/journal.ts';
import type { FeedItem } from '../../ports/market-feed.ts';
import { marginOf } from '../../state/positions.ts';
import { DelayedHeldLevels, FeedDelay, HeldLevelsRelay } from '../../venues/simulated/feed-leg.ts';
import { type PolledSource, PolledTimeline } from '../../venues/simulated/polled/polled-timeline.ts';
import { PolledVenue } from '../../venues/simulated/polled/polled-venue.ts';
import type { DataSource } from '../../venues/simulated/row-source.ts';
import { replaySignals } from '../../venues/simulated/signal-replay.ts';
import { SimulatedClock } from '../../venues/simulated/simulated-clock.ts';
import { SimulatedVenue } from '../../venues/simulated/simulated-venue.ts';
import { ConstantFundingSource, createSource } from '../../venues/simulated/sources.ts';
import { RecordedFeed, Timeline } from '../../venues/simulated/timeline.ts';
import { type BacktestPlan, capabilitiesOf } from '../planning/run-plans.ts';
import { bindCore, stateOf, TOKENS } from './container.ts';

/** The parts of the simulator. The engine uses them only through its ports. */
export interface Simulation {
  readonly clock: SimulatedClock;
  readonly venue: SimulatedVenue | PolledVenue;
  readonly matching: MatchingEngine;
  readonly account: SimulatedAccount;
  readonly timeline: Timeline | PolledTimeline;
  readonly feed: RecordedFeed;
  /** Closes the recordings' files, for a run that stops before its end. */
  close(): void;
}

/** The token of the simulator behind the ports. */
export const SIMULATION: ServiceIdentifier<Simulation> = Symbol.for('tidegate.simulation');

/** Builds a backtest: binds the ports to the simulator, and the same core as in every other mode. */
export function backtestContainer(plan: BacktestPlan, journal: Journal): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  container.bind(TOKENS.plan).toConstantValue(plan);
  container.bind(TOKENS.journal).toConstantValue(journal);
  container.bind(TOKENS.ids).toConstantValue(new ClientIds(plan.name));
  container.bind(TOKENS.resume).toConstantValue(undefined);
  container.bind(SIMULATION).toDynamicValue(() => simulate(plan));
  container.bind(TOKENS.clock).toResolvedValue((simulation: Simulation) => simulation.clock, [SIMULATION]);
  container.bind(TOKENS.feed).toResolvedValue((simulation: Simulation) => simulation.feed, [SIMULATION]);
  container.bind(TOKENS.venue).toResolvedValue((simulation: Simulation) => simulation.venue, [SIMULATION]);
  container.bind(TOKENS.state).toResolvedValue((plan) => stateOf(plan), [TOKENS.plan]);
  bindCore(container);
  return container;
}

/** Creates the simulator of one backtest. */
export function simulate(plan: BacktestPlan): Simulation {
  const clock = new SimulatedClock();
  const feedDelay = plan.polled === undefined ? FeedDelay.of(clock, plan.latency) : undefined;
  const held = feedDelay === undefined ? new HeldLevelsRelay() : new DelayedHeldLevels();
  const out: { emit: (item: FeedItem) => void } = { emit: () => {} };
  const venue = venueOf(plan, clock, held);
  const account = accountOf(plan, venue.reply);
  // A polled run is like paper and live: the exchange has no positions of single strategies.
  if (plan.polled === undefined) account.owners = new OwnPositions(plan.strategies.map(({ id }) => id));
  const matching = new MatchingEngine({
    instruments: plan.instruments,
    onBars: isOnBars(plan),
    settings: plan.fills,
    held,
    pause: (instrument, time, sequence, priceTicks) => {
      const instant = { kind: 'priceInstant', instrument, time, sequence, priceTicks } as const;
      if (feedDelay === undefined) out.emit(instant);
      else feedDelay.next(instant);
    },
    ...plan.futures,
  });
  venue.connect(matching, account);
  const sources = dataSources(plan);
  const timeline =
    venue instanceof PolledVenue
      ? polledTimeline(plan, clock, sources, matching, venue)
      : new Timeline(
          clock,
          sources.map(({ source }) => source),
          matching,
          plan.monitor,
          feedDelay,
        );
  replaySignals(plan.signals ?? [], clock, timeline.startTime, (event) => venue.events$.next(event));
  const close = () => {
    for (const { source } of sources) source.close();
  };
  return { clock, venue, matching, account, timeline, feed: new RecordedFeed(timeline, out, plan.monitor?.breaks), close };
}

/** Whether prices come from bars: orders wait for their opens. */
function isOnBars({ sources }: BacktestPlan): boolean {
  return sources.some(({ kind }) => kind === 'bar');
}

/** A series that is replayed. */
interface SourceOf {
  readonly instrument: Instrument;
  readonly kind: MarketEventKind;
  readonly source: DataSource;
}

function venueOf(plan: BacktestPlan, clock: SimulatedClock, held: HeldLevelsRelay): SimulatedVenue | PolledVenue {
  const { profile, latency, polled, instruments, account, log } = plan;
  const capabilities = { ...capabilitiesOf(profile), sizesAtFill: isOnBars(plan) };
  if (polled === undefined) return new SimulatedVenue(capabilities, clock, latency, held, plan.requestLimits);
  const traded = tradableOf(instruments);
  return new PolledVenue({
    capabilities,
    clock,
    settings: polled,
    instruments: traded,
    log,
    isNetting: account.kind === 'netting',
    hasContracts: account.kind === 'futures' && traded.some(({ contract }) => contract !== undefined),
    marginOf: (instrument) => (account.kind === 'futures' ? marginOf(account, instrument) : undefined),
  });
}

function polledTimeline(
  { instruments, monitor, polled }: BacktestPlan,
  clock: SimulatedClock,
  sources: readonly SourceOf[],
  matching: MatchingEngine,
  venue: PolledVenue,
): PolledTimeline {
  invariant(sources.every(isPolled), 'a polled backtest has only tickers, marks and funding');
  return new PolledTimeline({ clock, sources: sources.filter(isPolled), instruments, matching, venue, pollMs: polled!.pollMs, monitor });
}

function isPolled(one: SourceOf): one is SourceOf & PolledSource {
  return one.kind === 'ticker' || one.kind === 'mark' || one.kind === 'funding';
}

/** The account at the simulated exchange. A futures account also has a spot wallet. */
function accountOf({ account }: BacktestPlan, emit: SimulatedVenue['reply']): SimulatedAccount {
  if (account.kind === 'spot') return new SpotAccount(emit);
  if (account.kind === 'netting') return new NettingAccount(emit);
  return new TwoWalletAccount(new SpotAccount(emit), new FuturesAccount(emit, (instrument) => marginOf(account, instrument)!));
}

/** The sources of a run. Funding comes last in the declared order, recorded or constant. */
function dataSources({ instruments, sources, futures, from, to }: BacktestPlan): SourceOf[] {
  const constant = futures?.constantFunding ?? new Map();
  return [
    ...sources.map(({ instrument, kind, open, within = { from, to } }) => {
      return { instrument, kind, source: createSource(kind, instrument, open(), Math.max(from, within.from), Math.min(to, within.to)) };
    }),
    ...instruments
      .filter(({ symbol }) => constant.has(symbol))
      .map((instrument): SourceOf => {
        return { instrument, kind: 'funding', source: new ConstantFundingSource(instrument, constant.get(instrument.symbol)!, from, to) };
      }),
  ];
}

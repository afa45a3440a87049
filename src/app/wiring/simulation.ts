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
import type { Instrument } from '../../model/instrument.ts';
import type { MarketEventKind } from '../../model/market-events.ts';
import type { Journal } from '../../ports/journal.ts';
import type { FeedItem } from '../../ports/market-feed.ts';
import { marginOf } from '../../state/positions.ts';
import { HeardLevels, Hearing, HeldLevelsRelay } from '../../venues/simulated/feed-leg.ts';
import { type PolledSource, PolledTimeline } from '../../venues/simulated/polled/polled-timeline.ts';
import { type ObserveContracts, PolledVenue } from '../../venues/simulated/polled/polled-venue.ts';
import type { DataSource } from '../../venues/simulated/row-source.ts';
import { SimulatedClock } from '../../venues/simulated/simulated-clock.ts';
import { SimulatedVenue } from '../../venues/simulated/simulated-venue.ts';
import { ConstantFundingSource, createSource } from '../../venues/simulated/sources.ts';
import { RecordedFeed, Timeline } from '../../venues/simulated/timeline.ts';
import { type BacktestPlan, capabilitiesOf, expectedContracts } from '../planning/run-plans.ts';
import { bindCore, stateOf, TOKENS } from './container.ts';
import { WatchedContracts } from './watched-contracts.ts';

/** The simulated outside: its parts know each other, the ports show them to the engine. */
export interface Simulation {
  readonly clock: SimulatedClock;
  readonly venue: SimulatedVenue | PolledVenue;
  readonly matching: MatchingEngine;
  readonly account: SimulatedAccount;
  readonly timeline: Timeline | PolledTimeline;
  readonly feed: RecordedFeed;
  /** Lets go of the recordings' files: for a run that stops before its end. */
  close(): void;
}

/** Beside the ports: the simulator behind them. */
export const SIMULATION: ServiceIdentifier<Simulation> = Symbol.for('tidegate.simulation');

/** Wires one backtest: the ports bound to the simulator, the core as in every other mode. */
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

/** Puts the simulator of one backtest together. */
export function simulate(plan: BacktestPlan): Simulation {
  const clock = new SimulatedClock();
  const hearing = plan.polled === undefined ? Hearing.of(clock, plan.latency) : undefined;
  const held = hearing === undefined ? new HeldLevelsRelay() : new HeardLevels();
  const out: { emit: (item: FeedItem) => void } = { emit: () => {} };
  const venue = venueOf(plan, clock, held);
  const account = accountOf(plan, venue.reply);
  // A polled run does as paper and live do, whose exchange knows the account alone.
  if (plan.polled === undefined) account.owners = new OwnPositions(plan.strategies.map(({ id }) => id));
  const matching = new MatchingEngine({
    instruments: plan.instruments,
    onBars: plan.sources.some(({ kind }) => kind === 'bar'),
    settings: plan.fills,
    held,
    pause: (instrument, time, sequence, priceTicks) => {
      const instant = { kind: 'priceInstant', instrument, time, sequence, priceTicks } as const;
      if (hearing === undefined) out.emit(instant);
      else hearing.next(instant);
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
          hearing,
        );
  const close = () => {
    for (const { source } of sources) source.close();
  };
  return { clock, venue, matching, account, timeline, feed: new RecordedFeed(timeline, out), close };
}

/** A series as it is replayed. */
interface SourceOf {
  readonly instrument: Instrument;
  readonly kind: MarketEventKind;
  readonly source: DataSource;
}

function venueOf(plan: BacktestPlan, clock: SimulatedClock, held: HeldLevelsRelay): SimulatedVenue | PolledVenue {
  const { profile, latency, polled, instruments, account, log } = plan;
  const capabilities = capabilitiesOf(profile);
  if (polled === undefined) return new SimulatedVenue(capabilities, clock, latency, held, plan.requestLimits);
  const observeContracts: ObserveContracts = (parts) => new WatchedContracts(parts, expectedContracts(plan), log);
  const isFutures = account.kind === 'futures' && instruments.some(({ contract }) => contract !== undefined);
  return new PolledVenue({
    capabilities,
    clock,
    settings: polled,
    instruments,
    reserves: account.kind !== 'netting',
    observeContracts: isFutures ? observeContracts : undefined,
  });
}

function polledTimeline(
  { instruments, monitor, polled }: BacktestPlan,
  clock: SimulatedClock,
  sources: readonly SourceOf[],
  matching: MatchingEngine,
  venue: PolledVenue,
): PolledTimeline {
  invariant(sources.every(isPolled), 'a poller sees tickers, marks and funding');
  return new PolledTimeline({ clock, sources: sources.filter(isPolled), instruments, matching, venue, pollMs: polled!.pollMs, monitor });
}

function isPolled(one: SourceOf): one is SourceOf & PolledSource {
  return one.kind === 'ticker' || one.kind === 'mark' || one.kind === 'funding';
}

/** The account as the exchange keeps it; of a futures account the spot wallet comes beside. */
function accountOf({ account }: BacktestPlan, emit: SimulatedVenue['reply']): SimulatedAccount {
  if (account.kind === 'spot') return new SpotAccount(emit);
  if (account.kind === 'netting') return new NettingAccount(emit);
  return new TwoWalletAccount(new SpotAccount(emit), new FuturesAccount(emit, (instrument) => marginOf(account, instrument)!));
}

/** Funding comes last in the declared order, recorded or not. */
function dataSources({ instruments, sources, futures, from, to }: BacktestPlan): SourceOf[] {
  const constant = futures?.constantFunding ?? new Map();
  return [
    ...sources.map(({ instrument, kind, open }) => ({ instrument, kind, source: createSource(kind, instrument, open(), from, to) })),
    ...instruments
      .filter(({ symbol }) => constant.has(symbol))
      .map((instrument): SourceOf => {
        return { instrument, kind: 'funding', source: new ConstantFundingSource(instrument, constant.get(instrument.symbol)!, from, to) };
      }),
  ];
}

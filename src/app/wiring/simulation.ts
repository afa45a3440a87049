import { FuturesAccount } from '../../matching/futures/futures-account.ts';
import { MatchingEngine } from '../../matching/matching-engine.ts';
import { NettingAccount } from '../../matching/netting-account.ts';
import type { SimulatedAccount } from '../../matching/simulated-account.ts';
import { SpotAccount } from '../../matching/spot-account.ts';
import { TwoWalletAccount } from '../../matching/two-wallet-account.ts';
import type { FeedItem } from '../../ports/market-feed.ts';
import { marginOf } from '../../state/margin-of.ts';
import { ConstantFundingSource } from '../../venues/simulated/constant-funding-source.ts';
import { createSource } from '../../venues/simulated/create-source.ts';
import type { DataSource } from '../../venues/simulated/data-source.ts';
import { HeldLevelsRelay } from '../../venues/simulated/held-levels-relay.ts';
import { RecordedFeed } from '../../venues/simulated/recorded-feed.ts';
import { SimulatedClock } from '../../venues/simulated/simulated-clock.ts';
import { SimulatedVenue } from '../../venues/simulated/simulated-venue.ts';
import { Timeline } from '../../venues/simulated/timeline.ts';
import type { BacktestPlan } from '../backtest/backtest-plan.ts';
import { capabilitiesOf } from './profiles.ts';

/** The simulated outside: its parts know each other, the ports show them to the engine. */
export interface Simulation {
  readonly clock: SimulatedClock;
  readonly venue: SimulatedVenue;
  readonly matching: MatchingEngine;
  readonly account: SimulatedAccount;
  readonly timeline: Timeline;
  readonly feed: RecordedFeed;
  /** Lets go of the recordings' files: for a run that stops before its end. */
  close(): void;
}

/** Puts the simulator of one backtest together. */
export function simulate(plan: BacktestPlan): Simulation {
  const clock = new SimulatedClock();
  const held = new HeldLevelsRelay();
  const out: { emit: (item: FeedItem) => void } = { emit: () => {} };
  const venue = new SimulatedVenue(capabilitiesOf(plan.profile), clock, plan.latency, held);
  const account = accountOf(plan, venue.reply);
  const matching = new MatchingEngine({
    instruments: plan.instruments,
    onBars: plan.sources.some(({ kind }) => kind === 'bar'),
    settings: plan.fills,
    held,
    pause: (instrument, time, sequence, priceTicks) => {
      out.emit({ kind: 'priceInstant', instrument, time, sequence, priceTicks });
    },
    ...plan.futures,
  });
  venue.connect(matching, account);
  const sources = dataSources(plan);
  const timeline = new Timeline(clock, sources, matching, plan.monitor);
  const close = () => {
    for (const source of sources) source.close();
  };
  return { clock, venue, matching, account, timeline, feed: new RecordedFeed(timeline, out), close };
}

/** The account as the exchange keeps it; of a futures account the spot wallet comes beside. */
function accountOf({ account }: BacktestPlan, emit: SimulatedVenue['reply']): SimulatedAccount {
  if (account.kind === 'spot') return new SpotAccount(emit);
  if (account.kind === 'netting') return new NettingAccount(emit);
  return new TwoWalletAccount(new SpotAccount(emit), new FuturesAccount(emit, (instrument) => marginOf(account, instrument)!));
}

/** Funding comes last in the declared order, recorded or not. */
function dataSources({ instruments, sources, futures, from, to }: BacktestPlan): DataSource[] {
  const constant = futures?.constantFunding ?? new Map();
  return [
    ...sources.map(({ instrument, kind, open }) => createSource(kind, instrument, open(), from, to)),
    ...instruments
      .filter(({ symbol }) => constant.has(symbol))
      .map((instrument) => new ConstantFundingSource(instrument, constant.get(instrument.symbol)!, from, to)),
  ];
}

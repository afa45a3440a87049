import { join } from 'node:path';
import { Bot } from '../../src/app/live/bot/bot.ts';
import { type BacktestPlan, type BotPlan, capabilitiesOf } from '../../src/app/planning/run-plans.ts';
import { Credentials } from '../../src/exchange/client/credentials.ts';
import { ExchangeClient } from '../../src/exchange/client/exchange-client.ts';
import { CLIENT_DEFAULTS, Transport } from '../../src/exchange/client/transport.ts';
import { WeightBudget } from '../../src/exchange/client/weight-budget.ts';
import { BotJournal } from '../../src/journal/bot-journal.ts';
import type { AccountSpec } from '../../src/local-exchange/core/exchange-account.ts';
import type { ExchangeOptions } from '../../src/local-exchange/options.ts';
import { type RunningExchange, startExchange } from '../../src/local-exchange/start-exchange.ts';
import type { Intent } from '../../src/model/intents.ts';
import { marginOf } from '../../src/state/positions.ts';
import { TurnClock } from '../../src/venues/rest/real-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { ForeignOrder } from './foreign-order.ts';
import { OneWire } from './one-wire.ts';
import { PhaseClock } from './phase-clock.ts';
import { eventsOf, recordingFeed } from './recording-feed.ts';
import { type Trace, Tracer } from './trace.ts';

const NO_LIMITS = { ipWeight: 0, uidWeight: 0, actionsPerSecond: 0 };
const PLENTY = { ipWeight: 1e9, uidWeight: 1e9, actionsPerSecond: 1e9 };

export interface PaperOptions {
  readonly foreign?: ForeignOrder | undefined;
  /** What the owner of the account does by hand at a time. */
  readonly byHand?: { readonly time: number; act(exchange: RunningExchange): void } | undefined;
  /** What a person commands the bot at a time. */
  readonly command?: { readonly time: number; give(bot: Bot): void } | undefined;
  readonly signalFiles?: BotPlan['signalFiles'];
  /** Of the exchange. */
  readonly change?: Partial<ExchangeOptions>;
}

export interface PaperResult {
  readonly trace: Trace;
  /** Path of what the bot kept. */
  readonly journal: string;
  /** That went over the sockets. */
  readonly requests: number;
}

/**
 * The bot against the local exchange, over HTTP, on the recording that the backtest of this plan replays. Time moves on
 * when no request is under way and nothing that one caused is left to do.
 */
export async function runPaper(
  plan: BacktestPlan,
  { foreign, byHand, command, signalFiles, change = {} }: PaperOptions = {},
): Promise<PaperResult> {
  const { pollMs } = plan.polled!;
  const events = eventsOf(plan.sources, plan.from, plan.to);
  const clock = new PhaseClock(events[0]!.time);
  const polls = clock.of('polls');
  const exchange = await startExchange({
    name: 'parity',
    clock: clock.of('prices'),
    instruments: plan.instruments,
    accounts: [{ name: 'bot', balances: balancesOf(plan) }],
    fills: plan.fills,
    margin: (instrument) => marginOf(plan.account, instrument)!,
    matching: plan.futures,
    feed: recordingFeed(events, clock),
    limits: NO_LIMITS,
    ...change,
  });
  if (foreign !== undefined) clock.of('timers').schedule(foreign.time, () => placeForeign(exchange, foreign));
  if (byHand !== undefined) clock.of('timers').schedule(byHand.time, () => byHand.act(exchange));
  const settings = { spotBaseUrl: exchange.spot, contractBaseUrl: exchange.futures, readAttempts: 1, clockSyncMs: 0 };
  const wire = new OneWire(new Transport(polls, { ...CLIENT_DEFAULTS, ...settings }));
  const budget = new WeightBudget(polls, PLENTY);
  const credentials = new Credentials(exchange.accounts[0]!);
  const random = () => 0.5;
  const client = new ExchangeClient({ clock: polls, budget, credentials, random, sender: wire, settings });
  const turns = new TurnClock(clock.of('timers'));
  const tracer = new Tracer(() => turns.now());
  const path = join(temporaryFolder(), 'bot.sqlite');
  const journal = BotJournal.open(path, { bot: plan.name, now: () => turns.now(), instruments: plan.instruments, synchronous: 'off' });
  const keep = journal.intent.bind(journal);
  journal.intent = (sequence: number, time: number, strategyId: string, intent: Intent) => {
    tracer.intent(strategyId, intent);
    keep(sequence, time, strategyId, intent);
  };
  const bot = new Bot({
    plan: { ...botPlan(plan, pollMs), signalFiles },
    clock: polls,
    turns,
    client,
    marketClient: client,
    budget,
    accountId: credentials.accountId,
    journal,
    log: plan.log,
    random,
    observe: (engine) => tracer.observe(engine),
  });
  if (command !== undefined) clock.of('timers').schedule(command.time, () => command.give(bot));
  let failure: { readonly error: unknown } | undefined;
  let over = false;
  const ended = bot.run().then(
    () => {
      over = true;
    },
    (error: unknown) => {
      over = true;
      failure = { error };
    },
  );
  const end = Math.ceil(events.at(-1)!.time / pollMs) * pollMs;
  await drive(clock, wire, end, () => over);
  const trace = tracer.trace(bot.state);
  tracer.closed = true;
  bot.stop();
  await drive(clock, wire, end + 1_000, () => over);
  await ended;
  await wire.close();
  await exchange.close();
  journal.close();
  if (failure !== undefined) throw failure.error;
  return { trace, journal: path, requests: wire.requests };
}

function placeForeign({ exchange }: RunningExchange, { instrument, time, priceTicks, steps }: ForeignOrder): void {
  const limit = { price: instrument.tick.toText(priceTicks), quantity: instrument.step.toText(steps) };
  const orders = [{ side: 'buy', orderType: 'limit', force: 'normal', clientOrderId: 'foreign', ...limit } as const];
  exchange.perform('placeSpot', { uid: exchange.accounts.all[0]!.uid, symbol: instrument.symbol, orders }, time);
}

/** Lets everything happen up to and at `end`. */
async function drive(clock: PhaseClock, wire: OneWire, end: number, over: () => boolean): Promise<void> {
  while (!over()) {
    // A macrotask comes after every microtask.
    await new Promise((resolve) => setImmediate(resolve));
    if ((await wire.deliver('order')) || (await wire.deliver('account'))) continue;
    const { next } = clock;
    const isDue = next !== undefined && next.time <= clock.now() && (next.phase === 'prices' || next.phase === 'polls');
    if (!isDue && (await wire.deliver('market'))) continue;
    if (next === undefined || next.time > end) return;
    clock.ring();
  }
}

/** The bot that runs the strategies of a polled backtest. */
export function botPlan(plan: BacktestPlan, pollMs: number): BotPlan {
  return {
    ...plan,
    capabilities: capabilitiesOf('exchange'),
    poll: { tickerMs: pollMs, accountMs: pollMs, lookupMs: plan.polled!.lookupMs, idleMs: 5_000, staleMs: 10 * pollMs },
    rest: {},
    onStop: 'keep',
    graceMs: 1,
  };
}

function balancesOf({ account, balances, spotBalances = new Map() }: BacktestPlan): AccountSpec['balances'] {
  const texts = (amounts: BacktestPlan['balances']) => Object.fromEntries([...amounts].map(([asset, amount]) => [asset, amount.toFixed()]));
  return account.kind === 'futures' ? { futures: texts(balances), spot: texts(spotBalances) } : { spot: texts(balances) };
}

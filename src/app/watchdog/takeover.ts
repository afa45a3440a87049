import { existsSync } from 'node:fs';
import { ClientIds } from '../../engine/orders/client-ids.ts';
import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../exchange/errors.ts';
import { statusOf } from '../../exchange/mapping.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import { BotJournal } from '../../journal/bot-journal.ts';
import { copyJournal } from '../../journal/copy-journal.ts';
import { type Instrument, tradableOf } from '../../model/instrument.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Order } from '../../state/order.ts';
import type { State } from '../../state/state.ts';
import { Strategy } from '../../strategy/strategy.ts';
import { TurnClock } from '../../venues/rest/real-clock.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { Bot } from '../live/bot/bot.ts';
import { type Known, readKnown } from '../live/bot/journal-history.ts';
import { unclaimed } from '../live/bot/unclaimed.ts';
import { paused } from '../live/bot/until-answered.ts';
import type { BotClients } from '../live/bot-clients.ts';
import { logEvent } from '../live/process/order-lines.ts';
import type { BotFolder } from '../planning/bot-folder.ts';
import type { BotPlan, PlannedStrategy } from '../planning/run-plans.ts';
import type { BotLog } from '../terminal/bot-log.ts';

export interface TakeoverParts {
  readonly plan: BotPlan;
  readonly folder: BotFolder;
  readonly clients: BotClients;
  readonly clock: Clock;
  readonly log: BotLog;
  /** Whether positions are closed: by the config, or because somebody requests it, which may come later. */
  flattens(): boolean;
  readonly reason: string;
  /** Ends it before it is complete. */
  readonly signal: AbortSignal;
}

/** The period of the checks whether everything is done, in ms. */
const LOOK_MS = 100;
/** The pauses between two rounds of direct cancels, in ms; each is twice the one before. */
const FIRST_STRIKE_MS = 1_000;
const LONGEST_STRIKE_MS = 15_000;

/** The result of a takeover. */
interface TakenOver {
  /** `gone`: it is proved that the bot has no open order at the exchange. */
  readonly orders: 'gone' | 'left';
  /** The positions of its strategies. */
  readonly positions: Record<string, string>;
}

/**
 * Acts for a silent bot as the bot does after a kill, with the same code. A bot whose strategies do nothing resumes from a
 * copy of the journal, compares it with the exchange, cancels open orders, closes positions if `flattens` says so, and ends when
 * the outcome of every order is known. Before that, and as long as an order is open, cancels for every order are also sent
 * directly, so that no cancel waits until journal and exchange agree.
 * @throws TidegateError if the journal cannot be copied or the exchange refuses the keys; then only direct cancels are sent.
 */
export async function takeOver(parts: TakeoverParts): Promise<TakenOver> {
  const { plan, clients, clock, log, flattens, reason, signal } = parts;
  const { journal, bot } = takeoverBot(parts);
  // Closing orders of this takeover are not canceled.
  const mine = new Set<string>();
  const owned = ownedBy(plan.name);
  const isOwn = (clientOrderId: string) => owned(clientOrderId) && !mine.has(clientOrderId);
  const over = new AbortController();
  const striking = strikes(
    () => [...bot.state.openOrders.values()].filter(({ clientOrderId }) => !mine.has(clientOrderId)),
    parts,
    isOwn,
    AbortSignal.any([signal, over.signal]),
  );
  bot.engine.account$.subscribe((event) => {
    if (event.kind === 'orderSubmitted') mine.add(event.clientOrderId);
    logEvent(event, bot.state, log);
  });
  let flatten = flattens();
  bot.kill(flatten, reason);
  let running = false;
  let ended = false;
  let gone = false;
  const look = () => {
    if (ended) return;
    if (!flatten && flattens()) {
      flatten = true;
      bot.kill(flatten, `${reason}; somebody requests that positions are closed`);
    }
    const { openOrders } = bot.state;
    const flat = bot.engine.snapshot().flattening.length === 0;
    if (running && openOrders.size === 0 && bot.venue.idle && flat) gone = true;
    if (gone || signal.aborted) bot.stop();
    else clock.schedule(clock.now() + LOOK_MS, look);
  };
  look();
  try {
    await bot.run((differences) => {
      for (const difference of differences) log.warn('journal and exchange differ', { ...difference });
      // The commands are executed first.
      clock.schedule(clock.now() + LOOK_MS, () => {
        running = true;
      });
    });
  } finally {
    ended = true;
    over.abort();
    await striking;
    journal.close();
  }
  if (gone) gone = (await strike([], { ...clients, instruments: plan.instruments, log, isOwn: owned })).listed === 0;
  return { orders: gone ? 'gone' : 'left', positions: positionsOf(bot, plan) };
}

/** Cancels without a readable journal: the orders that the futures lists show. @returns whether the lists are empty. */
export async function strikeBlind({ plan, clients, log }: TakeoverParts): Promise<boolean> {
  const { listed, failed } = await strike([], { ...clients, instruments: plan.instruments, log, isOwn: ownedBy(plan.name) });
  return listed === 0 && failed === 0;
}

async function strikes(
  open: () => Iterable<Order>,
  { plan, clients, clock, log }: TakeoverParts,
  isOwn: (clientOrderId: string) => boolean,
  signal: AbortSignal,
): Promise<void> {
  for (let waitMs = FIRST_STRIKE_MS; !signal.aborted; waitMs = Math.min(LONGEST_STRIKE_MS, 2 * waitMs)) {
    await strike(open(), { ...clients, instruments: plan.instruments, log, isOwn });
    await paused(clock, waitMs, signal);
  }
}

/** The number of records on one page of operation 14. */
const PAGE = 100;

interface StrikeParts {
  readonly client: Pick<ExchangeClient, 'cancelOrder' | 'cancelFuturesOrder' | 'futuresOrders'>;
  readonly instruments: readonly Instrument[];
  readonly log: Log;
  /** Whether a client id is one of the bot's. */
  readonly isOwn: (clientOrderId: string) => boolean;
}

/** The result of one round of direct cancels. */
interface Struck {
  /** Cancels that the exchange accepted. */
  readonly canceled: number;
  /** Failed requests: another round is needed. */
  readonly failed: number;
  /** Orders of the bot that the futures lists still show. */
  readonly listed: number;
}

/**
 * Sends a cancel for every order of the bot that is open in its journal or that the futures lists show, without reading their state
 * first. A failed cancel does not stop the others.
 */
async function strike(open: Iterable<Order>, { client, instruments, log, isOwn }: StrikeParts): Promise<Struck> {
  let canceled = 0;
  let failed = 0;
  let listed = 0;
  const trouble = (what: string, error: unknown) => {
    failed++;
    const isNoConcern = error instanceof ExchangeError && error.outcome === 'rejected' && !error.retryable;
    if (isNoConcern) failed--;
    log[isNoConcern ? 'info' : 'warn'](what, { error: (error as Error).message });
  };
  const cancel = async (symbol: string, isFutures: boolean, id: { orderId: string } | { clientOid: string }) => {
    try {
      const body = { symbol: wireSymbol(symbol), ...id };
      const { result } = isFutures ? await client.cancelFuturesOrder(body) : await client.cancelOrder(body);
      if (!result) return;
      canceled++;
      log.warn('canceled', { symbol, ...id });
    } catch (error) {
      trouble('a cancel failed', error);
    }
  };
  const known = [...open].filter(({ held }) => !held);
  const jobs = known.map(({ symbol, orderId, clientOrderId, instrument, adopted }) =>
    cancel(symbol, instrument.contract !== undefined, adopted || orderId !== '' ? { orderId } : { clientOid: clientOrderId }),
  );
  const struck = new Set(known.map(({ orderId }) => orderId));
  for (const { symbol } of tradableOf(instruments).filter(({ contract }) => contract !== undefined)) {
    try {
      for (let page = 0, more = true; more; page++) {
        const records = await client.futuresOrders({ symbol: wireSymbol(symbol), limit: PAGE, page });
        more = records.length === PAGE;
        for (const { client_oid: clientOid, order_id: orderId, status } of records) {
          const word = statusOf(status);
          if (!isOwn(clientOid) || word === 'filled' || word === 'canceled') continue;
          listed++;
          if (!struck.has(orderId)) jobs.push(cancel(symbol, true, { orderId }));
        }
      }
    } catch (error) {
      trouble(`the orders of ${symbol} cannot be listed`, error);
    }
  }
  await Promise.all(jobs);
  return { canceled, failed, listed };
}

function ownedBy(name: string): (clientOrderId: string) => boolean {
  const { prefix } = new ClientIds(name);
  // Names are cut to the same length as in the bot's client ids, which have an era.
  const withEra = new ClientIds(name, { era: '0' }).prefix;
  return (id) => id.startsWith(withEra) || id.startsWith(prefix);
}

function takeoverBot({ plan, folder, clients, clock, log }: TakeoverParts): { journal: BotJournal; bot: Bot } {
  // An existing journal belongs to an interrupted takeover and has its orders.
  if (!existsSync(folder.watchdogJournal)) copyJournal(folder.journal, folder.watchdogJournal, clock.now());
  const turns = new TurnClock(clock);
  const journal = BotJournal.open(folder.watchdogJournal, { bot: plan.name, now: () => turns.now(), instruments: plan.instruments });
  try {
    return { journal, bot: new Bot({ ...wholePlan(plan, journal), clock, turns, ...clients, journal, log, random: Math.random }) };
  } catch (error) {
    journal.close();
    throw error;
  }
}

/** The plan with a placeholder for every strategy of the journal: orders of a removed strategy must not stay open. */
function wholePlan(given: BotPlan, journal: BotJournal): { readonly plan: BotPlan; readonly known: Known } {
  const known = readKnown(given, journal);
  if (unclaimed(known.state, given.strategies).length === 0) return { plan: given, known };
  const plan = { ...given, strategies: placeholdersFor(known.state, given.strategies) };
  return { plan, known: readKnown(plan, journal) };
}

/** A strategy that does nothing: the watchdog runs no user code, because that may have hung the bot. */
class Placeholder extends Strategy {}

/** One such strategy for each strategy of a config, so that orders and positions keep their owners. */
export function placeholders({ config }: LoadedConfig): PlannedStrategy[] {
  return config.strategies.map(placeholderStrategy);
}

/** The same, and one for each strategy and symbol that only the journal still has: they are canceled and closed too. */
function placeholdersFor(state: State, strategies: readonly PlannedStrategy[]): PlannedStrategy[] {
  const symbolsOf = new Map(strategies.map(({ id, symbols }) => [id, symbols]));
  for (const { strategyId: id, instrument } of unclaimed(state, strategies))
    symbolsOf.set(id, [...(symbolsOf.get(id) ?? []), instrument.symbol]);
  return [...symbolsOf].map(([id, symbols]) => placeholderStrategy({ id, symbols }));
}

function placeholderStrategy({ id, symbols }: Pick<PlannedStrategy, 'id' | 'symbols'>): PlannedStrategy {
  return { id, symbols, params: undefined, create: (context) => new Placeholder(context) };
}

function positionsOf({ state }: Bot, { instruments }: BotPlan): Record<string, string> {
  const held = instruments.flatMap((instrument) =>
    [...state.books].flatMap(([id, book]) =>
      book
        .sides(instrument)
        .filter(({ steps }) => steps !== 0)
        .map(({ steps }): [string, string] => [`${id} ${instrument.symbol}`, instrument.step.toText(steps)]),
    ),
  );
  return Object.fromEntries(held);
}

import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../exchange/errors.ts';
import { OPERATION_TABLE, type OperationName } from '../../exchange/operations/operation-table.ts';
import type { PayloadOf } from '../../exchange/operations/operations.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import { type Instrument, tradableOf } from '../../model/instrument.ts';
import { isoTime } from '../../model/time.ts';
import { RECONCILE_DEFAULTS } from '../../venues/reconcile/settings.ts';
import { contractValues, type GridDifference, gridDifferences, linesToWrite, pairValues } from '../../venues/rest/listed-grids.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { BotFolder, BotMode } from '../planning/bot-folder.ts';
import { botSection } from './plan-bot.ts';

type Listing = PayloadOf<'exchangeInfo'>[number];

/** The number of clock measurements. The one with the shortest round trip counts. */
const MEASUREMENTS = 3;

/**
 * Compares the config with the exchange: clock, keys, pairs, contracts.
 * @param mustStart whether the bot has a position or open orders of an instrument: a grid of the exchange that is not the config's is then no
 * reason to refuse the start, as the bot rounds the exits to it, and a suspended pair is none to wait, as it may have other positions.
 * @returns harmless differences, to be logged.
 * @throws TidegateError START_REFUSED with all other differences, `retryable` if they may disappear without a change of the config;
 * KEYS_INVALID; ExchangeError if a request fails.
 */
export async function checkExchange(
  client: ExchangeClient,
  instruments: readonly Instrument[],
  mustStart: (instrument: Instrument) => boolean = () => false,
): Promise<string[]> {
  const { trouble } = await clockTrouble(client);
  const passing = trouble === undefined ? [] : [trouble];
  const wrong: string[] = [];
  const notes: string[] = [];
  const traded = tradableOf(instruments);
  const spot = instruments.filter(({ kind }) => kind === 'spot');
  if (spot.length > 0) {
    const pairs = await pairTroubles(client, spot);
    wrong.push(...pairs.wrong);
    gridTroubles(pairs.grids, mustStart, wrong, notes);
    passing.push(...pairs.passing);
    for (const one of pairs.suspended) {
      if (mustStart(one)) notes.push(`${suspendedText(one)}: the bot starts because it has a position or orders there, and opens nothing`);
      else passing.push(suspendedText(one));
    }
    notes.push(...pairs.notes);
    if (traded.some(({ kind }) => kind === 'spot')) await withKeys(() => client.accountAssets());
  }
  const contracts = instruments.filter(({ kind }) => kind === 'futures');
  const listed = await contractTroubles(client, contracts);
  wrong.push(...listed.wrong);
  gridTroubles(listed.grids, mustStart, wrong, notes);
  // The exchange refuses these requests for a contract that it does not list, even if the keys are right.
  const contract = traded.find(({ kind }) => kind === 'futures');
  if (contract !== undefined && wrong.length === 0) wrong.push(...(await lackingReads(client, contract)));
  if (wrong.length > 0)
    throw new TidegateError('START_REFUSED', `not started:\n${[...wrong, ...passing].map((one) => `- ${one}`).join('\n')}`);
  if (passing.length > 0) throw new TidegateError('START_REFUSED', passing.join('; '), { retryable: true });
  return notes;
}

/** A value of the config that is not on the exchange's grid. */
export interface GridTrouble {
  readonly instrument: Instrument;
  readonly difference: GridDifference;
}

/** The difference as text. */
export function gridTroubleText({ instrument: { symbol }, difference: { setting, ours, theirs } }: GridTrouble): string {
  const at = `instruments.${symbol}.${setting}`;
  return setting === 'minQuantity'
    ? `${at}: the exchange's minimum is ${theirs}, but the config allows ${ours}`
    : `${at}: ${ours} in the config, ${theirs} at the exchange`;
}

function gridTroubles(
  grids: readonly GridTrouble[],
  mustStart: (instrument: Instrument) => boolean,
  wrong: string[],
  notes: string[],
): void {
  for (const one of grids) {
    const text = gridTroubleText(one);
    if (mustStart(one.instrument))
      notes.push(`${text}: the bot starts because it has a position or orders there; it rounds exits, and opens nothing`);
    else wrong.push(`${text}: write ${linesToWrite([one.difference])}`);
  }
}

/** The differences between the pairs of the config and the exchange's. */
interface PairTroubles {
  readonly grids: GridTrouble[];
  /** Differences that need a change of the config. */
  readonly wrong: string[];
  /** Reasons not to start that may disappear by themselves. */
  readonly passing: string[];
  /** Pairs in which the exchange has suspended trading. */
  readonly suspended: Instrument[];
  /** Harmless differences. */
  readonly notes: string[];
}

/** A suspended pair as text. */
export function suspendedText({ symbol }: Instrument): string {
  return `instruments.${symbol}: the exchange has suspended its trading`;
}

/** Compares the pairs of the config with the exchange's. @throws ExchangeError if the request fails. */
export async function pairTroubles(client: ExchangeClient, pairs: readonly Instrument[]): Promise<PairTroubles> {
  const grids: GridTrouble[] = [];
  const wrong: string[] = [];
  const passing: string[] = [];
  const suspended: Instrument[] = [];
  const notes: string[] = [];
  const listings = await client.exchangeInfo();
  const listed = new Map(listings.map((one) => [one.symbol.toUpperCase(), one]));
  // The exchange always has pairs: an empty list is a passing fault of its reply.
  if (listings.length === 0) passing.push('the exchange lists no pair at all');
  for (const instrument of pairs) {
    const listing = listed.get(wireSymbol(instrument.symbol).toUpperCase());
    if (listing !== undefined) comparePair(instrument, listing, { grids, wrong, passing, suspended, notes });
    else if (listings.length > 0) wrong.push(`instruments.${instrument.symbol}: the exchange does not list it`);
  }
  return { grids, wrong, passing, suspended, notes };
}

/**
 * The reads without which a bot does not know what its futures orders did. They have no substitute. That orders can be placed shows only an
 * order.
 */
const NEEDED_READS: Partial<Record<OperationName, (client: ExchangeClient, symbol: string) => Promise<unknown>>> = {
  futuresAccount: (client) => client.futuresAccount({ coinId: USDT }),
  futuresOrders: (client, symbol) => client.futuresOrders({ symbol, limit: 1 }),
  futuresOrder: (client) => client.futuresOrder({ orderId: '1' }),
  futuresHistory: (client, symbol) => client.futuresHistory({ symbol, pageSize: 1 }),
  triggers: (client, symbol) => client.triggers({ symbol, limit: 1 }),
  triggerHistory: (client, symbol) => client.triggerHistory({ symbol, pageSize: 1 }),
  futuresFills: (client, symbol) => client.futuresFills({ symbol, limit: 1 }),
  futuresBills: (client) => client.futuresBills({ coin: 'USDT', limit: 1 }),
};
/** The exchange's id of the coin in which contracts are settled. */
export const USDT = '2';

/**
 * Asks each operation that a futures bot needs once.
 * @returns those that the exchange lacks, as texts.
 * @throws TidegateError KEYS_INVALID; ExchangeError for a failure that proves nothing, such as an outage.
 */
export async function lackingReads(client: ExchangeClient, { symbol }: Instrument): Promise<string[]> {
  const lacking: string[] = [];
  for (const read of Object.values(NEEDED_READS)) {
    await withKeys(() => read(client, wireSymbol(symbol))).catch((error: unknown) => {
      // It is there, and refuses this order or coin.
      const isThere = error instanceof ExchangeError && error.httpStatus !== 404 && ['business', 'parameter'].includes(error.reason);
      if (!isThere) lacking.push(lackingOrThrow(error));
    });
  }
  // A gateway whose host is gone may reply in the same way, to everything.
  if (lacking.length > 0) await client.futuresTime();
  return lacking;
}

/** The text of a failure which shows that the exchange does not have the operation: 404, or a reply of another shape. @throws every other failure. */
export function lackingOrThrow(error: unknown): string {
  if (!(error instanceof ExchangeError) || (error.httpStatus !== 404 && error.reason !== 'otherShape')) throw error;
  const { method, path } = OPERATION_TABLE[error.operation];
  return `the exchange lacks ${method} ${path}, which futures need (${error.message})`;
}

/**
 * Compares the contracts of the config with the exchange's: each needs a price.
 * @throws ExchangeError if a request fails for a reason that may pass.
 */
export async function contractTroubles(
  client: ExchangeClient,
  contracts: readonly Instrument[],
): Promise<Pick<PairTroubles, 'wrong' | 'grids'>> {
  if (contracts.length === 0) return { wrong: [], grids: [] };
  const wrong: string[] = [];
  const records = await client.contracts().catch((error: unknown) => {
    wrong.push(lackingOrThrow(error));
    return [];
  });
  const listed = new Map(records.map((one) => [one.symbol.toUpperCase(), one]));
  const grids = contracts.flatMap((instrument): GridTrouble[] => {
    const record = listed.get(wireSymbol(instrument.symbol).toUpperCase());
    const found = record === undefined ? [] : gridDifferences(instrument, contractValues(record));
    return found.map((difference) => ({ instrument, difference }));
  });
  for (const { symbol } of contracts) {
    await client.futuresTicker({ symbol: wireSymbol(symbol) }).catch((error: unknown) => {
      if (!(error instanceof ExchangeError) || error.retryable) throw error;
      wrong.push(`instruments.${symbol}: the exchange has no futures ticker for it (${error.message})`);
    });
  }
  return { wrong, grids };
}

/** A measured offset of the exchange's clock. */
export interface ClockFinding {
  readonly offsetMs: number;
  /** The largest possible error of `offsetMs`: half of the round trip. */
  readonly errorMs: number;
  /** Describes an offset that is certainly too large. */
  readonly trouble: string | undefined;
}

/** Measures how far the exchange's clock is ahead. A slow network proves nothing about the clock. @throws ExchangeError */
export async function clockTrouble(client: Pick<ExchangeClient, 'measureClock'>): Promise<ClockFinding> {
  let best = { offsetMs: 0, errorMs: Number.POSITIVE_INFINITY };
  for (let time = 0; time < MEASUREMENTS; time++) {
    const found = await client.measureClock();
    if (found.errorMs <= best.errorMs) best = found;
  }
  const { offsetMs, errorMs } = best;
  const { clockErrorMs } = RECONCILE_DEFAULTS;
  if (Math.abs(offsetMs) <= clockErrorMs + errorMs) return { ...best, trouble: undefined };
  const where = offsetMs > 0 ? 'behind' : 'ahead of';
  const ms = (value: number) => Math.round(Math.abs(value));
  const text = `this machine's clock is ${ms(offsetMs)} ms ${where} the exchange's (within ${ms(errorMs)} ms), expected at most ${clockErrorMs} ms: synchronize it (NTP)`;
  return { ...best, trouble: text };
}

/** The clocks of this machine and of the exchange at one moment, epoch ms. */
export interface ClocksRead {
  readonly wall: number;
  readonly exchange: number;
  /** The largest possible error of `exchange`, in ms. */
  readonly errorMs: number;
}

/** Describes clocks that are certainly too far apart. This does no harm to orders of a running bot, but its next start waits for it. */
export function clocksApart(clocks: ClocksRead | undefined): string[] {
  if (clocks === undefined) return [];
  const { wall, exchange, errorMs } = clocks;
  const aheadMs = Math.round(wall - exchange);
  if (Math.abs(aheadMs) <= RECONCILE_DEFAULTS.clockErrorMs + errorMs) return [];
  const apart = `${Math.abs(aheadMs)} ms ${aheadMs > 0 ? 'ahead of' : 'behind'} the exchange's`;
  const shown = `this machine's clock shows ${isoTime(wall)}, the exchange's ${isoTime(exchange)}`;
  return [`${shown}: it is ${apart}; synchronize it (NTP): a restart waits for that`];
}

/** Makes a request that needs keys. @throws TidegateError KEYS_INVALID if the exchange refuses the keys; ExchangeError if it fails otherwise. */
export async function withKeys(ask: () => Promise<unknown>): Promise<void> {
  try {
    await ask();
  } catch (error) {
    // Any other refusal has nothing to do with keys.
    if (!(error instanceof ExchangeError) || (error.reason !== 'header' && error.reason !== 'permission')) throw error;
    throw new TidegateError('KEYS_INVALID', `the exchange refused the keys: ${error.message}`, { cause: error });
  }
}

/** Units must be the same; limits of the config may be tighter than the exchange's, never wider. Of a reference only the tick counts. */
function comparePair(instrument: Instrument, listing: Listing, { grids, wrong, suspended, notes }: PairTroubles): void {
  const { symbol, spec, step, makerFee, takerFee, isReference } = instrument;
  const at = (setting: string) => `instruments.${symbol}.${setting}`;
  grids.push(...gridDifferences(instrument, pairValues(listing)).map((difference) => ({ instrument, difference })));
  if (isReference) return;
  if (!listing.enableTrade) suspended.push(instrument);
  const { minQuantity, maxQuantity } = spec;
  const [least, most] = [listing.minTradeAmount, listing.maxTradeAmount];
  if (least !== '' && minQuantity === undefined && step.toDecimal(1).lt(least)) {
    const text = `${at('minQuantity')}: the exchange's minimum is ${new Decimal(least).toFixed()}`;
    notes.push(`${text}, and the config has none: the exchange will reject smaller orders`);
  }
  if (most !== '' && new Decimal(most).gt(0) && maxQuantity !== undefined && new Decimal(maxQuantity).gt(most)) {
    wrong.push(`${at('maxQuantity')}: the exchange's maximum is ${new Decimal(most).toFixed()}, but the config allows ${maxQuantity}`);
  }
  const fees = [
    ['makerFee', makerFee, listing.makerFeeRate],
    ['takerFee', takerFee, listing.takerFeeRate],
  ] as const;
  for (const [setting, ours, theirs] of fees) {
    if (!ours.eq(theirs))
      notes.push(`${at(setting)}: ${ours.toFixed()} in the config, ${theirs} at the exchange: backtests use the config's`);
  }
}

interface TermsParts {
  readonly mode: BotMode;
  readonly folder: BotFolder;
  /** A hash of the key. */
  readonly accountId: string;
  readonly spotBaseUrl: string | undefined;
  readonly contractBaseUrl: string | undefined;
}

/** The settings with which a bot is about to trade, shown before it sends anything. */
export function tradingTerms(loaded: LoadedConfig, parts: TermsParts): Record<string, unknown> {
  const { config } = loaded;
  const { onStop, warmup, start, foreign, unexplained, poll } = botSection(loaded, parts.mode);
  const { mode, folder, accountId, spotBaseUrl, contractBaseUrl } = parts;
  const { account, orders, positions, strategies } = config.risk;
  return {
    name: config.name,
    mode,
    account: `${config.account.kind}, ${mode === 'paper' ? 'simulated' : 'REAL MONEY'}, id ${accountId}`,
    spot: spotBaseUrl ?? 'none',
    futures: contractBaseUrl ?? 'none',
    instruments: Object.keys(config.instruments),
    strategies: config.strategies.map(({ id, symbols, references = [] }) => {
      const more = references.length === 0 ? '' : `, with the reference${references.length === 1 ? '' : 's'} ${references.join(', ')}`;
      return `${id} on ${symbols.join(', ')}${more}`;
    }),
    limits: setOf({ ...account, ...orders, positions }),
    ...Object.fromEntries(
      Object.entries(strategies).map(([id, own]) => [`limits of ${id}`, setOf({ ...own, ...own.orders, orders: undefined })]),
    ),
    onStop,
    warmup,
    ...(start === 'all' ? {} : { start }),
    foreign,
    unexplained,
    poll,
    folder: folder.path,
    ...(mode === 'paper' ? { prices: config.paper?.prices } : {}),
  };
}

function setOf(limits: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}

/** The same as readable text. */
export function termsText(terms: Record<string, unknown>): string {
  const width = Math.max(...Object.keys(terms).map(({ length }) => length));
  return Object.entries(terms)
    .map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`)
    .join('\n');
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value).map(([name, inner]) => `${name} ${shown(inner)}`);
  return entries.length === 0 ? 'none' : entries.join(', ');
}

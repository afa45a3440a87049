import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../exchange/errors.ts';
import type { PayloadOf } from '../../exchange/operations/operations.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import { REST_DEFAULTS } from '../../venues/rest/trading.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { BotFolder, BotMode } from '../planning/bot-folder.ts';
import { botSection } from './plan-bot.ts';

type Listing = PayloadOf<'exchangeInfo'>[number];

/** How often the clock is measured: the best of these counts, as a slow answer looks like a wrong clock. */
const MEASUREMENTS = 3;

/**
 * Compares the config with the exchange: clock, keys, pairs.
 * @returns differences that do no harm but that a person should know.
 * @throws TidegateError START_REFUSED with everything that does not add up, `retryable` where all of it may pass without a change
 * of the config; KEYS_INVALID; ExchangeError where it cannot be asked.
 */
export async function checkExchange(client: ExchangeClient, instruments: readonly Instrument[]): Promise<string[]> {
  const { trouble } = await clockTrouble(client);
  const passing = trouble === undefined ? [] : [trouble];
  const wrong: string[] = [];
  const notes: string[] = [];
  const spot = instruments.filter(({ kind }) => kind === 'spot');
  if (spot.length > 0) {
    const pairs = await pairTroubles(client, spot);
    wrong.push(...pairs.wrong);
    passing.push(...pairs.passing);
    notes.push(...pairs.notes);
    await withKeys(() => client.accountAssets());
  }
  const contracts = instruments.filter(({ kind }) => kind === 'futures');
  wrong.push(...(await contractTroubles(client, contracts)));
  // A contract that is not listed would be refused, too, whatever the keys.
  if (contracts.length > 0 && wrong.length === 0) {
    await withKeys(() => client.futuresOrders({ symbol: wireSymbol(contracts[0]!.symbol) }));
  }
  if (wrong.length > 0)
    throw new TidegateError('START_REFUSED', `not started:\n${[...wrong, ...passing].map((one) => `- ${one}`).join('\n')}`);
  if (passing.length > 0) throw new TidegateError('START_REFUSED', passing.join('; '), { retryable: true });
  return notes;
}

/** How the pairs of the config differ from the exchange's. */
interface PairTroubles {
  /** What the config must be changed for. */
  readonly wrong: string[];
  /** What keeps a bot from starting, and may pass by itself. */
  readonly passing: string[];
  /** What should be known. */
  readonly notes: string[];
}

/** @throws ExchangeError where the exchange cannot be asked. */
export async function pairTroubles(client: ExchangeClient, pairs: readonly Instrument[]): Promise<PairTroubles> {
  const wrong: string[] = [];
  const passing: string[] = [];
  const notes: string[] = [];
  const listings = await client.exchangeInfo();
  const listed = new Map(listings.map((one) => [one.symbol.toUpperCase(), one]));
  // Each exchange has pairs: a list without any is none.
  if (listings.length === 0) passing.push('the exchange lists no pair at all');
  for (const instrument of pairs) {
    const listing = listed.get(wireSymbol(instrument.symbol).toUpperCase());
    if (listing !== undefined) comparePair(instrument, listing, { wrong, passing, notes });
    else if (listings.length > 0) wrong.push(`instruments.${instrument.symbol}: the exchange does not list it`);
  }
  return { wrong, passing, notes };
}

/** Contracts without a price at the exchange. @throws ExchangeError where it cannot be asked. */
export async function contractTroubles(client: ExchangeClient, contracts: readonly Instrument[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const { symbol } of contracts) {
    await client.futuresTicker({ symbol: wireSymbol(symbol) }).catch((error: unknown) => {
      if (!(error instanceof ExchangeError) || error.retryable) throw error;
      wrong.push(`instruments.${symbol}: the exchange tells no futures ticker of it (${error.message})`);
    });
  }
  return wrong;
}

/** How far the exchange's clock is ahead, and what is wrong with that, if anything. @throws ExchangeError */
export async function clockTrouble(client: ExchangeClient): Promise<{ readonly offsetMs: number; readonly trouble: string | undefined }> {
  let best = Number.POSITIVE_INFINITY;
  for (let time = 0; time < MEASUREMENTS; time++) {
    const offset = await client.measureClock();
    if (Math.abs(offset) < Math.abs(best)) best = offset;
  }
  const { clockErrorMs } = REST_DEFAULTS;
  if (Math.abs(best) <= clockErrorMs) return { offsetMs: best, trouble: undefined };
  const where = best > 0 ? 'behind' : 'ahead of';
  const text = `this machine's clock is ${Math.round(Math.abs(best))} ms ${where} the exchange's, expected at most ${clockErrorMs}: let it be set (NTP)`;
  return { offsetMs: best, trouble: text };
}

/** Asks what needs keys. @throws TidegateError KEYS_INVALID where the exchange does not take them; ExchangeError where it cannot be asked. */
export async function withKeys(ask: () => Promise<unknown>): Promise<void> {
  try {
    await ask();
  } catch (error) {
    // Any other refusal is no matter of keys.
    if (!(error instanceof ExchangeError) || (error.reason !== 'header' && error.reason !== 'permission')) throw error;
    throw new TidegateError('KEYS_INVALID', `the exchange does not take the keys: ${error.message}`, { cause: error });
  }
}

/** Units must be the same; limits of the config may be tighter than the exchange's, never wider. */
function comparePair(
  { symbol, spec, tick, step, makerFee, takerFee }: Instrument,
  listing: Listing,
  { wrong, passing, notes }: PairTroubles,
): void {
  const at = (setting: string) => `instruments.${symbol}.${setting}`;
  const same = (setting: string, ours: string, theirs: string) => {
    if (!new Decimal(ours).eq(theirs))
      wrong.push(`${at(setting)}: ${ours} in the config, ${new Decimal(theirs).toFixed()} at the exchange`);
  };
  same('tickSize', tick.text, listing.tickSize);
  same('stepSize', step.text, listing.stepSize);
  if (!listing.enableTrade) passing.push(`instruments.${symbol}: the exchange has suspended trading in it`);
  const { minQuantity, maxQuantity } = spec;
  const [least, most] = [listing.minTradeAmount, listing.maxTradeAmount];
  if (least !== '' && new Decimal(minQuantity ?? step.text).lt(least)) {
    const text = `${at('minQuantity')}: the exchange takes no less than ${new Decimal(least).toFixed()}`;
    if (minQuantity === undefined) notes.push(`${text}, and the config has no limit: smaller orders will be refused there`);
    else wrong.push(`${text}, the config allows ${minQuantity}`);
  }
  if (most !== '' && new Decimal(most).gt(0) && maxQuantity !== undefined && new Decimal(maxQuantity).gt(most)) {
    wrong.push(`${at('maxQuantity')}: the exchange takes no more than ${new Decimal(most).toFixed()}, the config allows ${maxQuantity}`);
  }
  const fees = [
    ['makerFee', makerFee, listing.makerFeeRate],
    ['takerFee', takerFee, listing.takerFeeRate],
  ] as const;
  for (const [setting, ours, theirs] of fees) {
    if (!ours.eq(theirs))
      notes.push(`${at(setting)}: ${ours.toFixed()} in the config, ${theirs} at the exchange: backtests count the former`);
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

/** What a bot is about to trade with, in the words of its config: shown before anything is sent. */
export function tradingTerms(loaded: LoadedConfig, parts: TermsParts): Record<string, unknown> {
  const { config } = loaded;
  const { onStop, warmup, foreign, unexplained, poll } = botSection(loaded, parts.mode);
  const { mode, folder, accountId, spotBaseUrl, contractBaseUrl } = parts;
  const { account, orders, positions, strategies } = config.risk;
  return {
    name: config.name,
    mode,
    account: `${config.account.kind}, ${mode === 'paper' ? 'simulated' : 'REAL MONEY'}, id ${accountId}`,
    spot: spotBaseUrl ?? 'none',
    futures: contractBaseUrl ?? 'none',
    instruments: Object.keys(config.instruments),
    strategies: config.strategies.map(({ id, symbols }) => `${id} on ${symbols.join(', ')}`),
    limits: setOf({ ...account, ...orders, positions }),
    ...Object.fromEntries(
      Object.entries(strategies).map(([id, own]) => [`limits of ${id}`, setOf({ ...own, ...own.orders, orders: undefined })]),
    ),
    onStop,
    warmup,
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

/** The same for a person. */
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

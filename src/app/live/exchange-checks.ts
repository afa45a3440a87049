import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../exchange/errors.ts';
import { contractValues, listedLimit, pairValues } from '../../exchange/listed-values.ts';
import { OPERATION_TABLE, type OperationName } from '../../exchange/operations/operation-table.ts';
import type { PayloadOf } from '../../exchange/operations/operations.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import { type Instrument, tradableOf } from '../../model/instrument.ts';
import type { ExpectedContract } from '../../venues/rest/futures/contract-settings.ts';
import { type GridDifference, gridDifferences, linesToWrite } from '../../venues/rest/listed-grids.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { BotFolder, BotMode } from '../planning/bot-folder.ts';
import { clockTrouble } from './clock-checks.ts';
import { botSection } from './plan-bot.ts';

type Listing = PayloadOf<'exchangeInfo'>[number];

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
  terms: ContractTerms = {},
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
  const listed = await contractTroubles(client, contracts, terms, mustStart);
  wrong.push(...listed.wrong);
  notes.push(...listed.notes);
  gridTroubles(listed.grids, mustStart, wrong, notes);
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
async function lackingReads(client: ExchangeClient, { symbol }: Instrument): Promise<string[]> {
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
  { expected = [], positions = {} }: ContractTerms,
  mustStart: (instrument: Instrument) => boolean = () => false,
): Promise<Pick<PairTroubles, 'wrong' | 'grids' | 'notes'>> {
  if (contracts.length === 0) return { wrong: [], grids: [], notes: [] };
  const wrong: string[] = [];
  const notes: string[] = [];
  // A position whose exits nobody manages costs more than a fee.
  const put = (instrument: Instrument, text: string) => {
    if (mustStart(instrument)) notes.push(`${text}: the bot starts because it has a position or orders there`);
    else wrong.push(text);
  };
  const records = await client.contracts().catch((error: unknown) => {
    wrong.push(lackingOrThrow(error));
    return [];
  });
  const listed = new Map(records.map((one) => [one.symbol.toUpperCase(), one]));
  const grids = contracts.flatMap((instrument): GridTrouble[] => {
    const record = listed.get(wireSymbol(instrument.symbol).toUpperCase());
    const found = record === undefined ? [] : gridDifferences(instrument, contractValues(record));
    if (record !== undefined && !instrument.isReference) {
      const { symbol } = instrument;
      const margin = expected.find((one) => one.instrument === instrument)?.margin;
      const wide = [...wideLimits(instrument, record.maxOrderSize), ...wideTerms(symbol, record, margin, positions[symbol])];
      for (const text of wide) put(instrument, text);
    }
    return found.map((difference) => ({ instrument, difference }));
  });
  for (const { symbol } of contracts) {
    await client.futuresTicker({ symbol: wireSymbol(symbol) }).catch((error: unknown) => {
      if (!(error instanceof ExchangeError) || error.retryable) throw error;
      wrong.push(`instruments.${symbol}: the exchange has no futures ticker for it (${error.message})`);
    });
  }
  // The exchange refuses these requests for a contract that it does not list, even if the keys are right.
  const [traded] = tradableOf(contracts);
  if (traded !== undefined && wrong.length === 0) wrong.push(...(await lackingReads(client, traded)));
  if (traded !== undefined && wrong.length === 0) await compareFees(client, listed, expected, notes, put);
  return { wrong, grids, notes };
}

/** The settings of the config about contracts, apart from their instruments. */
export interface ContractTerms {
  readonly expected?: readonly ExpectedContract[] | undefined;
  /** `risk.positions`. */
  readonly positions?: Readonly<Record<string, string | undefined>> | undefined;
}

type ContractListing = PayloadOf<'contracts'>[number];

/** A leverage that the exchange does not have, and a largest position above the exchange's. */
function wideTerms(symbol: string, record: ContractListing, margin: ExpectedContract['margin'] | undefined, position: string | undefined) {
  const { minLeverage, maxLeverage, maxPositionSize } = record;
  const leverages = margin === undefined ? [] : [margin.longLeverage, margin.shortLeverage];
  const beyond = leverages.find((one) => one.lt(minLeverage) || one.gt(maxLeverage));
  const most = listedLimit(maxPositionSize);
  return [
    ...(beyond === undefined
      ? []
      : [`${symbol}: leverage ${beyond.toFixed()} in the config, ${minLeverage} to ${maxLeverage} at the exchange`]),
    ...(most === undefined || position === undefined || new Decimal(position).lte(most)
      ? []
      : [`risk.positions.${symbol}: the exchange's maximum is ${most}, but the config allows ${position}`]),
  ];
}

/**
 * Compares fees. Those of the account count, as it may have a discount; else the listed ones. The config's may be higher, never lower: a bot
 * reserves margin and a backtest plans with them. A config with neither fee says nothing, and is warned of elsewhere.
 */
async function compareFees(
  client: ExchangeClient,
  listed: ReadonlyMap<string, ContractListing>,
  expected: readonly ExpectedContract[],
  notes: string[],
  put: (instrument: Instrument, text: string) => void,
): Promise<void> {
  const traded = expected.filter(({ instrument: { makerFee, takerFee } }) => !makerFee.isZero() || !takerFee.isZero());
  if (traded.length === 0) return;
  const { account } = await client.futuresAccount({ coinId: USDT });
  for (const { instrument, contractId } of traded) {
    const { symbol, makerFee, takerFee } = instrument;
    const record = listed.get(wireSymbol(symbol).toUpperCase());
    const set = account.contract_id_to_fee_setting[contractId];
    const isOwn = set?.is_set_fee_rate === true;
    const fees = [
      ['makerFee', makerFee, isOwn ? set.maker_fee_rate : record?.makerFeeRate],
      ['takerFee', takerFee, isOwn ? set.taker_fee_rate : record?.takerFeeRate],
    ] as const;
    for (const [setting, ours, theirs] of fees) {
      if (theirs === undefined || ours.eq(theirs)) continue;
      const text = `instruments.${symbol}.${setting}: ${ours.toFixed()} in the config, ${new Decimal(theirs).toFixed()} at the exchange`;
      if (ours.lt(theirs)) put(instrument, `${text}: write \`${setting}: "${new Decimal(theirs).toFixed()}"\``);
      else notes.push(`${text}: backtests use the config's`);
    }
  }
}

/** A `maxQuantity` of the config above the exchange's. */
function wideLimits({ symbol, spec: { maxQuantity } }: Instrument, theirs: string): string[] {
  const most = listedLimit(theirs);
  if (most === undefined || maxQuantity === undefined || new Decimal(maxQuantity).lte(most)) return [];
  return [`instruments.${symbol}.maxQuantity: the exchange's maximum is ${most}, but the config allows ${maxQuantity}`];
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
  const { minQuantity } = spec;
  const least = listing.minTradeAmount;
  if (least !== '' && minQuantity === undefined && step.toDecimal(1).lt(least)) {
    const text = `${at('minQuantity')}: the exchange's minimum is ${new Decimal(least).toFixed()}`;
    notes.push(`${text}, and the config has none: the exchange will reject smaller orders`);
  }
  wrong.push(...wideLimits(instrument, listing.maxTradeAmount));
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

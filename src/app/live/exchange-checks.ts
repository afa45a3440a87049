import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../exchange/errors/exchange-error.ts';
import type { PayloadOf } from '../../exchange/operations/operations.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import { REST_DEFAULTS } from '../../venues/rest/settings.ts';

type Listing = PayloadOf<'exchangeInfo'>[number];

/** How often the clock is measured: the best of these counts, as a slow answer looks like a wrong clock. */
const MEASUREMENTS = 3;

/**
 * Lays the config beside what the exchange says of itself: clock, keys, pairs.
 * @returns what does no harm but should be known.
 * @throws TidegateError START_REFUSED with everything that does not add up; ExchangeError where it cannot be asked.
 */
export async function checkExchange(client: ExchangeClient, instruments: readonly Instrument[]): Promise<string[]> {
  const wrong = [...(await clockTroubles(client))];
  const notes: string[] = [];
  const spot = instruments.filter(({ kind }) => kind === 'spot');
  const contracts = instruments.filter(({ kind }) => kind === 'futures');
  if (spot.length > 0) {
    const listed = new Map((await client.exchangeInfo()).map((one) => [one.symbol.toUpperCase(), one]));
    for (const instrument of spot) {
      const listing = listed.get(wireSymbol(instrument.symbol).toUpperCase());
      if (listing === undefined) wrong.push(`instruments.${instrument.symbol}: the exchange does not list it`);
      else comparePair(instrument, listing, wrong, notes);
    }
    await withKeys(() => client.accountAssets());
  }
  for (const { symbol } of contracts) {
    await client.futuresTicker({ symbol: wireSymbol(symbol) }).catch((error: unknown) => {
      if (!(error instanceof ExchangeError) || error.retryable) throw error;
      wrong.push(`instruments.${symbol}: the exchange tells no futures ticker of it (${error.message})`);
    });
  }
  if (wrong.length > 0) throw new TidegateError('START_REFUSED', `not started:\n${wrong.map((one) => `- ${one}`).join('\n')}`);
  return notes;
}

async function clockTroubles(client: ExchangeClient): Promise<string[]> {
  let best = Number.POSITIVE_INFINITY;
  for (let time = 0; time < MEASUREMENTS; time++) {
    const offset = await client.measureClock();
    if (Math.abs(offset) < Math.abs(best)) best = offset;
  }
  const { clockErrorMs } = REST_DEFAULTS;
  if (Math.abs(best) <= clockErrorMs) return [];
  const where = best > 0 ? 'behind' : 'ahead of';
  return [
    `this machine's clock is ${Math.round(Math.abs(best))} ms ${where} the exchange's, expected at most ${clockErrorMs}: let it be set (NTP)`,
  ];
}

async function withKeys(ask: () => Promise<unknown>): Promise<void> {
  try {
    await ask();
  } catch (error) {
    if (!(error instanceof ExchangeError) || error.code !== 'EXCHANGE_REFUSED') throw error;
    throw new TidegateError('KEYS_INVALID', `the exchange does not take the keys: ${error.message}`, { cause: error });
  }
}

/** Units must be the same; limits of the config may be tighter than the exchange's, never wider. */
function comparePair(
  { symbol, spec, tick, step, makerFee, takerFee }: Instrument,
  listing: Listing,
  wrong: string[],
  notes: string[],
): void {
  const at = (setting: string) => `instruments.${symbol}.${setting}`;
  const same = (setting: string, ours: string, theirs: string) => {
    if (!new Decimal(ours).eq(theirs))
      wrong.push(`${at(setting)}: ${ours} in the config, ${new Decimal(theirs).toFixed()} at the exchange`);
  };
  same('tickSize', tick.text, listing.tickSize);
  same('stepSize', step.text, listing.stepSize);
  if (!listing.enableTrade) wrong.push(`instruments.${symbol}: the exchange has suspended trading in it`);
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

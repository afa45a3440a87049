import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../../exchange/errors/exchange-error.ts';
import { OPERATION_TABLE } from '../../../exchange/operations/operation-table.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Clock } from '../../../ports/clock.ts';
import { BackOff, type BackOffOptions } from './back-off.ts';

export type TickerClient = Pick<ExchangeClient, 'ticker' | 'tickers' | 'futuresTicker'>;

/** What a ticker says of one instrument, in the exchange's words. */
export interface Price {
  readonly instrument: Instrument;
  readonly last: string;
  /** Of contracts, where given. */
  readonly mark: string | undefined;
  /** The exchange's time of it, epoch ms. */
  readonly stamp: number;
}

export interface Answers {
  readonly prices: readonly Price[];
  /** Instruments that got no answer this time, and why. */
  readonly missing: readonly { readonly instrument: Instrument; readonly reason: string }[];
}

/** One way to ask for the prices of some instruments of one host. */
export interface PriceSource {
  readonly instruments: readonly Instrument[];
  /** @throws what stood in the way, where nothing was answered. */
  ask(): Promise<Answers>;
}

/**
 * The sources for these instruments: one a host, so that trouble with one leaves the other alone. Spot pairs are asked
 * one by one, or all at once where that weighs less.
 */
export function priceSources(
  client: TickerClient,
  instruments: readonly Instrument[],
  clock: Clock,
  backOff: BackOffOptions,
): readonly PriceSource[] {
  const spot = instruments.filter(({ kind }) => kind === 'spot');
  const futures = instruments.filter(({ kind }) => kind === 'futures');
  const { ticker, tickers } = OPERATION_TABLE;
  const allAtOnce = spot.length * ticker.weight.ip > tickers.weight.ip;
  const sources = [
    allAtOnce ? new AllAtOnce(client, spot) : new OneByOne(spot, clock, backOff, (one) => spotPrice(client, one)),
    new OneByOne(futures, clock, backOff, (one) => futuresPrice(client, one)),
  ];
  return sources.filter((source) => source.instruments.length > 0);
}

async function spotPrice(client: TickerClient, instrument: Instrument): Promise<Price> {
  const { lastPrice, ts } = await client.ticker({ symbol: wireSymbol(instrument.symbol) });
  return { instrument, last: lastPrice, mark: undefined, stamp: ts };
}

async function futuresPrice(client: TickerClient, instrument: Instrument): Promise<Price> {
  const { last, markPrice, timestamp } = await client.futuresTicker({ symbol: wireSymbol(instrument.symbol) });
  return { instrument, last, mark: markPrice, stamp: timestamp };
}

class AllAtOnce implements PriceSource {
  constructor(
    private readonly client: Pick<TickerClient, 'tickers'>,
    readonly instruments: readonly Instrument[],
  ) {}

  async ask(): Promise<Answers> {
    const records = new Map((await this.client.tickers()).map((record) => [record.symbol.toUpperCase(), record]));
    const prices: Price[] = [];
    const missing: Answers['missing'][number][] = [];
    for (const instrument of this.instruments) {
      const record = records.get(wireSymbol(instrument.symbol).toUpperCase());
      if (record === undefined) missing.push({ instrument, reason: 'it is not among the tickers' });
      else prices.push({ instrument, last: record.lastPrice, mark: undefined, stamp: record.ts });
    }
    return { prices, missing };
  }
}

/** Side by side. An instrument that alone fails is left alone for a while; where all fail, that is the host's failure. */
class OneByOne implements PriceSource {
  readonly #rests = new Map<Instrument, { readonly backOff: BackOff; until: number; reason: string }>();

  constructor(
    readonly instruments: readonly Instrument[],
    private readonly clock: Clock,
    backOff: BackOffOptions,
    private readonly askOne: (instrument: Instrument) => Promise<Price>,
  ) {
    for (const one of instruments) this.#rests.set(one, { backOff: new BackOff(backOff), until: Number.NEGATIVE_INFINITY, reason: '' });
  }

  async ask(): Promise<Answers> {
    const now = this.clock.now();
    const resting = this.instruments.filter((one) => now < this.#rests.get(one)!.until);
    const asked = this.instruments.filter((one) => !resting.includes(one));
    const replies = await Promise.allSettled(asked.map((one) => this.askOne(one)));
    const prices = replies.flatMap((reply) => (reply.status === 'fulfilled' ? [reply.value] : []));
    const errors = replies.flatMap((reply) => (reply.status === 'rejected' ? [reply.reason as unknown] : []));
    const strange = errors.find((error) => !(error instanceof ExchangeError));
    if (strange !== undefined) throw strange;
    // Where some of it may pass, it is worth asking again soon.
    if (prices.length === 0 && errors.length > 0) throw errors.find((error) => (error as ExchangeError).retryable) ?? errors[0];
    asked.forEach((one, index) => {
      const reply = replies[index]!;
      const rest = this.#rests.get(one)!;
      if (reply.status === 'fulfilled') rest.backOff.succeed();
      else {
        rest.until = this.clock.now() + rest.backOff.fail(reply.reason);
        rest.reason = String(reply.reason);
        resting.push(one);
      }
    });
    return { prices, missing: resting.map((instrument) => ({ instrument, reason: this.#rests.get(instrument)!.reason })) };
  }
}

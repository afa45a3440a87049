import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { Decimal } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { fundingRead } from '../../../ports/market-feed.ts';

export interface FundingSource {
  readonly client: Pick<ExchangeClient, 'fundingHistory'>;
  /** Epoch ms of the newest payment that the strategies have received; `undefined` if there is none. */
  readonly since: (instrument: Instrument) => number | undefined;
}

/** A funding payment of a contract, as the exchange lists it. */
export interface Payment {
  readonly instrument: Instrument;
  /** Epoch ms at which it was settled. */
  readonly time: number;
  readonly rate: Decimal;
}

/** The number of payments of one answer. A read once a minute finds one at most, except after a long outage. */
const LISTED = 10;

/** A payment that is later than our clock by more than this, in ms, has not been settled: it would take the run's time along. */
const AHEAD_MS = 60_000;

/**
 * The funding payments of contracts, read at the start and once a minute. A read finds those that are newer than the last one
 * known; the first read of a contract finds only the newest, so that its rate is known from the start.
 */
export class FundingReads {
  readonly #newest = new Map<Instrument, number>();
  #read: number | undefined;

  constructor(
    private readonly source: FundingSource,
    private readonly contracts: readonly Instrument[],
  ) {}

  /** The requests that are due, one for each contract; empty until the next minute. */
  start(now: number): Promise<readonly Payment[]>[] {
    const read = fundingRead(now);
    if (read === this.#read) return [];
    this.#read = read;
    return this.contracts.map((instrument) => this.#newPayments(instrument, now));
  }

  async #newPayments(instrument: Instrument, now: number): Promise<readonly Payment[]> {
    const listed = await this.source.client.fundingHistory({ symbol: wireSymbol(instrument.symbol), limit: LISTED });
    const known = this.#newest.get(instrument) ?? this.source.since(instrument);
    // The order of the list is not documented.
    const sorted = listed
      .filter(({ fundingTime }) => fundingTime <= now + AHEAD_MS)
      .map(({ fundingTime, fundingRate }) => ({ instrument, time: fundingTime, rate: new Decimal(fundingRate) }));
    sorted.sort((a, b) => a.time - b.time);
    const found = known === undefined ? sorted.slice(-1) : sorted.filter(({ time }) => time > known);
    // Without any, the first one of later reads is new, and all that follow.
    this.#newest.set(instrument, found.at(-1)?.time ?? known ?? Number.NEGATIVE_INFINITY);
    return found;
  }
}

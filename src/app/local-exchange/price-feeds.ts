import { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { WeightBudget } from '../../exchange/client/weight-budget.ts';
import { PolledTickers } from '../../local-exchange/feeds.ts';
import type { MatchingEngine } from '../../matching/matching-engine.ts';
import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { MarketEvent, MarketEventKind, PriceEventKind } from '../../model/market-events.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { openRecording } from '../../recording/catalogue/open-recording.ts';
import { seriesTitle } from '../../recording/columns/series-meta.ts';
import { type Recording, readSeries, type StoredSeries } from '../../recording/columns/series-reader.ts';
import { SteadyClock } from '../../venues/rest/real-clock.ts';
import { type DataSource, unitScale } from '../../venues/simulated/row-source.ts';
import { createSource } from '../../venues/simulated/sources.ts';
import type { PublicTickersConfig } from '../config/schema/fields.ts';

/** The kinds of prices in order of preference: the first recorded one is used. Tickers come first, as the real exchange has only them. */
const PREFERRED: readonly PriceEventKind[] = ['ticker', 'trade', 'quote', 'bar', 'depth'];

interface Series {
  readonly instrument: Instrument;
  readonly kind: MarketEventKind;
  readonly stored: StoredSeries;
}

/**
 * The events of a recording in order of time: one kind of price for each instrument (with depth also its trades), and the marks and
 * funding of contracts. Each call begins at the start.
 * @throws TidegateError DATA_NOT_FOUND if an instrument has no prices, DATA_INVALID if they are not multiples of its tick.
 */
export async function recordedEvents(
  dataDir: string,
  name: string,
  instruments: readonly Instrument[],
  use: PriceEventKind | undefined,
): Promise<() => Generator<MarketEvent, void>> {
  const recording = await openRecording(
    dataDir,
    name,
    instruments.map(({ symbol }) => symbol),
  );
  const series = instruments.flatMap((instrument) => seriesOf(recording, instrument, use));
  return () => merged(series.map(open));
}

function seriesOf({ name, series }: Recording, instrument: Instrument, use: PriceEventKind | undefined): Series[] {
  const of = (kind: MarketEventKind) =>
    series
      .filter(({ meta }) => meta.symbol === instrument.symbol && meta.kind === kind)
      .reduce<StoredSeries | undefined>((best, one) => (best && intervalOf(best) <= intervalOf(one) ? best : one), undefined);
  const kind = use ?? PREFERRED.find((one) => of(one) !== undefined);
  const price = kind === undefined ? undefined : of(kind);
  if (kind === undefined || price === undefined) {
    const there = series.map(({ meta }) => seriesTitle(meta)).join(', ');
    throw new TidegateError('DATA_NOT_FOUND', `recording ${name} has no ${use ?? 'price'}s of ${instrument.symbol}; it has: ${there}`);
  }
  if (!new Decimal(price.meta.priceStep).mod(instrument.tick.text).isZero()) {
    throw new TidegateError(
      'DATA_INVALID',
      `instruments.${instrument.symbol}.tickSize: recorded prices are multiples of ${price.meta.priceStep}, but not of ${instrument.tick.text}: set a finer tick`,
    );
  }
  // Trades show which orders of a recorded book were filled.
  const trades = kind === 'depth' ? (['trade'] as const) : [];
  const others = [...trades, ...(instrument.contract === undefined ? [] : (['mark', 'funding'] as const))];
  return [
    { instrument, kind, stored: price },
    ...others.flatMap((one) => (of(one) === undefined ? [] : [{ instrument, kind: one, stored: of(one)! }])),
  ];
}

/** The length of a bar in ms, numeric for any series: the shortest bars are the nearest to the prices that the exchange had. */
function intervalOf({ meta }: StoredSeries): number {
  return meta.intervalMs ?? 0;
}

function open({ instrument, kind, stored }: Series): DataSource {
  const { meta } = stored;
  const own = kind === 'mark' || kind === 'funding';
  const source = {
    rows: readSeries(stored),
    // Marks and funding rates keep their own decimals.
    price: own ? { multiply: 1, divide: 1 } : unitScale(meta.priceDecimals, instrument.tick),
    quantity: unitScale(meta.quantityDecimals, instrument.step),
    priceDecimals: meta.priceDecimals,
    quantityDecimals: meta.quantityDecimals,
    intervalMs: meta.intervalMs ?? 0,
    snapshots: meta.snapshots ?? 0,
  };
  return createSource(kind, instrument, source, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
}

/** Limits marks and funding to the time from the first to the last price. */
function* merged(sources: readonly DataSource[]): Generator<MarketEvent, void> {
  const prices = sources.filter(({ follows }) => !follows);
  const start = Math.min(...prices.map(({ time }) => time));
  for (const source of sources) if (source.follows) source.skipTo(start);
  try {
    for (let sequence = 1; prices.some(({ time }) => time < Number.POSITIVE_INFINITY); sequence++) {
      const first = sources.reduce((best, source) => (source.time < best.time ? source : best));
      const event = first.deliver(NOWHERE, sequence);
      if (event !== undefined) yield event;
    }
  } finally {
    for (const source of sources) source.close();
  }
}

/** A matching engine that does nothing: the exchange itself passes the events to its own, at their time. */
const NOWHERE = new Proxy({}, { get: () => () => {} }) as MatchingEngine;

/** The public tickers of another exchange as the prices of this one. It needs no keys, but a base URL for every instrument. */
export function publicTickers(
  { spotBaseUrl, contractBaseUrl, everyMs }: PublicTickersConfig,
  instruments: readonly Instrument[],
  clock: Clock,
  log: Log,
): PolledTickers {
  const client = new ExchangeClient({
    clock,
    budget: new WeightBudget(new SteadyClock()),
    random: Math.random,
    settings: { spotBaseUrl, contractBaseUrl },
  });
  return new PolledTickers({ client, instruments, clock, everyMs, log });
}

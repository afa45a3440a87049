import { Decimal } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { parseInterval } from '../../../model/interval.ts';
import type { ConstantFunding } from '../../../venues/simulated/constant-funding-source.ts';
import type { Config } from '../../config/schema/schema.ts';
import { type FeedNeeds, type FuturesEventKind, kindText } from './data-use.ts';
import { requireFuturesNeeds } from './futures-needs.ts';
import { overlaps, type Period, rangeText } from './period.ts';
import type { Fed } from './price-feed.ts';
import type { RecordedData } from './recorded-data.ts';

const DAY_MS = 86_400_000;

/** What a perpetual goes without, where nothing is recorded. */
const WITHOUT: Readonly<Record<FuturesEventKind, string>> = {
  mark: 'margin and funding go by the last price',
  funding: 'none is charged (import it, or set backtest.futures.funding)',
};

export interface FuturesFeed {
  /** Recorded marks, then recorded funding, each in the order of the instruments. */
  readonly fed: readonly Fed[];
  /** Constant funding by symbol, where the config says so. */
  readonly constant: ReadonlyMap<string, ConstantFunding>;
  readonly warnings: readonly string[];
}

/**
 * The marks and the funding of the perpetuals that strategies trade in a futures account: recorded where they are,
 * unless the config says otherwise.
 * @throws TidegateError DATA_NOT_FOUND, or CONFIG_INVALID where a strategy asks for what the run does not have.
 */
export function futuresFeed(
  config: Config,
  instruments: readonly Instrument[],
  needs: readonly FeedNeeds[],
  data: RecordedData,
  period: Period,
): FuturesFeed {
  const { futures, to = Number.POSITIVE_INFINITY } = config.backtest;
  const { funding, marks } = futures ?? {};
  const contracts =
    futures === undefined
      ? []
      : instruments.filter(({ kind, symbol }) => kind === 'futures' && needs.some(({ symbols }) => symbols.includes(symbol)));
  const end = Math.min(to, period.lastPrice);
  const warnings: string[] = [];
  const recorded = (kind: FuturesEventKind, stated: boolean): Fed[] =>
    contracts
      .filter(({ symbol }) => stated || data.has(symbol, kind))
      .map((instrument) => ({ instrument, kind, series: data.find(instrument.symbol, kind, []) }));
  const fed = [
    ...(marks === 'last' ? [] : recorded('mark', marks === 'recorded')),
    ...(funding === 'none' || typeof funding === 'object' ? [] : recorded('funding', funding === 'recorded')),
  ];
  if (marks !== 'last') warnings.push(...coverage('mark', contracts, fed, period.from, end));
  if (funding === undefined || funding === 'recorded') warnings.push(...coverage('funding', contracts, fed, period.from, end));
  const constant = new Map(typeof funding === 'object' ? contracts.map(({ symbol }) => [symbol, constantFunding(funding)]) : []);
  requireFuturesNeeds(
    config,
    needs,
    (symbol, kind) =>
      fed.some((one) => one.kind === kind && one.instrument.symbol === symbol) || (kind === 'funding' && constant.has(symbol)),
  );
  return { fed, constant, warnings };
}

/** Where the run has less than all of a recorded kind. */
function coverage(kind: FuturesEventKind, contracts: readonly Instrument[], fed: readonly Fed[], from: number, end: number): string[] {
  return contracts.flatMap((instrument) => {
    const series = fed.find((one) => one.kind === kind && one.instrument === instrument)?.series;
    const what = `${instrument.symbol}: ${kindText(kind)}`;
    if (series === undefined) return [`${what} not recorded: ${WITHOUT[kind]}`];
    if (!overlaps(series, from, end)) return [`${what} recorded only outside the run, ${rangeText(series)}: ${WITHOUT[kind]}`];
    const { firstTime, lastTime } = series.meta;
    return firstTime > from + DAY_MS || lastTime < end - DAY_MS ? [`${what} recorded only in a part of the run, ${rangeText(series)}`] : [];
  });
}

function constantFunding({ rate, every }: { readonly rate: string; readonly every: string }): ConstantFunding {
  return { rate: new Decimal(rate), everyMs: parseInterval(every)! };
}

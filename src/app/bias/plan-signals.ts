import type { Instrument } from '../../model/instrument.ts';
import type { FoundLeak } from '../../research/find-bias.ts';
import { signalLeak } from '../../research/signal-leaks.ts';
import type { RecordedSignals } from '../../venues/simulated/signal-replay.ts';
import { PastRows } from '../planning/planned-history.ts';
import type { BacktestPlan, PlannedSource } from '../planning/run-plans.ts';

/** The kinds whose rows have a price, the first of which a symbol has is used; and the columns with the price. */
const PRICE_COLUMNS = { bar: [3], ticker: [0], trade: [0], quote: [0, 1] } as const;
type PricedKind = keyof typeof PRICE_COLUMNS;

interface Prices {
  /** Epoch ms from which each price is known: for a bar its close. */
  readonly priceTimes: readonly number[];
  readonly prices: readonly number[];
}

/** Tests every column of the plan's signals with the prices of its symbols, and of each traded symbol if it has none. */
export function leaksOfPlan(plan: BacktestPlan): FoundLeak[] {
  const pricesOf = new Map<string, Prices>();
  const known = (instrument: Instrument) => {
    const found = pricesOf.get(instrument.symbol) ?? readPrices(plan, instrument);
    pricesOf.set(instrument.symbol, found);
    return found;
  };
  return (plan.signals ?? []).flatMap((signals) =>
    plan.instruments.flatMap((instrument) => {
      const rows = rowsOf(signals, instrument.symbol);
      if (rows.length === 0) return [];
      const times = rows.map((row) => signals.sourceTimes[row]! + signals.delayMs);
      return signals.columns.flatMap((column, index) => {
        const values = rows.map((row) => signals.values[index]![row]!);
        const leak = signalLeak({ times, values, ...known(instrument) });
        return leak === undefined ? [] : [{ signal: signals.name, column, symbol: instrument.symbol, ...leak }];
      });
    }),
  );
}

/** The rows that belong to a symbol, or to none. */
function rowsOf({ symbols }: RecordedSignals, symbol: string): number[] {
  return symbols.flatMap((one, row) => (one === undefined || one === symbol ? [row] : []));
}

function readPrices(plan: BacktestPlan, instrument: Instrument): Prices {
  const kinds = Object.keys(PRICE_COLUMNS) as PricedKind[];
  const own = plan.sources.filter((source) => source.instrument === instrument);
  const kind = kinds.find((one) => own.some((source) => source.kind === one));
  return kind === undefined ? { priceTimes: [], prices: [] } : pricesIn(plan, own.find((source) => source.kind === kind)!, kind);
}

function pricesIn({ from, to }: BacktestPlan, source: PlannedSource, kind: PricedKind): Prices {
  const opened = source.open();
  const { intervalMs } = opened;
  const columns: readonly number[] = PRICE_COLUMNS[kind];
  const [priceTimes, prices]: [number[], number[]] = [[], []];
  const rows = new PastRows(opened, from, to, columns, []);
  for (; rows.time < Number.POSITIVE_INFINITY; rows.next()) {
    const values = rows.values();
    priceTimes.push(rows.time + intervalMs);
    prices.push(columns.reduce((sum, column) => sum + values[column]!, 0) / columns.length);
  }
  return { priceTimes, prices };
}

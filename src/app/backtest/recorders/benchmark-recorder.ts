import type { Subscription } from 'rxjs';
import type { Engine } from '../../../engine/engine.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { State } from '../../../state/state.ts';
import type { Benchmark } from '../../../statistics/run-record.ts';
import type { Config } from '../../config/schema/schema.ts';

/** One of the equal parts into which the benchmark divides the equity. */
interface Part {
  readonly instrument: Instrument;
  /** The value of one unit at its first price, in the account's currency; `NaN` before. */
  bought: number;
}

/**
 * The value of the starting equity, invested in equal parts into some instruments at their first prices and held: at last prices,
 * without fees, funding or leverage. A part without a price yet stays cash. It is recorded with the equity curve. Events are processed
 * only until every part is bought.
 */
export class BenchmarkRecorder {
  readonly #parts: readonly Part[];
  /** The mean growth of the parts at each point of the curve, and at each of its days. */
  readonly #points: number[] = [];
  readonly #days: number[] = [];

  constructor(
    private readonly label: string,
    instruments: readonly Instrument[],
  ) {
    this.#parts = instruments.map((instrument) => ({ instrument, bought: Number.NaN }));
  }

  observe({ market$ }: Pick<Engine, 'market$'>, state: State): void {
    if (this.#parts.length === 0) return;
    const buying: Subscription = market$.subscribe(() => {
      if (this.#buy(state)) buying.unsubscribe();
    });
    const { curve } = state.portfolio;
    curve.whenWritten(() => {
      const growth = this.#growth(state);
      while (this.#points.length < curve.samples.length) this.#points.push(growth);
      while (this.#days.length < curve.days.length) this.#days.push(growth);
    });
  }

  /** Absent if nothing was bought. */
  benchmark(startEquity: number): Benchmark | undefined {
    if (this.#parts.every(({ bought }) => Number.isNaN(bought))) return undefined;
    const worth = (growth: number) => growth * startEquity;
    return { label: this.label, equity: this.#points.map(worth), dayEquity: this.#days.map(worth) };
  }

  /** @returns whether every part is bought. */
  #buy(state: State): boolean {
    let all = true;
    for (const part of this.#parts) {
      if (Number.isNaN(part.bought)) part.bought = worthOfOne(state, part.instrument);
      all &&= !Number.isNaN(part.bought);
    }
    return all;
  }

  #growth(state: State): number {
    const grown = this.#parts.map(({ instrument, bought }) => (Number.isNaN(bought) ? 1 : worthOfOne(state, instrument) / bought));
    return grown.reduce((sum, growth) => sum + growth, 0) / grown.length;
  }
}

/** In the account's currency at the last price; `NaN` before there is one. */
function worthOfOne(state: State, instrument: Instrument): number {
  return state.market(instrument).last * (state.portfolio.rateOf(instrument.quote)?.toNumber() ?? Number.NaN);
}

/** The benchmark of `report.benchmark`: none, one instrument of the config, or all traded ones in equal parts. */
export function benchmarkOf({ report, strategies }: Config, instruments: readonly Instrument[]): BenchmarkRecorder {
  const { benchmark } = report;
  if (benchmark === 'none') return new BenchmarkRecorder('none', []);
  const traded = strategies.flatMap(({ symbols }) => symbols);
  const wanted = benchmark === 'buyAndHold' ? traded : [benchmark];
  const held = instruments.filter(({ symbol }) => wanted.includes(symbol));
  const parts = held.length > 1 ? ' in equal parts' : '';
  const names = held.length > MOST_NAMES ? `${held.length} symbols` : held.map(({ symbol }) => symbol).join(', ');
  return new BenchmarkRecorder(`buy and hold ${names}${parts}`, held);
}

/** More symbols than this are only counted. */
const MOST_NAMES = 4;

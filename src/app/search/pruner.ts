import { type Bounds, parseFormula, type Range } from '../../search/expression.ts';
import { ClosedTrades } from '../../statistics/trades/trade-builder.ts';
import type { ReplayMonitor } from '../../venues/simulated/replay.ts';
import type { WatchedRun } from '../backtest/run-backtest.ts';
import { STATISTIC_KEYS } from '../config/search-rules.ts';

/**
 * Ends a run as soon as one of its constraints is missed whatever follows. Some statistics never fall while a run goes on: at the end, they are at
 * least what they are now. All others may still have any value. So a run is ended exactly if its figures at the end would show the same, and
 * it does not matter how often it is looked at.
 */
export class Pruner {
  /** The first constraint that cannot hold any more. */
  missed: string | undefined;
  readonly #constraints;
  #run: WatchedRun | undefined;
  #trades: ClosedTrades | undefined;
  #fills = 0;

  constructor(constraints: readonly string[]) {
    this.#constraints = constraints.map((text) => parseFormula(text, STATISTIC_KEYS));
  }

  readonly monitor: ReplayMonitor = { look: () => !this.misses() };

  readonly observe = (run: WatchedRun): void => {
    this.#run = run;
    this.#trades = new ClosedTrades(run.tradeRule);
  };

  /** Looks at the run as it is now. */
  misses(): boolean {
    if (this.missed !== undefined) return true;
    if (this.#run === undefined) return false;
    const bounds = this.#bounds(this.#run);
    this.missed = this.#constraints.find((one) => !one.canHold(bounds))?.text;
    return this.missed !== undefined;
  }

  #bounds({ state, recorder }: WatchedRun): Bounds {
    const { drawdown } = state.portfolio;
    for (; this.#fills < recorder.fills.length; this.#fills++) this.#trades!.add(recorder.fills.at(this.#fills)!);
    return {
      maxDrawdown: atLeast(drawdown.depth),
      longestDrawdownMs: atLeast(drawdown.longestMs),
      trades: atLeast(this.#trades!.count),
      liquidations: atLeast(recorder.liquidations.length),
    };
  }
}

function atLeast(value: number): Range {
  return [value, Number.POSITIVE_INFINITY];
}

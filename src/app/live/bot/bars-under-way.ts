import type { BarPlan, PricesBefore } from '../../../engine/bar-maker.ts';
import { BarBuilder } from '../../../model/bar-builder.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Bar, MarketEvent, Ticker } from '../../../model/market-events.ts';

interface Side {
  readonly builders: readonly BarBuilder[];
  /** The newest bar of each interval that was told. */
  readonly told: Map<number, Bar>;
  /** Epoch ms of the first price since they came without a break. */
  firstTime: number;
  lastTime: number;
  /** A run has begun since. */
  broken: boolean;
}

/** The bars that a bot was building when its journal ends, out of the prices in it, so that a restart within `awayMs` costs none. */
export class BarsUnderWay {
  readonly #sides: readonly Side[];
  readonly #awayMs: number;

  constructor(instruments: readonly Instrument[], { intervals, awayMs = 0 }: BarPlan) {
    this.#awayMs = awayMs;
    this.#sides = instruments.map((instrument) => ({
      builders: (intervals[instrument.index] ?? []).map((intervalMs) => new BarBuilder(instrument, intervalMs)),
      told: new Map(),
      firstTime: Number.NaN,
      lastTime: Number.NaN,
      broken: false,
    }));
  }

  /** A run begins: of the time between its first price and the last one before nobody saw anything. */
  begin(): void {
    for (const side of this.#sides) side.broken = true;
  }

  /** Takes in what strategies were shown. */
  take(event: MarketEvent): void {
    const side = this.#sides[event.instrument.index]!;
    if (event.kind === 'bar') this.#takeBar(side, event);
    else if (event.kind === 'ticker') this.#takeTicker(side, event);
  }

  /** What a run goes on with, by instrument index. To be asked once. */
  before(): BarPlan['before'] {
    return this.#sides.map(({ builders, told, firstTime, lastTime }): PricesBefore | undefined => {
      if (Number.isNaN(firstTime)) return undefined;
      const begun = builders.filter(({ endTime }) => endTime < Number.POSITIVE_INFINITY).map((builder) => builder.closeBar());
      return { firstTime, begun, told: [...told.values()], lastTime };
    });
  }

  #takeBar({ builders, told }: Side, bar: Bar): void {
    told.set(bar.intervalMs, bar);
    const builder = builders.find(({ intervalMs }) => intervalMs === bar.intervalMs);
    if (builder !== undefined && builder.endTime <= bar.time) builder.closeBar();
  }

  #takeTicker(side: Side, { time, lastTicks, sequence }: Ticker): void {
    if (Number.isNaN(side.firstTime) || (side.broken && time > side.lastTime + this.#awayMs)) side.firstTime = time;
    side.broken = false;
    side.lastTime = time;
    for (const builder of side.builders) {
      if (time < builder.closedTime) continue;
      if (time >= builder.endTime) builder.closeBar();
      builder.add(time, lastTicks, 0, sequence);
    }
  }
}

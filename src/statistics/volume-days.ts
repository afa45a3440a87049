import type { Instrument } from '../model/instrument.ts';
import type { RunRecord } from './run-record.ts';

/** One symbol on one UTC day on which the run traded it. */
export interface VolumeDay {
  /** The run's own part of what the market traded: 0.01 is 1 %. Above 1 where the simulator let more through than there was. */
  readonly share: number;
  /** The run's equity at the end of the day. */
  readonly equity: number;
}

const DAY_MS = 86_400_000;

/** The days of each symbol with fills and a known market volume, in no order. */
export function volumeDays({ fills, marketVolumes, dayEquity }: Pick<RunRecord, 'fills' | 'marketVolumes' | 'dayEquity'>): VolumeDay[] {
  if (marketVolumes.size === 0) return [];
  const own = new Map<Instrument, Map<number, number>>();
  for (const { instrument, time, notional } of fills) {
    const days = own.get(instrument) ?? new Map<number, number>();
    const day = Math.ceil(time / DAY_MS) * DAY_MS;
    own.set(instrument, days.set(day, (days.get(day) ?? 0) + notional.toNumber()));
  }
  const equities = new Map(dayEquity.map(({ time, equity }) => [time, equity.toNumber()]));
  return [...own].flatMap(([instrument, days]) =>
    [...days].flatMap(([day, traded]) => {
      const [market, equity] = [marketVolumes.get(instrument)?.get(day), equities.get(day)];
      return market === undefined || equity === undefined ? [] : [{ share: traded / market, equity }];
    }),
  );
}

import type { Instrument } from '../../../model/instrument.ts';
import type { Config } from '../../config/schema/schema.ts';
import { BenchmarkRecorder } from '../recorders/benchmark-recorder.ts';

/** What `report.benchmark` asks for: nothing, one instrument of the config, or all that the strategies trade in equal parts. */
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

/** More symbols than this are counted rather than named. */
const MOST_NAMES = 4;

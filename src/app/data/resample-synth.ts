import { type BarInterval, isCalendar, parseBarInterval } from '../../model/bar-interval.ts';
import { TidegateError } from '../../model/errors.ts';
import { findRecording, findSeries } from '../../recording/catalogue/find-recording.ts';
import { keepSeries } from '../../recording/catalogue/keep-series.ts';
import { openSeriesAt } from '../../recording/catalogue/open-recording.ts';
import { type SeriesKind, seriesTitle } from '../../recording/columns/series-meta.ts';
import { requireLocal } from '../../recording/remote-storage.ts';
import { makesBars, type Resampled, resample } from '../../recording/resample.ts';
import { synthesise } from '../../recording/synth/synth.ts';
import type { SynthInstrument } from '../../recording/synth/synth-stream.ts';
import { intervalOption, plural, seriesSummary, timeOption } from './cli-text.ts';

export interface DataResampleOptions {
  readonly dataDir: string;
  readonly symbol: string;
  readonly kind?: SeriesKind | undefined;
  /** Length of the source bars, as `1m`. */
  readonly of?: string | undefined;
  /** Length of the new bars. */
  readonly to: string;
  /** The day on which weeks begin. */
  readonly weekStart: string;
  readonly name?: string | undefined;
  readonly replace?: boolean | undefined;
}

/** Builds bars from a series and prints a summary. */
export async function dataResample(recording: string, options: DataResampleOptions, print: (line: string) => void): Promise<void> {
  const { dataDir, symbol, kind, replace } = options;
  requireLocal(dataDir, 'new bars');
  const intervalMs = intervalOption('--to', options.to);
  const interval = beginning(options, intervalMs);
  const query = { symbol, kind, intervalMs: intervalOption('--of', options.of) };
  const what = `of ${symbol} from which ${options.to} bars can be built`;
  const place = findSeries(await findRecording(dataDir, recording), query, what, (id) => makesBars(id, intervalMs, interval));
  const series = await openSeriesAt(dataDir, place);
  let made: Resampled | undefined;
  const [kept] = await keepSeries({ dataDir, name: options.name ?? recording, replace }, (staging) => {
    made = resample(series, { ...staging, intervalMs }, recording, interval);
    return [made.meta];
  });
  const { meta, from, leftOut, thin } = made!;
  print(`${seriesSummary(meta)}, from ${seriesTitle(from)}`);
  print(`written to ${kept!.file}`);
  if (leftOut > 0) print(`${plural(leftOut, 'bar')} at the edges left out: the data begins or ends inside them`);
  if (thin > 0) print(`warning: ${plural(thin, 'bar')} built from incomplete data: the source series has gaps there`);
}

/** The bars to be made, with the day on which weeks begin. @throws TidegateError USAGE if the day is given for other bars. */
function beginning({ to, weekStart }: DataResampleOptions, intervalMs: number): BarInterval {
  const interval = parseBarInterval(to, weekStart) ?? intervalMs;
  if (weekStart === 'thursday' || isCalendar(interval)) return interval;
  throw new TidegateError('USAGE', `--week-start ${weekStart} with --to "${to}"; expected a number of weeks, such as 1w`);
}

export interface DataSynthOptions {
  readonly dataDir: string;
  readonly name: string;
  readonly seed: string;
  readonly from: string;
  /** `SYMBOL:tick:price` each, such as `BTC-USDT:0.01:94000`. */
  readonly instrument: readonly string[];
  readonly interval: string;
  /** The duration of each kind, such as `28d`; a kind without one is not made. Without any, 28 days of bars are made. */
  readonly bars?: string | undefined;
  readonly tickers?: string | undefined;
  readonly quotes?: string | undefined;
  readonly trades?: string | undefined;
  readonly depth?: string | undefined;
  /** Only for `-PERP` symbols, as funding. */
  readonly marks?: string | undefined;
  readonly funding?: string | undefined;
  readonly replace?: boolean | undefined;
}

/** Generates a synthetic recording and prints a summary. */
export async function dataSynth(options: DataSynthOptions, print: (line: string) => void): Promise<void> {
  const { dataDir, name, replace } = options;
  const lengths: [SeriesKind, string, string | undefined][] = [
    ['bar', '--bars', options.bars],
    ['ticker', '--tickers', options.tickers],
    ['quote', '--quotes', options.quotes],
    ['trade', '--trades', options.trades],
    ['depth', '--depth', options.depth],
    ['mark', '--marks', options.marks],
    ['funding', '--funding', options.funding],
  ];
  if (lengths.every(([, , text]) => text === undefined)) lengths[0]![2] = '28d';
  const intervalMs = intervalOption('--interval', options.interval);
  const series = lengths.flatMap(([kind, flag, text]) =>
    text === undefined ? [] : [{ kind, durationMs: intervalOption(flag, text), intervalMs: kind === 'bar' ? intervalMs : undefined }],
  );
  const instruments = options.instrument.map(instrument);
  const made = { seed: seed(options.seed), startMs: timeOption('--from', options.from), instruments, series };
  const kept = await keepSeries({ dataDir, name, replace }, (staging) => synthesise({ ...staging, ...made }));
  for (const one of kept) print(seriesSummary(one.series.meta));
  print('synthetic: generated from the seed; no market ever traded at these prices');
}

function instrument(text: string): SynthInstrument {
  const [symbol = '', tick = '', price = '', ...rest] = text.split(':');
  if (price !== '' && rest.length === 0) return { symbol, tick, price };
  throw new TidegateError('USAGE', `--instrument "${text}"; expected SYMBOL:tick:price, such as BTC-USDT:0.01:94000`);
}

function seed(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new TidegateError('USAGE', `--seed "${text}"; expected a whole number of at most 15 digits`);
}

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
  /** Length of the shorter bars, as `1m`. */
  readonly of?: string | undefined;
  /** Length of the bars to make. */
  readonly to: string;
  readonly name?: string | undefined;
  readonly replace?: boolean | undefined;
}

/** Makes longer bars from a series and prints what they became. */
export async function dataResample(recording: string, options: DataResampleOptions, print: (line: string) => void): Promise<void> {
  const { dataDir, symbol, kind, replace } = options;
  requireLocal(dataDir, 'longer bars');
  const intervalMs = intervalOption('--to', options.to);
  const wish = { symbol, kind, intervalMs: intervalOption('--of', options.of) };
  const what = `of ${symbol} to make ${options.to} bars from`;
  const place = findSeries(await findRecording(dataDir, recording), wish, what, (id) => makesBars(id, intervalMs));
  const series = await openSeriesAt(dataDir, place);
  let made: Resampled | undefined;
  const [kept] = await keepSeries({ dataDir, name: options.name ?? recording, replace }, (staging) => {
    made = resample(series, { ...staging, intervalMs }, recording);
    return [made.meta];
  });
  const { meta, from, leftOut, thin } = made!;
  print(`${seriesSummary(meta)}, from ${seriesTitle(from)}`);
  print(`written to ${kept!.file}`);
  if (leftOut > 0) print(`${plural(leftOut, 'bar')} at the edges left out: the data begins or ends inside`);
  if (thin > 0) print(`warning: ${plural(thin, 'bar')} made of fewer shorter ones than belong in it: the data has gaps there`);
}

export interface DataSynthOptions {
  readonly dataDir: string;
  readonly name: string;
  readonly seed: string;
  readonly from: string;
  /** `SYMBOL:tick:price` each, such as `BTC-USDT:0.01:94000`. */
  readonly instrument: readonly string[];
  readonly interval: string;
  /** How long each kind lasts, such as `28d`; a kind without one is not made, 28 days of bars when none has one. */
  readonly bars?: string | undefined;
  readonly tickers?: string | undefined;
  readonly quotes?: string | undefined;
  readonly trades?: string | undefined;
  readonly depth?: string | undefined;
  /** Of `-PERP` symbols alone, as is funding. */
  readonly marks?: string | undefined;
  readonly funding?: string | undefined;
  readonly replace?: boolean | undefined;
}

/** Makes a synthetic recording and prints what it holds. */
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
  print('synthetic: made up from the seed, no market ever traded at these prices');
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

import { TidegateError } from '../../model/errors.ts';
import { keepSeries } from '../../recording/catalogue/keep-series.ts';
import type { SeriesKind } from '../../recording/columns/series-meta.ts';
import { synthesise } from '../../recording/synth/synth.ts';
import type { SynthInstrument } from '../../recording/synth/synth-stream.ts';
import { intervalOption } from './interval-option.ts';
import { seriesSummary } from './series-text.ts';
import { timeOption } from './time-option.ts';

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

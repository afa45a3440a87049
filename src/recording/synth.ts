import { TidegateError } from '../model/errors.ts';
import { isSymbol } from '../model/instrument.ts';
import type { SeriesKind, SeriesMeta } from './series-meta.ts';
import { SynthSeries } from './synth-series.ts';
import { type SynthInstrument, SynthStream } from './synth-stream.ts';

/** Raised whenever the same seed would make other bytes than before. */
export const GENERATOR_VERSION = 1;

export interface SynthOptions {
  readonly dataDir: string;
  readonly name: string;
  /** A whole number from 0 to 2^53. */
  readonly seed: number;
  /** Epoch ms, a whole minute. */
  readonly startMs: number;
  readonly instruments: readonly SynthInstrument[];
  /** What is written for every instrument, each from `startMs` on. */
  readonly series: readonly { readonly kind: SeriesKind; readonly durationMs: number; readonly intervalMs?: number | undefined }[];
  readonly replace?: boolean | undefined;
}

/**
 * Makes a synthetic recording: the same options make the same bytes on every machine. All series of an
 * instrument come from one stream of trades, so they agree. Nothing is left behind when it fails.
 * @throws TidegateError USAGE for options that make no sense, DATA_EXISTS unless `replace` is set.
 */
export function synthesise(options: SynthOptions): SeriesMeta[] {
  assertUsable(options);
  const { dataDir, name, seed, startMs, replace } = options;
  const open: SynthSeries[] = [];
  try {
    const works = options.instruments.map((instrument) => {
      const series = options.series.map(({ kind, intervalMs, durationMs }) => {
        const target = { dataDir, name, symbol: instrument.symbol, kind, intervalMs, replace };
        open.push(new SynthSeries(target, startMs, startMs + durationMs));
        return open.at(-1)!;
      });
      return { instrument, series, stream: new SynthStream(instrument, seed, startMs) };
    });
    const endMs = startMs + Math.max(...options.series.map((series) => series.durationMs));
    for (const { stream, series } of works) {
      for (; stream.time < endMs; stream.next()) for (const one of series) one.add(stream);
    }
    return works.flatMap(({ instrument, stream, series }) => {
      const origin = { seed, generator: GENERATOR_VERSION, price: instrument.price, tick: stream.tick.text };
      return series.map((one) => one.finish(stream, origin));
    });
  } catch (error) {
    for (const series of open) series.abort();
    throw error;
  }
}

function assertUsable({ seed, startMs, instruments, series }: SynthOptions): void {
  if (!Number.isSafeInteger(seed) || seed < 0) throw usage(`the seed ${seed}; expected a whole number from 0 on`);
  if (!Number.isSafeInteger(startMs) || startMs % 60_000 !== 0) throw usage(`the start ${startMs}; expected a whole minute`);
  if (instruments.length === 0 || series.length === 0) throw usage('nothing to make; expected at least one instrument and one series');
  for (const { symbol, price } of instruments) {
    if (!isSymbol(symbol)) throw usage(`the symbol "${symbol}"; expected BASE-QUOTE or BASE-QUOTE-PERP in capitals and digits`);
    if (!(Number(price) > 0)) throw usage(`the price "${price}" of ${symbol}; expected a decimal above 0`);
  }
  for (const { kind, intervalMs, durationMs } of series) {
    const unit = kind === 'bar' ? (intervalMs ?? 0) : 60_000;
    if (!(unit > 0) || !(durationMs > 0) || durationMs % unit !== 0 || (kind === 'bar' && startMs % unit !== 0)) {
      throw usage(`${durationMs} ms of ${kind}s; expected whole ${kind === 'bar' ? 'bars from a start on their grid' : 'minutes'}`);
    }
  }
}

function usage(problem: string): TidegateError {
  return new TidegateError('USAGE', `cannot make synthetic data from ${problem}`);
}

import { TidegateError } from '../../model/errors.ts';
import { isSymbol } from '../../model/instrument.ts';
import type { SeriesKind, SeriesMeta } from '../columns/series-meta.ts';
import type { SeriesTarget } from '../columns/series-writer.ts';
import { SynthDepth } from './synth-depth.ts';
import { FUNDING_EVERY_MS, firstFunding, SynthFunding, SynthMarks, SynthSeries } from './synth-series.ts';
import { type SynthInstrument, SynthStream, type SynthWork } from './synth-stream.ts';

/** Increases whenever the same seed makes other bytes than before. */
export const GENERATOR_VERSION = 1;

interface SynthSeriesOptions {
  readonly kind: SeriesKind;
  readonly durationMs: number;
  readonly intervalMs?: number | undefined;
}

export interface SynthOptions {
  readonly dataDir: string;
  readonly name: string;
  /** A whole number from 0 to 2^53. */
  readonly seed: number;
  /** Epoch ms, a whole minute. */
  readonly startMs: number;
  readonly instruments: readonly SynthInstrument[];
  /** The series for every instrument (marks and funding: for every `-PERP`), each from `startMs` on. */
  readonly series: readonly SynthSeriesOptions[];
  readonly replace?: boolean | undefined;
  /** Throws where a series must not be made. */
  readonly refuse?: SeriesTarget['refuse'];
}

/**
 * Makes a synthetic recording: the same options make the same bytes on every machine. All series of an
 * instrument come from one stream of trades, so they agree; only funding has its own random numbers. Nothing is left behind when it fails.
 * @throws TidegateError USAGE for options that make no sense, DATA_EXISTS unless `replace` is set.
 */
export function synthesise(options: SynthOptions): SeriesMeta[] {
  assertUsable(options);
  const { seed, startMs } = options;
  const open: SynthWork[] = [];
  try {
    const works = options.instruments.map((instrument) => {
      const wanted = options.series.filter(({ kind }) => isOf(kind, instrument));
      const series = wanted.map((one) => {
        open.push(begin(options, instrument, one));
        return open.at(-1)!;
      });
      return { instrument, series, stream: new SynthStream(instrument, seed, startMs) };
    });
    for (const { stream, series } of works) {
      const endMs = Math.max(...series.map((one) => one.streamEndMs));
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

function begin(options: SynthOptions, instrument: SynthInstrument, { kind, intervalMs, durationMs }: SynthSeriesOptions): SynthWork {
  const { dataDir, name, seed, startMs, replace, refuse } = options;
  const { symbol, price } = instrument;
  const target = { dataDir, name, symbol, kind, intervalMs, replace, refuse };
  const endMs = startMs + durationMs;
  if (kind === 'depth') return new SynthDepth(target, seed, startMs, endMs);
  if (kind === 'mark') return new SynthMarks(target, seed, startMs, endMs, price);
  if (kind === 'funding') return new SynthFunding(target, seed, startMs, endMs);
  return new SynthSeries(target, startMs, endMs);
}

/** Spot has neither marks nor funding. */
function isOf(kind: SeriesKind, { symbol }: SynthInstrument): boolean {
  return (kind !== 'mark' && kind !== 'funding') || symbol.endsWith('-PERP');
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
    if (!instruments.some((instrument) => isOf(kind, instrument))) throw usage(`spot alone; expected a -PERP symbol to make its ${kind}`);
    const unit = kind === 'bar' ? (intervalMs ?? 0) : 60_000;
    if (!(unit > 0) || !(durationMs > 0) || durationMs % unit !== 0 || (kind === 'bar' && startMs % unit !== 0)) {
      throw usage(`${durationMs} ms of ${kind}s; expected whole ${kind === 'bar' ? 'bars from a start on their grid' : 'minutes'}`);
    }
    if (kind === 'funding' && firstFunding(startMs) >= startMs + durationMs)
      throw usage(`${durationMs} ms of funding; expected a time in them at which it is due, every ${FUNDING_EVERY_MS / 3_600_000} hours`);
  }
}

function usage(problem: string): TidegateError {
  return new TidegateError('USAGE', `cannot make synthetic data from ${problem}`);
}

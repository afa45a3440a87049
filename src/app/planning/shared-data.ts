import { totalmem } from 'node:os';
import { type SharedSeries, sharedBytes, sharedStored, shareSeries } from '../../recording/columns/shared-series.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { openData } from './plan-backtest.ts';
import type { RecordedData, RecordedSeries } from './recorded-data.ts';

/** Series in memory that threads share, by their keys. */
export type SharedData = Readonly<Record<string, SharedSeries>>;

/** Names a series of a recording with its content: a copy in memory takes the place of that one alone. */
export function shareKey({ recording, meta }: { readonly recording: string; readonly meta: SharedSeries['meta'] }): string {
  const { symbol, kind, intervalMs, sha256, rows } = meta;
  return [recording, symbol, kind, intervalMs ?? '', rows, sha256].join(' ');
}

/** Series in memory may take this share of the machine's memory; threads read the others from their files. */
const SHARED_OF_MEMORY = 0.25;

/**
 * Decodes series once for all threads, the smallest first, as far as memory allows.
 * @param series those that are read.
 */
export async function sharedData(loaded: LoadedConfig, series: readonly { readonly key: string }[]): Promise<SharedData> {
  const used = new Set(series.map(({ key }) => key));
  const opened = (await openData(loaded)).series.filter((one) => used.has(shareKey(one)));
  const shared: Record<string, SharedSeries> = {};
  let left = totalmem() * SHARED_OF_MEMORY;
  for (const one of opened.sort((a, b) => sharedBytes(a.meta) - sharedBytes(b.meta))) {
    left -= sharedBytes(one.meta);
    if (left > 0) shared[shareKey(one)] = shareSeries(one.stored);
  }
  return shared;
}

/** The recordings that this thread has opened, by their names. */
const opened = new Map<string, Promise<RecordedData>>();

/** Opens recordings once for all runs of a thread, with the series in memory in the place of the files. */
export function openerWith(shared: SharedData): typeof openData {
  const inMemory = (series: RecordedSeries): RecordedSeries => {
    const own = shared[shareKey(series)];
    return own === undefined ? series : { ...series, stored: sharedStored(own) };
  };
  return (loaded: LoadedConfig, datedTicks = new Set()) => {
    const { dataDir, backtest, instruments } = loaded.config;
    const key = JSON.stringify([dataDir, backtest.data, Object.keys(instruments), [...datedTicks].sort(), Object.keys(shared)]);
    let data = opened.get(key);
    if (data === undefined) {
      data = openData(loaded, datedTicks).then((found) => found.replaced(inMemory));
      opened.set(key, data);
      // A recording that is not there now may be there for a later run.
      data.catch(() => opened.delete(key));
    }
    return data;
  };
}

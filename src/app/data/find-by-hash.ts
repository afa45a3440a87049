import { TidegateError } from '../../model/errors.ts';
import { listRecordings, type RecordingPlace } from '../../recording/catalogue/find-recording.ts';
import { openSeriesAt } from '../../recording/catalogue/open-recording.ts';
import { seriesFileName } from '../../recording/columns/series-meta.ts';
import { readSignalMeta, recordingsWithSignals } from '../../recording/signals/signal-file.ts';
import { onOneLine } from '../base/printable.ts';

/** The name of signals among the series of a recording. */
export const SIGNALS = 'signals';

/** Data by its content: a series, or the signals of a recording. */
export interface WantedData {
  /** The name of its recording where it was read. */
  readonly recording: string;
  /** The name of the series, or `SIGNALS`. */
  readonly what: string;
  readonly sha256: string;
}

/**
 * Finds data by its hashes: under its old name, else in any recording of the directory.
 * @returns the names of the recordings here, in the order of `wanted`.
 * @throws TidegateError DATA_NOT_FOUND with all missing series and signals, DATA_INVALID if only their content differs.
 */
export async function findByHash(dataDir: string, wanted: readonly WantedData[]): Promise<string[]> {
  const recordings = await listRecordings(dataDir);
  const complaints: string[] = [];
  let absent = false;
  const places: string[] = [];
  for (const { recording, what, sha256 } of wanted) {
    const isSignals = what === SIGNALS;
    const names = isSignals ? [recording, ...recordingsWithSignals(dataDir)] : recordings.map(({ name }) => name);
    const seen: string[] = [];
    let place: string | undefined;
    for (const name of new Set([...names.filter((one) => one === recording), ...names])) {
      const found = isSignals ? await signalHash(dataDir, name) : await seriesHash(dataDir, recordings, name, what);
      if (found === sha256) {
        place = name;
        break;
      }
      if (found !== undefined) seen.push(`${name}/${what} has ${found}`);
    }
    places.push(place ?? '');
    if (place !== undefined) continue;
    absent ||= seen.length === 0;
    const there = seen.length === 0 ? `no such ${isSignals ? 'signals were' : 'series was'} found` : seen.join(', ');
    complaints.push(onOneLine(`${recording}/${what} with SHA-256 ${sha256}: ${there}`));
  }
  if (complaints.length === 0) return places;
  const text = `${dataDir}: the data of the run was not found; expected\n${complaints.join('\n')}`;
  throw new TidegateError(absent ? 'DATA_NOT_FOUND' : 'DATA_INVALID', text);
}

/** The hash of the signals of a recording; `undefined` if it has none. */
async function signalHash(dataDir: string, recording: string): Promise<string | undefined> {
  try {
    return (await readSignalMeta(dataDir, recording)).sha256;
  } catch (error) {
    if (error instanceof TidegateError && error.code === 'DATA_NOT_FOUND') return undefined;
    throw error;
  }
}

async function seriesHash(
  dataDir: string,
  recordings: readonly RecordingPlace[],
  name: string,
  series: string,
): Promise<string | undefined> {
  const place = recordings.find((one) => one.name === name)!.series.find((one) => seriesFileName(one) === series);
  return place === undefined ? undefined : (await openSeriesAt(dataDir, place)).meta.sha256;
}

import { TidegateError } from '../../model/errors.ts';
import { listRecordings, openSeriesAt, type RecordingPlace } from '../../recording/catalogue/open-recording.ts';
import { seriesFileName } from '../../recording/columns/series-meta.ts';
import type { BundleContent } from './bundle-schema.ts';

type Needed = BundleContent['code']['data'][number];

/**
 * Finds the data of a bundle by its hashes: where it was recorded then, else in any recording of the directory.
 * @returns the names of the recordings, each once.
 * @throws TidegateError DATA_NOT_FOUND naming all that is missing, DATA_INVALID where only its content differs.
 */
export async function findData(dataDir: string, needed: readonly Needed[]): Promise<string[]> {
  const recordings = await listRecordings(dataDir);
  const found = new Set<string>();
  const complaints: string[] = [];
  let absent = false;
  for (const one of needed) {
    const own = recordings.filter(({ name }) => name === one.recording);
    const all = [...own, ...recordings.filter(({ name }) => name !== one.recording)];
    const seen: string[] = [];
    let place: string | undefined;
    for (const recording of all) {
      const sha256 = await hashIn(dataDir, recording, one.series);
      if (sha256 === one.sha256) place = recording.name;
      if (place !== undefined) break;
      if (sha256 !== undefined) seen.push(`${recording.name}/${one.series} has ${sha256}`);
    }
    if (place !== undefined) found.add(place);
    else {
      absent ||= seen.length === 0;
      const there = seen.length === 0 ? 'there is no such series' : seen.join(', ');
      complaints.push(`${one.recording}/${one.series} with SHA-256 ${one.sha256}: ${there}`);
    }
  }
  if (complaints.length === 0) return [...found];
  const text = `${dataDir}: lacks the data of the run; expected\n${complaints.join('\n')}`;
  throw new TidegateError(absent ? 'DATA_NOT_FOUND' : 'DATA_INVALID', text);
}

async function hashIn(dataDir: string, { series }: RecordingPlace, name: string): Promise<string | undefined> {
  const place = series.find((one) => seriesFileName(one) === name);
  return place === undefined ? undefined : (await openSeriesAt(dataDir, place)).meta.sha256;
}

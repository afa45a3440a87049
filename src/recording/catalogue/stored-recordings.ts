import { isSymbol } from '../../model/instrument.ts';
import { MARKET_EVENT_KINDS } from '../../model/market-events.ts';
import { intervalText, parseInterval } from '../../model/time.ts';
import { isRecordingName, type SeriesKind } from '../columns/series-meta.ts';
import { withStorageDuck } from '../remote/storage-duck.ts';
import { storedFiles } from '../remote/storage-files.ts';
import { placeIn } from '../remote/storage-url.ts';
import { inOrder, type SeriesId, type SeriesPlace } from './series-place.ts';

/** Series by the recording that they are in. */
export type SeriesByName = ReadonlyMap<string, readonly SeriesPlace[]>;

/**
 * The series of a catalogue on S3-like storage, from one listing: what is not of the catalogue is passed over, as in a folder.
 * @param name of the one recording that is wanted; all, if absent.
 * @throws TidegateError USAGE, DATA_NOT_FOUND for a bucket that is not there, DATA_UNREACHABLE.
 */
export async function storedRecordings(dataDir: string, name?: string): Promise<SeriesByName> {
  const folder = placeIn(dataDir, ...(name === undefined ? [] : [name]));
  const files = await withStorageDuck(folder, (duck) => storedFiles(duck, folder, '**/*.parquet'));
  const places = new Map<string, { readonly recording: string; readonly id: SeriesId; readonly files: string[] }>();
  for (const file of files) {
    const [recording, ...inside] = file.slice(placeIn(dataDir, '').length).split('/');
    const id = seriesOf(inside.slice(0, -1));
    if (id === undefined || !isRecordingName(recording!) || inside.at(-1)!.startsWith('.')) continue;
    const own = file.slice(0, file.lastIndexOf('/'));
    const known = places.get(own);
    if (known === undefined) places.set(own, { recording: recording!, id, files: [file] });
    else known.files.push(file);
  }
  const found = [...places].map(([own, { recording, id, files: parts }]) => ({ recording, place: { ...id, folder: own, files: parts } }));
  const names = [...new Set(found.map(({ recording }) => recording))].sort();
  const seriesOfName = (one: string) => found.filter(({ recording }) => recording === one).map(({ place }) => place);
  return new Map(names.map((one) => [one, seriesOfName(one).sort(inOrder)]));
}

function seriesOf([symbol, kind, length, ...more]: readonly string[]): SeriesId | undefined {
  if (symbol === undefined || !isSymbol(symbol) || !isKind(kind) || more.length > 0) return undefined;
  if (kind !== 'bar') return length === undefined ? { symbol, kind } : undefined;
  const intervalMs = parseInterval(length ?? '');
  return intervalMs !== undefined && intervalText(intervalMs) === length ? { symbol, kind, intervalMs } : undefined;
}

function isKind(text: string | undefined): text is SeriesKind {
  return MARKET_EVENT_KINDS.some((kind) => kind === text);
}

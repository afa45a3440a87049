import { TidegateError } from '../../model/errors.ts';
import { type SeriesKind, seriesTitle } from '../columns/series-meta.ts';
import type { RecordingPlace } from './open-recording.ts';
import type { SeriesId, SeriesPlace } from './series-place.ts';

/** Which series of a recording is meant; what is left out, any. */
export interface SeriesWish {
  readonly symbol?: string | undefined;
  readonly kind?: SeriesKind | undefined;
  readonly intervalMs?: number | undefined;
}

/**
 * The one series that a wish means. @param able which series would do. @param what they would do for, for people.
 * @throws TidegateError DATA_NOT_FOUND where there is none, USAGE where there are several; both name what there is.
 */
export function findSeries(
  recording: Pick<RecordingPlace, 'name' | 'series'>,
  wish: SeriesWish,
  what: string,
  able: (id: SeriesId) => boolean = () => true,
): SeriesPlace {
  const found = seriesLike(recording, wish, what, able);
  if (found.length === 1) return found[0]!;
  const told = 'say which with --symbol, --kind or --of';
  throw new TidegateError(
    'USAGE',
    `recording "${recording.name}" has several series ${what}: ${found.map(seriesTitle).join(', ')}; ${told}`,
  );
}

/**
 * All series that a wish means, at least one.
 * @throws TidegateError DATA_NOT_FOUND where there is none, naming what there is.
 */
export function seriesLike(
  { name, series }: Pick<RecordingPlace, 'name' | 'series'>,
  { symbol, kind, intervalMs }: SeriesWish,
  what: string,
  able: (id: SeriesId) => boolean = () => true,
): SeriesPlace[] {
  const found = series.filter(
    (place) =>
      (symbol === undefined || place.symbol === symbol) &&
      (kind === undefined || place.kind === kind) &&
      (intervalMs === undefined || place.intervalMs === intervalMs) &&
      able(place),
  );
  if (found.length > 0) return found;
  throw new TidegateError('DATA_NOT_FOUND', `recording "${name}" has no series ${what}; it has: ${series.map(seriesTitle).join(', ')}`);
}

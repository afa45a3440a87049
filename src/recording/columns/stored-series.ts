import type { SeriesMeta } from './series-meta.ts';

/** A run of a series' rows as columns: the `.bin` of a cache or a staging folder. */
export interface SeriesPart {
  readonly meta: SeriesMeta;
  readonly path: string;
}

/** A series that can be read: its parts in order of time, and what holds for all of them. */
export interface StoredSeries {
  readonly meta: SeriesMeta;
  /** At least one. */
  readonly parts: readonly SeriesPart[];
}

/** A recording's series that were asked for. */
export interface Recording {
  readonly name: string;
  readonly folder: string;
  /** By symbol, then kind, then interval. */
  readonly series: readonly StoredSeries[];
}

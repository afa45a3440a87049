import { isoTime } from '../../model/time-text.ts';
import { type SeriesMeta, seriesTitle } from '../../recording/columns/series-meta.ts';
import { counted } from './text-layout.ts';

/** What a table shows of a series: title, rows, first and last time (UTC, to the minute), price step (where there is one), origin. */
export function seriesCells(meta: SeriesMeta): string[] {
  const origin =
    meta.synthetic === undefined
      ? `${meta.source.length} file${meta.source.length === 1 ? '' : 's'}`
      : `synthetic, seed ${meta.synthetic.seed}`;
  return [
    seriesTitle(meta),
    counted(meta.rows),
    shortTime(meta.firstTime),
    shortTime(meta.lastTime),
    onGrid(meta) ? meta.priceStep : '',
    origin,
  ];
}

/** One line on a series just made. */
export function seriesSummary(meta: SeriesMeta): string {
  const range = `${shortTime(meta.firstTime)} to ${shortTime(meta.lastTime)} UTC`;
  return `${seriesTitle(meta)}: ${counted(meta.rows)} rows, ${range}${onGrid(meta) ? `, price step ${meta.priceStep}` : ''}`;
}

/** Marks and funding rates keep their own decimals: no tick must divide them. */
function onGrid({ kind }: SeriesMeta): boolean {
  return kind !== 'mark' && kind !== 'funding';
}

function shortTime(ms: number): string {
  return isoTime(ms).slice(0, 16).replace('T', ' ');
}

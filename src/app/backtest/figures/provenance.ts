import { seriesFileName } from '../../../recording/columns/series-meta.ts';
import type { DataProvenance } from '../../../report/run-report.ts';
import type { RecordedSeries } from '../../planning/recorded-data.ts';

/** Where a series came from, as the report tells it. */
export function provenanceOf({ recording, meta }: RecordedSeries): DataProvenance {
  const origin = meta.synthetic === undefined ? meta.source.join(', ') : `synthetic, seed ${meta.synthetic.seed}`;
  return {
    name: `${recording}/${seriesFileName(meta)}`,
    sha256: meta.sha256,
    facts: [
      { label: 'Rows', value: meta.rows.toLocaleString('en-US') },
      { label: 'From', value: new Date(meta.firstTime).toISOString() },
      { label: 'To', value: new Date(meta.lastTime).toISOString() },
      { label: 'Source', value: origin },
    ],
  };
}

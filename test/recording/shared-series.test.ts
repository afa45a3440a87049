import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openRecording } from '../../src/recording/catalogue/open-recording.ts';
import { readSeries, type StoredSeries } from '../../src/recording/columns/series-reader.ts';
import { sharedBytes, sharedStored, shareSeries } from '../../src/recording/columns/shared-series.ts';
import { ROOT } from '../support/cli.ts';

/** Every row at or after a time, as one list of its values. */
function rowsOf(stored: StoredSeries, fromMs: number | undefined): number[][] {
  const rows = readSeries(stored, { fromMs });
  const found: number[][] = [];
  while (rows.next()) {
    for (let at = 0; at < rows.length; at++) {
      const { time, columns, nanos } = rows;
      if (time[at]! >= (fromMs ?? 0)) found.push([time[at]!, nanos?.[at] ?? 0, ...columns.map((column) => column[at]!)]);
      // A reader scales what it has read.
      for (const column of columns) column[at] = 0;
    }
  }
  return found;
}

test.each(['sample', 'sample-book'])(
  'a series of %s in shared memory has the rows of its file, each time and from any time',
  async (name) => {
    const { series } = await openRecording(join(ROOT, 'data'), name, undefined as never);
    for (const stored of series.slice(0, 3)) {
      const shared = shareSeries(stored);
      expect(shared.time.buffer).toBeInstanceOf(SharedArrayBuffer);
      const { meta } = stored;
      expect(sharedBytes(meta)).toBe(8 * meta.rows * (shared.columns.length + 1));
      const middle = (meta.firstTime + meta.lastTime) / 2;
      for (const from of [undefined, middle, meta.lastTime, meta.lastTime + 1, undefined])
        expect(rowsOf(sharedStored(shared), from)).toEqual(rowsOf(stored, from));
    }
  },
);

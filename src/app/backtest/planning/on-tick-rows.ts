import { TidegateError } from '../../../model/errors.ts';
import { isoTime } from '../../../model/time-text.ts';
import { seriesFolder } from '../../../recording/catalogue/series-place.ts';
import { decimalText } from '../../../recording/columns/decimal-units.ts';
import { SERIES_COLUMNS } from '../../../recording/columns/series-columns.ts';
import type { SeriesMeta } from '../../../recording/columns/series-meta.ts';
import type { RowStream, UnitScale } from '../../../venues/simulated/row-stream.ts';

/**
 * Rows whose prices in [from, to), epoch ms, must lie on a tick: for series whose other parts lie on another one, as the exchange
 * changed it.
 */
export class OnTickRows implements RowStream {
  length = 0;
  readonly time: Float64Array;
  readonly columns: readonly Float64Array[];
  nanos: Int16Array | undefined;

  /** @param price what makes ticks of raw prices. @param tick as text, for people. */
  constructor(
    private readonly rows: RowStream,
    private readonly series: { readonly recording: string; readonly meta: SeriesMeta },
    private readonly price: UnitScale,
    private readonly tick: string,
    private readonly from: number,
    private readonly to: number,
  ) {
    this.time = rows.time;
    this.columns = rows.columns;
  }

  /** @throws TidegateError DATA_INVALID naming the first price off the tick; DATA_CORRUPT. */
  next(): boolean {
    const more = this.rows.next();
    this.length = this.rows.length;
    this.nanos = this.rows.nanos;
    if (more) for (const [index, { unit }] of SERIES_COLUMNS[this.series.meta.kind].entries()) if (unit === 'price') this.#check(index);
    return more;
  }

  close(): void {
    this.rows.close();
  }

  #check(index: number): void {
    const { multiply, divide } = this.price;
    const column = this.columns[index]!;
    for (let row = 0; row < this.length; row++) {
      const time = this.time[row]!;
      if ((column[row]! * multiply) % divide === 0 || time < this.from || time >= this.to) continue;
      const { recording, meta } = this.series;
      throw new TidegateError(
        'DATA_INVALID',
        `instruments.${meta.symbol}.tickSize: the price ${decimalText(column[row]!, meta.priceDecimals)} at ${isoTime(time)} of ${recording}/${seriesFolder(meta)} is no multiple of ${this.tick}, the tick of the terms beside the recording at the start of the run: complete them, or give a finer tick`,
      );
    }
  }
}

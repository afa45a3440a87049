/** One row of a picture: its figures at a time. */
export interface PicturePoint {
  /** Counted from 0. */
  readonly row: number;
  /** Epoch ms. */
  readonly time: number;
  readonly values: readonly number[];
}

/** Rows that follow each other, as their extremes: of each figure the first lowest and the first highest row. */
interface Stretch {
  rows: number;
  readonly lowest: PicturePoint[];
  readonly highest: PicturePoint[];
  volume: number;
}

/**
 * Thins rows in bounded memory so that no peak and no trough is lost: they are cut into stretches of equally many rows, of each
 * of which the lowest and the highest row by every figure stays; where there would be more than `limit` of them, each two
 * stretches become one. The first and the last row always stay.
 */
export class PicturePoints {
  readonly #mostStretches: number;
  #rowsOfStretch = 1;
  #stretches: Stretch[] = [];
  #stretch: Stretch | undefined;
  #rows = 0;
  #lastTime = 0;
  readonly #lastValues: number[];
  #first: PicturePoint | undefined;

  /** @param figures how many values a row has. */
  constructor(
    private readonly figures: number,
    limit: number,
  ) {
    this.#mostStretches = Math.max(2, Math.floor((limit - 2) / (2 * figures)));
    this.#lastValues = Array.from({ length: figures }, () => 0);
  }

  /** Takes the next row: the value of a figure is `columns[figure][at]`. @param volume to be summed; 0 where there is none. */
  add(time: number, columns: readonly Float64Array[], at: number, volume: number): void {
    const last = this.#lastValues;
    for (let figure = 0; figure < this.figures; figure++) last[figure] = columns[figure]![at]!;
    this.#lastTime = time;
    this.#rows++;
    const stretch = this.#stretch;
    if (stretch === undefined || stretch.rows === this.#rowsOfStretch) {
      this.#open(volume);
      return;
    }
    stretch.rows++;
    stretch.volume += volume;
    let point: PicturePoint | undefined;
    for (let figure = 0; figure < this.figures; figure++) {
      const value = last[figure]!;
      if (value < stretch.lowest[figure]!.values[figure]!) {
        point ??= this.#lastPoint();
        stretch.lowest[figure] = point;
      } else if (value > stretch.highest[figure]!.values[figure]!) {
        point ??= this.#lastPoint();
        stretch.highest[figure] = point;
      }
    }
  }

  /** What stays, in its order; the volume of a stretch stands with its first point. */
  points(): { readonly point: PicturePoint; readonly volume: number | null }[] {
    const kept = this.#stretches.flatMap(({ lowest, highest, volume }) => {
      const rows = new Map([...lowest, ...highest].map((point) => [point.row, point]));
      const sorted = [...rows.values()].sort((a, b) => a.row - b.row);
      return sorted.map((point, index) => ({ point, volume: index === 0 ? volume : null }));
    });
    const ends = [this.#first, this.#rows === 0 ? undefined : this.#lastPoint()].filter((point) => point !== undefined);
    const missing = ends.filter(
      ({ row }, index) => !kept.some(({ point }) => point.row === row) && ends.findIndex((end) => end.row === row) === index,
    );
    return [...kept, ...missing.map((point) => ({ point, volume: null }))].sort((a, b) => a.point.row - b.point.row);
  }

  #lastPoint(): PicturePoint {
    return { row: this.#rows - 1, time: this.#lastTime, values: [...this.#lastValues] };
  }

  #open(volume: number): void {
    const point = this.#lastPoint();
    this.#first ??= point;
    if (this.#stretches.length === this.#mostStretches) this.#halve();
    const each = () => Array.from({ length: this.figures }, () => point);
    this.#stretch = { rows: 1, lowest: each(), highest: each(), volume };
    this.#stretches.push(this.#stretch);
  }

  #halve(): void {
    const finer = this.#stretches;
    this.#rowsOfStretch *= 2;
    this.#stretches = [];
    for (let index = 0; index < finer.length; index += 2) {
      const [left, right] = [finer[index]!, finer[index + 1]];
      this.#stretches.push(right === undefined ? left : merged(left, right));
    }
  }
}

function merged(left: Stretch, right: Stretch): Stretch {
  return {
    rows: left.rows + right.rows,
    lowest: left.lowest.map((point, figure) =>
      right.lowest[figure]!.values[figure]! < point.values[figure]! ? right.lowest[figure]! : point,
    ),
    highest: left.highest.map((point, figure) =>
      right.highest[figure]!.values[figure]! > point.values[figure]! ? right.highest[figure]! : point,
    ),
    volume: left.volume + right.volume,
  };
}

/** Least, mean and greatest of a column, as it is read. Of integers: the mean is as good as doubles are. */
export class ColumnFigures {
  least = Number.POSITIVE_INFINITY;
  greatest = Number.NEGATIVE_INFINITY;
  zeros = 0;
  count = 0;
  #sum = 0;

  get mean(): number {
    return this.#sum / this.count;
  }

  /** Takes the values in [from, to) of a chunk. */
  update(column: Float64Array, from: number, to: number): void {
    let { least, greatest, zeros } = this;
    // A sum a chunk: what is small is not lost in the sum of all.
    let sum = 0;
    for (let row = from; row < to; row++) {
      const value = column[row]!;
      if (value < least) least = value;
      if (value > greatest) greatest = value;
      if (value === 0) zeros++;
      sum += value;
    }
    this.least = least;
    this.greatest = greatest;
    this.zeros = zeros;
    this.#sum += sum;
    this.count += to - from;
  }
}

/** The rows of one input file, whatever its form. */
export interface RowSource {
  /** Adds rows to the buffer that it was opened with until that is full (true) or the file ends (false). */
  fill(): boolean;
  close(): void;
}

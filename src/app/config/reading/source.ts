/** One text that config values come from: a file, or one `--set` argument. */
export interface Source {
  /** As messages name it: the path as the user gave it, or `--set`. */
  readonly shown: string;
  /** Absolute folder that relative paths in it start from. */
  readonly folder: string;
  readonly lines: readonly string[];
}

/** A point in a source; line and column count from 1. */
export interface Position {
  readonly source: Source;
  readonly line: number;
  readonly column: number;
}

/** A point as messages and callers see it; `text` is the whole line. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

export function makeSource(shown: string, folder: string, text: string): Source {
  return { shown, folder, lines: text.split(/\r\n|\n|\r/) };
}

export function placeOf(position: Position): Place {
  const { source, line, column } = position;
  return { file: source.shown, line, column, text: source.lines[line - 1] ?? '' };
}

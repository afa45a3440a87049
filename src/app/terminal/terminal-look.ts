import { showsUnicode } from './progress.ts';

/** The width of tables in a pipe, and of the narrowest ones. */
const DEFAULT_WIDTH = 100;
const NARROWEST = 40;

export interface TerminalLook {
  readonly columns: number;
  readonly color: boolean;
  readonly unicode: boolean;
}

/** How tables look on standard output. */
export function terminalLook(): TerminalLook {
  const { columns = DEFAULT_WIDTH, isTTY } = process.stdout;
  return {
    columns: Math.max(NARROWEST, columns),
    color: isTTY === true && process.env.NO_COLOR === undefined,
    unicode: showsUnicode(process.env, process.platform),
  };
}

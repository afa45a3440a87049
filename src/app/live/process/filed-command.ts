import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { BotFolder } from '../../planning/bot-folder.ts';

/** A command as `tidegate stop`, `kill` and `reduce` write it to a file of the bot's folder, before they ask the bot. */
export type FiledCommand =
  | { readonly command: 'stop'; readonly id: string }
  | { readonly command: 'kill'; readonly id: string; readonly flatten: boolean; readonly reason: string }
  | { readonly command: 'reduce'; readonly id: string; readonly reason: string; readonly strategy?: string | undefined };

/** Distinguishes commands: the bot obeys each once, whether it reads it from its file or receives it at its socket. */
export function newCommandId(): string {
  return randomBytes(8).toString('hex');
}

/**
 * Writes the file of a command: `KILL`, `STOP` or `REDUCE`. The bot removes it once it has obeyed, and stores a kill and a latch in its
 * journal. A kill file of a person or of a watchdog stays, and only gets `flatten`.
 * @returns the path of the file.
 * @throws the error of the file system
 */
export function writeCommandFile(folder: BotFolder, command: FiledCommand): string {
  const { killFile, stopFile, reduceFile } = folder;
  switch (command.command) {
    case 'stop':
      return replaced(stopFile, lineOf(command));
    case 'reduce':
      // One line for each strategy that was to be reduced while the bot did not answer.
      return replaced(reduceFile, `${textOf(reduceFile) ?? ''}${lineOf(command)}`);
    case 'kill': {
      const text = textOf(killFile);
      const before = text === undefined ? undefined : filedIn(text);
      if (text !== undefined && before === undefined) return command.flatten ? replaced(killFile, withFlatten(text)) : killFile;
      const flatten = command.flatten || (before?.command === 'kill' && before.flatten);
      return replaced(killFile, lineOf({ ...command, flatten }));
    }
    default:
      return command satisfies never;
  }
}

/** Removes the stop file, because the bot has ended without it. */
export function forgetStop({ stopFile }: BotFolder): void {
  rmSync(stopFile, { force: true });
}

function lineOf(command: FiledCommand): string {
  return `${JSON.stringify(command)}\n`;
}

function replaced(path: string, text: string): string {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return path;
}

/** The text of a file; undefined if it cannot be read. */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** The command in a line of such a file. @returns undefined for any other text. */
export function filedIn(line: string): FiledCommand | undefined {
  try {
    const value = JSON.parse(line) as Partial<Record<string, unknown>>;
    const { command, id, flatten, reason = '', strategy } = value;
    if (typeof id !== 'string' || typeof reason !== 'string') return undefined;
    if (command === 'stop') return { command, id };
    if (command === 'kill') return { command, id, flatten: flatten === true, reason };
    if (command === 'reduce') return { command, id, reason, strategy: typeof strategy === 'string' ? strategy : undefined };
  } catch {
    // It is the text of a person.
  }
  return undefined;
}

/** The beginning of a watchdog's text. */
const BY_WATCHDOG = 'watchdog';
const FLATTEN = '; flatten';

/** The text that a watchdog writes into the kill file. @param flatten the bot has to close its positions, because the watchdog cannot. */
export function watchdogText(why: string, flatten: boolean): string {
  return `${BY_WATCHDOG}: ${why}${flatten ? FLATTEN : ''}\n`;
}

/** Whether a watchdog has written this text of a kill file. */
export function isByWatchdog(text: string): boolean {
  return text.startsWith(BY_WATCHDOG);
}

/** Whether the text of a kill file has `flatten`. In a watchdog's text only the end counts, because the name of the bot in it may have the same word. */
export function hasFlatten(text: string): boolean {
  const filed = filedIn(text);
  if (filed !== undefined) return filed.command === 'kill' && filed.flatten;
  return isByWatchdog(text) ? text.trimEnd().endsWith(FLATTEN) : /flatten/i.test(text);
}

/** Whether a kill file that exists has `flatten`. */
export function fileFlattens(killFile: string): boolean {
  return hasFlatten(textOf(killFile) ?? '');
}

/** The text of a kill file with `flatten` added, if it has none. */
export function withFlatten(text: string): string {
  if (hasFlatten(text)) return text;
  return isByWatchdog(text) ? `${text.trimEnd()}${FLATTEN}\n` : `${text.trimEnd()}\nflatten\n`;
}

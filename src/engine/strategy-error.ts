import { TidegateError } from '../model/errors.ts';
import { isoTime } from '../model/time.ts';

/** The engine's activity at the time of an error. */
export interface ErrorSource {
  /** `strategy "sma"`, `the engine`. */
  readonly who: string;
  /** `bar 120 of BTC-USDT`, `onStart`. */
  readonly what: string;
  /** Epoch ms. */
  readonly time: number;
}

/** No frame is longer: a longer line is part of a message, and a search in it would take quadratic time. */
const LONGEST_FRAME = 2_000;
/** `at f (file:line:column)`, `at file:line:column`. */
const FRAME = /^\s*at (?:.*? \()?(?:async )?(?:file:\/\/)?(.+:\d+:\d+)\)?$/;
/** Folders of this package's own code, at run time and in source maps: frames there do not show a strategy's error. */
const OWN_FOLDERS = ['src/', 'dist/'].map((folder) => new URL(`../../${folder}`, import.meta.url).pathname);
const NODE = /^node:/;
const PACKAGES = /[\\/]node_modules[\\/]/;
/** Packages between this one and the strategies: it calls them through rxjs, and uses their Decimals. */
const BETWEEN = /[\\/]node_modules[\\/](?:rxjs|decimal\.js)[\\/]/;
const FOUND = new WeakSet<TidegateError>();

/** The error that stops the run: which strategy, at which event, at which line of which file. */
export function strategyError(error: unknown, { who, what, time }: ErrorSource): TidegateError {
  if (error instanceof TidegateError && (error.code !== 'STRATEGY_THREW' || FOUND.has(error))) return error;
  const place = userPlace(error);
  const where = place === undefined ? '' : `\n  at ${place}`;
  const when = Number.isFinite(time) ? ` (${isoTime(time)})` : '';
  const found = new TidegateError('STRATEGY_THREW', `${who} threw at ${what}${when}: ${messageOf(error)}${where}`, { cause: error });
  FOUND.add(found);
  return found;
}

/** Whether this package threw it, with no frame of a strategy on the stack. */
export function isOwnFault(error: unknown): boolean {
  return userPlace(error) === undefined && framesOf(error).some(isOwn);
}

/** The files of the stack with line and column, innermost first. */
export function framesOf(error: unknown): string[] {
  const stack: unknown = error instanceof Error ? error.stack : undefined;
  if (typeof stack !== 'string') return [];
  return stack.split('\n').flatMap((line) => (line.length > LONGEST_FRAME ? [] : (FRAME.exec(line)?.[1] ?? [])));
}

/** The innermost frame in the user's own code; else the innermost of all, if it is in a package of the user's. */
export function userPlace(error: unknown): string | undefined {
  const frames = framesOf(error);
  const outside = (frame: string) => !NODE.test(frame) && !isOwn(frame);
  const own = frames.find((frame) => outside(frame) && !PACKAGES.test(frame));
  if (own !== undefined) return own;
  const innermost = frames.find((frame) => !NODE.test(frame));
  return innermost !== undefined && outside(innermost) && !BETWEEN.test(innermost) ? innermost : undefined;
}

function isOwn(frame: string): boolean {
  return OWN_FOLDERS.some((folder) => frame.startsWith(folder));
}

function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'an object';
  }
}

import { TidegateError } from '../model/errors.ts';
import { isoTime } from '../model/time.ts';

/** What the engine was doing when something threw. */
export interface Blame {
  /** `strategy "sma"`, `the engine`. */
  readonly who: string;
  /** `bar 120 of BTC-USDT`, `onStart`. */
  readonly what: string;
  /** Epoch ms. */
  readonly time: number;
}

/** No frame is as long: a line beyond is part of a message, and the search in it would take the square of its length. */
const LONGEST_FRAME = 2_000;
/** `at f (file:line:column)`, `at file:line:column`. */
const FRAME = /^\s*at (?:.*? \()?(?:async )?(?:file:\/\/)?(.+:\d+:\d+)\)?$/;
/** Where this package's own code lies, as it runs and as source maps tell of it: what a strategy did wrong does not show there. */
const OWN_FOLDERS = ['src/', 'dist/'].map((folder) => new URL(`../../${folder}`, import.meta.url).pathname);
const NODE = /^node:/;
const PACKAGES = /[\\/]node_modules[\\/]/;
/** Packages by which this one calls strategies, and reckons with what they give it. */
const BETWEEN = /[\\/]node_modules[\\/](?:rxjs|decimal\.js)[\\/]/;
const BLAMED = new WeakSet<TidegateError>();

/** The run-stopping error for something thrown: who, at which event, where in which file. */
export function blamed(error: unknown, { who, what, time }: Blame): TidegateError {
  if (error instanceof TidegateError && (error.code !== 'STRATEGY_THREW' || BLAMED.has(error))) return error;
  const place = userPlace(error);
  const where = place === undefined ? '' : `\n  at ${place}`;
  const when = Number.isFinite(time) ? ` (${isoTime(time)})` : '';
  const told = new TidegateError('STRATEGY_THREW', `${who} threw at ${what}${when}: ${messageOf(error)}${where}`, { cause: error });
  BLAMED.add(told);
  return told;
}

/** Whether this package threw it with nothing of a strategy's on the stack. */
export function isOwnFault(error: unknown): boolean {
  return userPlace(error) === undefined && framesOf(error).some(isOwn);
}

/** The files of the stack with line and column, innermost first. */
export function framesOf(error: unknown): string[] {
  const stack: unknown = error instanceof Error ? error.stack : undefined;
  if (typeof stack !== 'string') return [];
  return stack.split('\n').flatMap((line) => (line.length > LONGEST_FRAME ? [] : (FRAME.exec(line)?.[1] ?? [])));
}

/** The innermost frame in the user's own code; else the innermost of all where that is in a package of the user's. */
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

import { TidegateError } from '../model/errors.ts';
import { isoTime } from '../model/time-text.ts';

/** What the engine was doing when something threw. */
export interface Blame {
  /** `strategy "sma"`, `the engine`. */
  readonly who: string;
  /** `bar 120 of BTC-USDT`, `onStart`. */
  readonly what: string;
  /** Epoch ms. */
  readonly time: number;
}

/** `at f (file:line:column)`, `at file:line:column`. */
const FRAME = /^\s*at (?:.*? \()?(?:async )?(?:file:\/\/)?(.+:\d+:\d+)\)?$/;
/** Where this package's own code lies: what a strategy did wrong seldom shows there. */
const PACKAGE = new URL('..', import.meta.url).pathname;

/** The run-stopping error for something thrown: who, at which event, where in which file. */
export function blamed(error: unknown, { who, what, time }: Blame): TidegateError {
  if (error instanceof TidegateError && (error.code !== 'STRATEGY_THREW' || error.cause !== undefined)) return error;
  const message = error instanceof Error ? error.message : String(error);
  const place = error instanceof Error ? placeOf(error, error instanceof TidegateError) : undefined;
  const where = place === undefined ? '' : `\n  at ${place}`;
  const when = Number.isFinite(time) ? ` (${isoTime(time)})` : '';
  return new TidegateError('STRATEGY_THREW', `${who} threw at ${what}${when}: ${message}${where}`, { cause: error });
}

/** The innermost frame in the user's own code; else, unless the error is our own finding, the innermost of all. */
function placeOf({ stack = '' }: Error, ours: boolean): string | undefined {
  const frames = stack.split('\n').flatMap((line) => FRAME.exec(line)?.[1] ?? []);
  return (
    frames.find((frame) => !/^node:|[\\/]node_modules[\\/]/.test(frame) && !frame.startsWith(PACKAGE)) ?? (ours ? undefined : frames[0])
  );
}

import type { Log } from '../../../ports/log.ts';

/** What a `SystemClock` calls when somebody sets the wall clock. */
export function wallSet(log: Pick<Log, 'warn'>): (byMs: number) => void {
  return (byMs) =>
    log.warn(
      'the wall clock was set: periods go on as they were, and the clock of this process follows it by 43 s a day, or at a restart',
      {
        byMs,
      },
    );
}

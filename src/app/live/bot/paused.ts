import type { Clock } from '../../../ports/clock.ts';

/** Resolves after so many ms, or as soon as the signal says so. */
export function paused(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.schedule(clock.now() + ms, end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}

import { config, Observable } from 'rxjs';

/**
 * Runs `act`; what it throws, or a subscriber that it reaches, is thrown here. Left alone, rxjs reports what a subscriber
 * of a strategy's own throws on a later macrotask: a replay, which is one macrotask, would go on to a green end.
 */
export function loudly(act: () => void): void {
  aloud(() => {
    // rxjs collects such throws from the outermost of its calls: without one around `act`, they would be lost.
    new Observable<never>(act).subscribe();
  });
}

/** The same for what is nothing but a `next` of a Subject. */
export function aloud(next: () => void): void {
  config.useDeprecatedSynchronousErrorHandling = true;
  try {
    next();
  } finally {
    config.useDeprecatedSynchronousErrorHandling = false;
  }
}

import { EXIT_CODES } from '../../exit-codes.ts';

/**
 * SIGINT and SIGTERM stop the bot, a second one ends the process at once: what the journal has committed is enough to go
 * on from. SIGUSR2 kills the bot, which stays up.
 * @returns lets go of them.
 */
export function watchSignals(stop: (why: string) => void, kill: (flatten: boolean, reason: string) => void): () => void {
  let stopping = false;
  const onStop = (signal: string) => {
    if (stopping) process.exit(EXIT_CODES.interrupted);
    stopping = true;
    stop(signal);
  };
  const onKill = () => kill(false, 'SIGUSR2');
  process.on('SIGINT', onStop);
  process.on('SIGTERM', onStop);
  process.on('SIGUSR2', onKill);
  return () => {
    process.off('SIGINT', onStop);
    process.off('SIGTERM', onStop);
    process.off('SIGUSR2', onKill);
  };
}

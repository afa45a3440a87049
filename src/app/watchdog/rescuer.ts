import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { BotLog } from '../live/log/bot-log.ts';

/** What can be done for a bot that is silent. */
export interface Rescuer {
  /** At the start: whether the keys work, as far as that can be asked. @throws TidegateError KEYS_INVALID */
  check(log: Log): Promise<void>;
  /** @returns whether it came to its end before the signal. */
  rescue(reason: string, signal: AbortSignal, log: BotLog, clock: Clock): Promise<boolean>;
  redact(text: string): string;
  close(): Promise<void>;
}

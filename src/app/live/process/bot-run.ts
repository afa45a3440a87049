import type { BotJournal } from '../../../journal/bot-journal.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { TurnClock } from '../../../venues/rest/turn-clock.ts';
import type { OpenRecorder } from '../../record/open-recorder.ts';
import type { BotPlan } from '../bot/bot-plan.ts';
import type { BotLog } from '../log/bot-log.ts';
import type { BotScreen } from '../log/bot-screen.ts';
import type { BotClients } from '../planning/bot-clients.ts';
import type { BotFolder, BotMode } from './bot-folder.ts';

/** All that the process of a bot is made of. */
export interface BotRun {
  readonly mode: BotMode;
  readonly plan: BotPlan;
  readonly folder: BotFolder;
  readonly clock: Clock;
  readonly turns: TurnClock;
  /** How much faster than the wall the clock goes. */
  readonly speed: number;
  readonly clients: BotClients;
  readonly journal: BotJournal;
  readonly log: BotLog;
  readonly screen: BotScreen;
  /** Takes in what was done in the bot's place. @returns whether there was anything. */
  readonly handover?: ((signal: AbortSignal) => Promise<boolean>) | undefined;
  /** Asks the exchange what has to be known before the bot is put together, for as long as that takes, or until the signal. */
  readonly prepare: (signal: AbortSignal) => Promise<void>;
  /** Opens what takes what the bot looks at, where it is to be recorded; closed with the bot. */
  readonly openRecorder: () => Promise<OpenRecorder | undefined>;
  /** Stops the bot when it is aborted: the end of a recording. */
  readonly over?: AbortSignal | undefined;
}

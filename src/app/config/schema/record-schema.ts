import { z } from 'zod';
import { parseInterval } from '../../../model/time.ts';
import { recordingName, symbol, trueOrFalse, whole } from './fields.ts';

const ROTATE_ERROR = 'expected an interval of 1s to 1d, such as 15m or 1h';
const rotate = z.string({ error: ROTATE_ERROR }).refine((text) => isRotation(parseInterval(text)), { error: ROTATE_ERROR });
const SYMBOLS_ERROR = 'expected at least one symbol';

export const RecordSchema = z.strictObject({
  name: recordingName.describe('Recording that is written, by name'),
  symbols: z
    .array(symbol, { error: SYMBOLS_ERROR })
    .min(1, { error: SYMBOLS_ERROR })
    .optional()
    .describe('What is recorded, of `instruments` or beyond; without it all of `instruments`. A bot records those of them that it trades'),
  everyMs: whole(1)
    .default(1_000)
    .describe('Time between two looks at the tickers, in ms; a bot records what it looks at (`poll.tickerMs`)'),
  rotate: rotate.default('1h').describe('When the clock passes a multiple of this, what was recorded becomes a part of its series'),
  syncMs: whole(0).default(0).describe('How long a poll may wait to be safe from a loss of power, in ms; 0: not at all'),
  keepPolls: trueOrFalse
    .default(true)
    .describe("Whether the packed logs stay, with the exchange's own times and polls that brought nothing new"),
});

export type RecordConfig = z.output<typeof RecordSchema>;

function isRotation(ms: number | undefined): boolean {
  return ms !== undefined && ms >= 1_000 && ms <= 86_400_000;
}

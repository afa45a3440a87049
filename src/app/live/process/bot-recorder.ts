import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import type { Config } from '../../config/schema/schema.ts';
import { type OpenRecorder, openRecorder } from '../../record/open-recorder.ts';
import type { BotPlan } from '../bot/bot-plan.ts';

/**
 * The recorder of a bot whose config has a `record` section: it writes what the bot looks at anyway.
 * @throws TidegateError RECORDING_IN_USE where another process records it, DATA_INVALID where nothing can be written.
 */
export async function botRecorder({ record, dataDir }: Config, plan: BotPlan, clock: Clock, log: Log): Promise<OpenRecorder | undefined> {
  if (record === undefined) return undefined;
  const traded = plan.instruments.map(({ symbol }) => symbol);
  const symbols = traded.filter((symbol) => record.symbols?.includes(symbol) ?? true);
  const others = (record.symbols ?? []).filter((symbol) => !traded.includes(symbol));
  if (others.length > 0) log.warn('not recorded: the bot does not look at them; `tidegate record` would', { symbols: others });
  if (symbols.length === 0) return undefined;
  return openRecorder({ dataDir, record, symbols, silentMs: plan.poll.staleMs, clock, log });
}

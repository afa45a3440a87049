import type { Log } from '../../../ports/log.ts';
import { wantedBars } from '../../backtest/planning/history-reader.ts';
import { plannedInstruments } from '../../backtest/planning/instruments.ts';
import { RecordedData } from '../../backtest/planning/recorded-data.ts';
import { plannedStrategies } from '../../backtest/planning/strategy-classes.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import type { BotPlan } from '../bot/bot-plan.ts';
import type { BotMode } from '../process/bot-folder.ts';
import { botPlanOf } from './bot-plan-of.ts';
import { botSection } from './bot-section.ts';
import { requireProfile } from './profile-rules.ts';
import { WarmUp } from './warm-up.ts';

export interface PlannedBot {
  /** Its history is empty until `warmUp` has been, which is before strategies are constructed. */
  readonly plan: BotPlan;
  readonly warnings: readonly string[];
  /** Where candles are to fill what recordings lack: what is still to be done, once the exchange can be asked. */
  readonly warmUp: WarmUp | undefined;
}

/** When the run begins, in epoch ms of its clock, and how much faster than the wall that clock goes. */
export interface BotTime {
  readonly start: number;
  readonly speed: number;
}

/**
 * From a checked config to a plan of a bot: strategies loaded, history read, what the exchange cannot give refused.
 * @throws TidegateError naming the place and what was expected.
 */
export async function planBot(loaded: LoadedConfig, mode: BotMode, log: Log, { start, speed }: BotTime): Promise<PlannedBot> {
  const { config } = loaded;
  const { backtest } = config;
  const section = botSection(loaded, mode);
  requireProfile(loaded, mode);
  const { strategies, needs, params } = await plannedStrategies(loaded);
  requireProfile(loaded, mode, needs);
  const instruments = plannedInstruments(config);
  const wanted = wantedBars(needs, instruments);
  const data =
    wanted.length === 0
      ? undefined
      : await RecordedData.open(
          config.dataDir,
          backtest.data,
          instruments.map(({ symbol }) => symbol),
        );
  const warmUp = new WarmUp({ needs, wanted, data, warmup: section.warmup });
  const asksExchange = section.candles && wanted.length > 0;
  const warnings = asksExchange ? [] : warmUp.fromRecordings(start);
  const plan = botPlanOf(loaded, mode, { strategies, needs, params, history: warmUp.history, log, speed });
  return { plan, warnings, warmUp: asksExchange ? warmUp : undefined };
}

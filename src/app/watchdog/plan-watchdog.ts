import { wireSymbol } from '../../exchange/symbols.ts';
import { TidegateError } from '../../model/errors.ts';
import { SteadyClock } from '../../venues/rest/steady-clock.ts';
import { SystemClock } from '../../venues/rest/system-clock.ts';
import { loadConfig } from '../config/load-config.ts';
import type { BotConfig } from '../config/schema/live-schema.ts';
import { accessOf } from '../exchange/access-settings.ts';
import { botClients } from '../live/planning/bot-clients.ts';
import { botPlanOf } from '../live/planning/bot-plan-of.ts';
import { botSection } from '../live/planning/bot-section.ts';
import { withKeys } from '../live/planning/exchange-checks.ts';
import { type BotFolder, type BotMode, botFolder } from '../live/process/bot-folder.ts';
import { latchPaper } from './latch-paper.ts';
import { rescue } from './rescue.ts';
import type { Rescuer } from './rescuer.ts';
import { standIns } from './stand-in.ts';

export interface PlannedWatchdog {
  readonly name: string;
  readonly mode: BotMode;
  readonly folder: BotFolder;
  readonly settings: BotConfig['watchdog'];
  readonly rescuer: Rescuer;
}

/** @throws TidegateError for a config that is wrong or has no such section, KEYS_INVALID where there are none. */
export function planWatchdog(
  path: string,
  { set = [], paper = false }: { readonly set?: readonly string[] | undefined; readonly paper?: boolean | undefined },
  environment: NodeJS.ProcessEnv,
): PlannedWatchdog {
  const mode: BotMode = paper ? 'paper' : 'live';
  // The keys of a bot on paper are its own exchange's.
  const loaded = loadConfig(path, { set: paper ? [...set, 'live.enabled=false'] : set, env: environment });
  const { config } = loaded;
  const { dir, watchdog: settings } = botSection(loaded, mode);
  const folder = botFolder(dir, config.name, mode);
  const common = { name: config.name, mode, folder, settings };
  if (paper) return { ...common, rescuer: latchPaper(folder, settings.flatten) };
  const { credentials, ...given } = accessOf({}, environment, config.live);
  if (credentials === undefined) {
    throw new TidegateError('KEYS_INVALID', 'no keys: set TIDEGATE_API_KEY, _SECRET and _PASSPHRASE, or TIDEGATE_KEYS_FILE, or live.keys');
  }
  const access = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const clients = botClients({ clock: new SystemClock(), steady: new SteadyClock(), credentials, settings: access, live: config.live });
  const rescuer: Rescuer = {
    redact: clients.redact,
    close: clients.close,
    async check(log) {
      const contract = Object.keys(config.instruments).find((symbol) => symbol.endsWith('-PERP'));
      try {
        if (given.spotBaseUrl !== undefined) await withKeys(() => clients.client.accountAssets());
        else if (contract !== undefined) await withKeys(() => clients.client.futuresOrders({ symbol: wireSymbol(contract) }));
      } catch (error) {
        if (error instanceof TidegateError && error.code === 'KEYS_INVALID') throw error;
        log.warn('the exchange cannot be asked whether it takes the keys', { error: (error as Error).message });
      }
    },
    rescue: (reason, signal, log, clock) => {
      const parts = { strategies: standIns(loaded), needs: [], params: [], history: () => [], log, speed: 1 };
      const plan = botPlanOf(loaded, mode, parts);
      return rescue({ plan, folder, clients, clock, log, flatten: settings.flatten, reason, signal });
    },
  };
  return { ...common, rescuer };
}

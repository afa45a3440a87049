import { TidegateError } from '../../../model/errors.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { formatAt } from '../../config/reading/problem.ts';
import type { BotConfig } from '../../config/schema/live-schema.ts';
import type { BotMode } from '../process/bot-folder.ts';

const HINTS: Readonly<Record<BotMode, string>> = {
  paper: 'give it a section such as `paper: { prices: { recording: sample } }`',
  live: 'give it a section with `spotBaseUrl`, `keys` and `enabled: true` (docs/live.md)',
};

/** The section of the mode, as far as both have it. @throws TidegateError CONFIG_INVALID where the config has none. */
export function botSection({ config, locate }: LoadedConfig, mode: BotMode): BotConfig {
  const section = config[mode];
  if (section !== undefined) return section;
  throw new TidegateError('CONFIG_INVALID', formatAt(locate([]), `${mode}: missing: ${HINTS[mode]}`));
}

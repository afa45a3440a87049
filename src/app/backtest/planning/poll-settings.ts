import { REST_DEFAULTS } from '../../../venues/rest/settings.ts';
import type { PollSettings } from '../../../venues/simulated/polled/poll-settings.ts';
import { DETECT_SHARE } from '../../live/bot/bot-plan.ts';

/** A poller that looks every so many ms, and otherwise as a bot does by default. */
export function pollSettings(pollMs: number): PollSettings {
  const { lookupMs, lookupMinMs, lookupMaxMs, visibilityLagMs } = REST_DEFAULTS;
  return { pollMs, detectMs: pollMs * DETECT_SHARE, lookupMs, lookupMinMs, lookupMaxMs, visibilityLagMs };
}

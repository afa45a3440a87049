import type { Check } from './check.ts';
import { CONCENTRATION_CHECKS } from './concentration-checks.ts';
import { COST_CHECKS } from './cost-checks.ts';
import { DELAY_CHECKS } from './delay-checks.ts';
import { FILL_CHECKS } from './fill-checks.ts';
import { MARGIN_CHECKS } from './margin-checks.ts';
import { MARKET_CHECKS } from './market-checks.ts';
import { REFUSAL_CHECKS } from './refusal-checks.ts';
import { SAMPLE_CHECKS } from './sample-checks.ts';
import { SETUP_CHECKS } from './setup-checks.ts';
import { TRADE_CHECKS } from './trade-checks.ts';
import { VOLUME_CHECKS } from './volume-checks.ts';

/** Every check, in the order in which findings of one severity stand. A new one is one entry in one of these lists. */
export const CHECKS: readonly Check[] = [
  ...DELAY_CHECKS,
  ...CONCENTRATION_CHECKS,
  ...TRADE_CHECKS,
  ...COST_CHECKS,
  ...FILL_CHECKS,
  ...VOLUME_CHECKS,
  ...MARGIN_CHECKS,
  ...SAMPLE_CHECKS,
  ...MARKET_CHECKS,
  ...REFUSAL_CHECKS,
  ...SETUP_CHECKS,
];

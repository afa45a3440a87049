import { z } from 'zod';
import { leverageText, trueOrFalse } from './fields.ts';

const leverage = z.union(
  [leverageText, z.strictObject({ long: leverageText.describe('Of the long side'), short: leverageText.describe('Of the short side') })],
  { error: 'expected a leverage of at least 1, such as "10", or { long, short }' },
);

const mode = z.enum(['shared', 'isolated']);
const MODE = '`shared`: all positions stand on the collateral of their currency; `isolated`: each on its own margin';
const SEPARATED = 'Whether every opening order has a position of its own, instead of one a side';
const LEVERAGE = 'Value of a position over its initial margin: one for both sides, or one a side';
const AUTO_APPEND = 'Whether isolated positions that lack margin take it from the free collateral before they are liquidated';

/** Margin settings of all contracts of an account. */
export const MarginSchema = z.strictObject({
  mode: mode.default('shared').describe(MODE),
  separated: trueOrFalse.default(false).describe(SEPARATED),
  leverage: leverage.default('5').describe(LEVERAGE),
  autoAppend: trueOrFalse.default(false).describe(AUTO_APPEND),
});

/** What one contract has otherwise than its account. */
export const OwnMarginSchema = z.strictObject({
  mode: mode.optional().describe(MODE),
  separated: trueOrFalse.optional().describe(SEPARATED),
  leverage: leverage.optional().describe(LEVERAGE),
  autoAppend: trueOrFalse.optional().describe(AUTO_APPEND),
});

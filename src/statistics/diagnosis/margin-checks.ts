import type { Check } from './check.ts';
import { percent } from './figure-text.ts';

/** What a liquid coin moves on a lively day, and in a lively hour. */
const DAY_MOVE = 0.05;
const HOUR_MOVE = 0.02;
const HIGH_USE = 0.9;
/** Below, all of the collateral may be in use without danger. */
const LEVERAGED = 2;

/** How far a futures account was from the end. */
export const MARGIN_CHECKS = [
  {
    id: 'liquidationNear',
    title: 'Liquidation was near',
    speaks: `the price came within ${percent(DAY_MOVE)} of liquidating a position, critical within ${percent(HOUR_MOVE)}; or positions were liquidated (critical). Looked at once per \`report.equityEvery\` and after fills`,
    why: 'An ordinary day moves a coin by 5 %, a lively hour by 2 %: on another path the account is gone.',
    advice: 'Use less leverage, or `risk.account.minLiquidationDistance`.',
    ask: ({ record: { futures }, context: { liquidationDistance } }) => {
      const liquidations = futures?.liquidations.length ?? 0;
      if (liquidations > 0) return { severity: 'critical', figures: { liquidations: String(liquidations) } };
      if (liquidationDistance === undefined || liquidationDistance >= DAY_MOVE) return undefined;
      return { severity: liquidationDistance < HOUR_MOVE ? 'critical' : 'warning', figures: { nearest: percent(liquidationDistance) } };
    },
  },
  {
    id: 'marginUsedUp',
    title: 'Nearly all margin was in use',
    speaks: `${percent(HIGH_USE)} of the collateral was bound as margin, at leverage ${LEVERAGED} or more`,
    why: 'The next order is denied, and a loss cannot be met: the strategy is at the end of what it may do.',
    advice: 'Use less of the leverage that is set, or set a lower one.',
    ask: ({ record: { futures } }) => {
      if (futures === undefined || futures.maxMarginUse < HIGH_USE || futures.maxLeverage < LEVERAGED) return undefined;
      return { severity: 'warning', figures: { marginUse: percent(futures.maxMarginUse), leverage: futures.maxLeverage.toFixed(2) } };
    },
  },
] as const satisfies readonly Check[];

import { isInside, localTime } from '../limits.ts';
import { reduces } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/**
 * Outside all trading windows only reducing orders pass. Resting orders stay open when a window ends;
 * held orders are reviewed when they are sent.
 */
export const tradingWindows: RiskRule = (order, context) => {
  const windows = context.limits.tradingWindows;
  if (windows === undefined || windows.some((window) => isInside(window, localTime(context.now, window.zone)))) return undefined;
  if (reduces(order, context)) return undefined;
  const zone = windows[0]!.zone;
  const { day, minute } = localTime(context.now, zone);
  const pad = (value: number) => String(value).padStart(2, '0');
  return { code: 'outsideTradingWindow', time: `${day} ${pad(Math.floor(minute / 60))}:${pad(minute % 60)}`, zone };
};

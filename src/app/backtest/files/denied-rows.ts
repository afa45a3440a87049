import type { DeniedRow } from '../../../report/run-report.ts';
import type { RunRecorder } from '../recorders/run-recorder.ts';

type Refusal = RunRecorder['denied'][number];

/** A reason's numbers as `name=value` texts. */
export function numbersText({ code: _, ...numbers }: Refusal['reason']): string {
  return Object.entries(numbers)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

/** Refusals of one strategy, symbol, side and code counted together, with the newest numbers; the most frequent first. */
export function deniedRows(denied: readonly Refusal[]): readonly DeniedRow[] {
  const rows = new Map<string, DeniedRow>();
  for (const { reason, strategyId, symbol, side, time } of denied) {
    const { code } = reason;
    const key = `${strategyId}/${symbol}/${side ?? ''}/${code}`;
    const known = rows.get(key);
    rows.set(key, {
      code,
      count: (known?.count ?? 0) + 1,
      example: numbersText(reason),
      strategy: strategyId,
      symbol,
      side,
      firstTime: known?.firstTime ?? time,
      lastTime: time,
    });
  }
  return [...rows.values()].sort((a, b) => b.count - a.count);
}

/** Refusals by code alone, the most frequent first. */
export function deniedByCode(denied: readonly Refusal[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { reason } of denied) counts[reason.code] = (counts[reason.code] ?? 0) + 1;
  return counts;
}

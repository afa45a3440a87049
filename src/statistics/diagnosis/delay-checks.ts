import type { Check } from './check.ts';
import { duration, money, percent } from './figure-text.ts';
import { gainOf } from './gain.ts';

const KEPT = 0.5;

/** What a second run tells, in which orders and answers come later. */
export const DELAY_CHECKS = [
  {
    id: 'delayDestroys',
    title: 'A short delay destroys the result',
    speaks: `run again with orders and answers delayed by one bar (or by \`--delay\`), less than ${percent(KEPT)} of a gain is left; critical where none is. Asked by \`tidegate diagnose\` alone`,
    why: 'An edge that lasts no longer than its bar is one that the simulator sees and a trader does not reach.',
    advice: 'Look for prices that the strategy could not yet know; trade on what lasts longer.',
    ask: ({ record, context: { delayed } }) => {
      const gain = gainOf(record);
      if (delayed === undefined || gain.lte(0)) return undefined;
      const left = delayed.finalEquity.minus(record.startEquity);
      if (left.gte(gain.times(KEPT))) return undefined;
      const figures = { delay: duration(delayed.delayMs), gain: money(gain, record.currency), delayed: money(left, record.currency) };
      return { severity: left.gt(0) ? 'warning' : 'critical', figures };
    },
  },
] as const satisfies readonly Check[];

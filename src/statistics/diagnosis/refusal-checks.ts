import type { Check } from './check.ts';
import { percent } from './figure-text.ts';

/** A few are what limits are for. */
const MANY_DENIALS = 20;
const DENIED_SHARE = 0.2;
const DENIED_MOST = 0.5;
const MANY_REJECTIONS = 10;
const REJECTED_SHARE = 0.05;

/** What the strategies asked for and did not get. */
export const REFUSAL_CHECKS = [
  {
    id: 'manyDenials',
    title: 'Limits denied much of what was asked for',
    speaks: `at least ${MANY_DENIALS} denials, more than ${percent(DENIED_SHARE)} of all intents; critical above ${percent(DENIED_MOST)}`,
    why: 'The result is that of the limits rather than of the strategy.',
    advice: 'See denied.csv for the reasons; let the strategy know its limits, or widen them.',
    ask: ({ context: { denied, intents } }) => {
      const share = denied / intents;
      if (denied < MANY_DENIALS || !(share > DENIED_SHARE)) return undefined;
      return {
        severity: share > DENIED_MOST ? 'critical' : 'warning',
        figures: { denied: String(denied), intents: String(intents), share: percent(Math.min(share, 1)) },
      };
    },
  },
  {
    id: 'manyRejections',
    title: 'The venue rejected orders',
    speaks: `at least ${MANY_REJECTIONS} rejections, more than ${percent(REJECTED_SHARE)} of all orders`,
    why: 'Live, each takes time and request weight, and a strategy that counts on an order has none.',
    advice: 'See denied.csv for the reasons: too little balance, post-only orders that would take, sizes off the limits.',
    ask: ({ context: { rejected, orders } }) => {
      const share = rejected / orders;
      if (rejected < MANY_REJECTIONS || !(share > REJECTED_SHARE)) return undefined;
      return { severity: 'warning', figures: { rejected: String(rejected), orders: String(orders), share: percent(share) } };
    },
  },
] as const satisfies readonly Check[];

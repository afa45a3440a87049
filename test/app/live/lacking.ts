import type { Answer } from './fault-proxy.ts';

/** The paths of the operations that a futures bot needs, after /capi/v2/. */
export const NEEDED = [
  'market/contracts',
  'account/account',
  'order/current',
  'order/detail',
  'order/history',
  'order/currentPlan',
  'order/historyPlan',
  'order/fills',
  'account/bills',
] as const;

interface Reply {
  readonly what: string;
  readonly answer: Answer;
}

export const NOT_FOUND: Reply = { what: '404', answer: (response) => response.writeHead(404).end('{"error":"Not Found"}') };
export const OTHER_SHAPE: Reply = { what: 'another shape', answer: (response) => response.writeHead(200).end('{"rows":7}') };

import { z } from 'zod';
import { LIMITS } from '../../../local-exchange/http/limit-settings.ts';
import { amount, whole } from './fields.ts';

const none = 'no limit where it is 0';

/** The limits of requests in a backtest. */
export const LimitsSchema = z
  .union([
    z.enum(['none', 'exchange']),
    z.strictObject({
      ipWeight: amount(0).default(LIMITS.ipWeight).describe(`Weight of requests within \`windowMs\`, per IP; ${none}`),
      uidWeight: amount(0).default(LIMITS.uidWeight).describe(`Weight of requests within \`windowMs\`, per account; ${none}`),
      windowMs: whole(1).default(LIMITS.windowMs).describe('Window that weights count in, in ms'),
      actionsPerSecond: whole(0).default(LIMITS.actionsPerSecond).describe(`Requests that place or cancel, in any second; ${none}`),
      ordersPerMinute: whole(0).default(LIMITS.ordersPerMinute).describe(`Futures orders in any minute; ${none}`),
      orderDelayMs: whole(0).default(LIMITS.orderDelayMs).describe(`Least time between two futures orders, in ms; ${none}`),
    }),
  ])
  .default('none')
  .describe("Limits that requests wait for: none, the exchange's, or others in their stead");

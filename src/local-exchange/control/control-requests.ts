import { z } from 'zod';
import { OPERATION_TABLE, type OperationName } from '../../exchange/operations/operation-table.ts';
import { WALLET_NAMES } from '../accounts/wallet.ts';
import { FAULT_KINDS } from '../faults/fault-settings.ts';

const decimal = z.string().regex(/^\d{1,18}(\.\d{1,18})?$/, 'a decimal number of at least 0, in quotes');
const amount = decimal.regex(/[1-9]/, 'an amount above 0');
const ms = z.number().min(0).max(1e12);
const name = z.string().min(1);
const wallet = z.enum(WALLET_NAMES);

export const FaultRuleSchema = z.strictObject({
  fault: z.enum(FAULT_KINDS),
  operations: z.array(z.enum(Object.keys(OPERATION_TABLE) as [OperationName, ...OperationName[]])).optional(),
  chance: z.number().min(0).max(1).optional(),
  after: z.int().min(0).optional(),
  times: z.int().min(0).optional(),
  ms: z
    .tuple([ms, ms])
    .refine(([least, most]) => least <= most, 'the least comes first')
    .optional(),
});

/** What the control door takes, by path. */
export const CONTROL_REQUESTS = {
  step: z.strictObject({ ms }),
  price: z.strictObject({ symbol: name, price: decimal }),
  deposit: z.strictObject({ account: name, wallet, coin: name, amount }),
  transfer: z.strictObject({ account: name, coin: name, amount, from: wallet, to: wallet }),
  account: z.strictObject({
    account: name,
    affiliate: z.boolean().optional(),
    subAffiliate: z.boolean().optional(),
    inviter: name.optional(),
    frozen: z.boolean().optional(),
  }),
  withdrawals: z.strictObject({ fail: z.int().min(0) }),
  lists: z.strictObject({ keepTerminalOrders: z.boolean().optional(), keepFlatPositions: z.boolean().optional() }),
  faults: z.strictObject({
    seed: z.int().optional(),
    rules: z.array(FaultRuleSchema).optional(),
    visibilityLagMs: ms.optional(),
    clockSkewMs: ms.optional(),
  }),
} as const;

export type ControlRequests = { [K in keyof typeof CONTROL_REQUESTS]: z.output<(typeof CONTROL_REQUESTS)[K]> };

import { z } from 'zod';

const amount = z.string();
const time = z.number();
const text = z.string();

/** How far the journal was read for an answer: an answer may come while older records are still being read. */
const reading = {
  time,
  lastId: z.number().describe('Number of the newest record that is in the answer'),
  isWhole: z.boolean().describe('Everything up to that record was read; else the answer grows'),
  trouble: text.nullable().describe('Why the journal cannot be read (any further)'),
};

const Step = z.object({ id: z.number(), time, kind: text, words: text });

const Order = z.object({
  clientOrderId: text,
  orderId: text.describe('The id of the exchange; empty until it is known'),
  time: time.describe('When it was submitted'),
  strategy: text,
  symbol: text,
  side: text,
  type: text,
  state: z.enum(['submitted', 'held', 'open', 'filled', 'canceled', 'expired', 'rejected', 'unknown', 'vanished', 'adopted']),
  quantity: amount.nullable(),
  filled: amount,
  price: amount.nullable(),
  stopPrice: amount.nullable(),
  tag: text,
  reason: text.describe('Why it ended, or was refused; may be empty'),
  life: z.array(Step).describe('Its events, the oldest first'),
});

const Fill = z.object({
  id: z.number().describe('Number of its record'),
  time,
  clientOrderId: text,
  fillId: text,
  strategy: text,
  symbol: text,
  side: text,
  positionSide: text.nullable(),
  quantity: amount,
  price: amount,
  fee: amount,
  feeAsset: text,
  liquidity: text,
  tag: text,
});

const Denial = z.object({
  id: z.number(),
  time,
  strategy: text,
  symbol: text,
  side: text.nullable(),
  code: text,
  reason: text.describe('Code and numbers as one text'),
});

const LatchChange = z.object({
  id: z.number(),
  time,
  kind: z.enum(['set', 'lifted']),
  rule: text,
  strategy: text.nullable(),
  symbol: text.nullable(),
  until: time.nullable(),
  reason: text,
});

const kept = z.number().describe('How many are kept, of those in the journal');

/** Lists of a journal, the newest first. */
export const Orders = z.object({ ...reading, kept, orders: z.array(Order) });
export const Fills = z.object({ ...reading, kept, fills: z.array(Fill) });
export const Denials = z.object({ ...reading, kept, denials: z.array(Denial) });
export const Latches = z.object({ ...reading, kept, latches: z.array(LatchChange) });

const column = z.array(z.number().nullable()).describe('For a chart: doubles. Null is a hole, where the bot did not run');

/** Equity over time, as columns of one length. */
export const Series = z.object({
  ...reading,
  currency: text,
  times: z.array(time),
  equity: column,
  drawdown: column.describe('Fall from the highest equity so far, as a share'),
  days: z
    .array(z.object({ day: text.describe('UTC, as 2026-01-31'), profit: amount, fills: z.number() }))
    .describe("Profit of the strategies' own trades by UTC day; their sum is the total"),
  total: amount,
});
export type Series = z.output<typeof Series>;

/** The life of one order or intent, as `tidegate explain --json` prints it. */
export const Explanation = z.object({
  unit: z.enum(['record', 'line']),
  strategy: text,
  intent: z.number().nullable(),
  orders: z.array(z.object({ clientOrderId: text, orderId: text, symbol: text, entry: text.nullable(), exits: z.array(text) })),
  steps: z.array(z.object({ id: z.number(), time, step: text, words: text })),
});

/** The end of a log. */
export const LogTail = z.object({
  time,
  path: text,
  lines: z
    .array(z.object({ time: time.nullable(), level: text, message: text, fields: z.record(text, z.unknown()) }))
    .describe('The newest last. A line that is no JSON is a message without a time'),
});

export type JournalOrder = z.output<typeof Order>;
export type JournalFill = z.output<typeof Fill>;
export type JournalDenial = z.output<typeof Denial>;
export type JournalLatch = z.output<typeof LatchChange>;
export type LogLine = z.output<typeof LogTail>['lines'][number];

import { z } from 'zod';
import { BOT_STATES, type BotState } from '../../fleet/bot-state.ts';
import type { FleetTotal } from '../../fleet/list-bots.ts';
import type { BotStatus } from '../../live/process/bot-status.ts';

/** Money, prices and quantities are decimal text, so that no digit is lost. */
const amount = z.string();
/** Epoch ms. */
const time = z.number();
const text = z.string();
const mode = z.enum(['paper', 'live']);

const Latch = z.object({
  rule: text,
  time,
  reason: text,
  strategy: text.optional(),
  symbol: text.optional(),
  until: time.optional(),
  flatten: z.literal(true).optional(),
});

const Health = z.object({ subject: text, symbol: text, condition: text, reason: text, since: time.optional() });

const OpenOrder = z.object({
  time,
  clientOrderId: text,
  strategy: text,
  symbol: text,
  side: text,
  type: text,
  state: text,
  quantity: amount.optional(),
  filled: amount.optional(),
  price: amount.optional(),
  stopPrice: amount.optional(),
  tag: text.optional(),
});

const LastFill = z.object({
  time,
  clientOrderId: text,
  strategy: text,
  symbol: text,
  side: text,
  quantity: amount,
  price: amount,
  fee: text.describe('Amount and asset'),
});

const part = { strategy: text, symbol: text, positionSide: z.enum(['long', 'short']).optional(), quantity: amount };

/** The status of a bot that answers, as `tidegate status --json` prints it. What a bot says beyond this is left out. */
export const Status = z.object({
  name: text,
  mode,
  pid: z.number(),
  uptimeMs: z.number(),
  phase: z.enum(['starting', 'running', 'stopping']),
  time: time.describe("On the bot's clock"),
  strategies: z.array(
    z.object({ id: text, symbols: z.array(text), references: z.array(text).optional(), positions: z.record(text, amount) }),
  ),
  positions: z.record(text, amount),
  balances: z.record(text, z.object({ total: amount, frozen: amount })),
  currency: text,
  equity: amount,
  profit: z.object({ today: amount, total: amount }).describe("Of the strategies' own trades: of this UTC day, and in total"),
  unprotected: z.record(text, amount),
  openOrders: z.record(text, z.number()).describe('By state'),
  orders: z.array(OpenOrder),
  lastOrder: z
    .object({
      time,
      clientOrderId: text,
      strategy: text,
      symbol: text,
      side: text,
      type: text,
      quantity: text,
      price: amount.optional(),
    })
    .nullable(),
  lastFills: z.array(LastFill).describe('The newest first'),
  denied: z.record(text, z.number()).describe('Denied intents of the last hour, by code'),
  latches: z.array(Latch),
  trading: z.enum(['yes', 'in part', 'no']),
  health: z.array(Health),
  lastTickAgeMs: z.number().nullable(),
  pollMs: z.object({ marketMs: z.number(), accountMs: z.number() }),
  requests: z.object({ queued: z.number(), oldestWaitMs: z.number(), free: z.number() }),
  refused: z.array(z.object({ operation: text, reason: text, count: z.number(), last: time, said: text })),
  journal: z.object({ path: text, bytes: z.number() }),
  differences: z.array(
    z.object({ what: z.enum(['order', 'fill', 'balance', 'position']), subject: text, journal: text, exchange: text, cause: text }),
  ),
  recorder: z
    .object({
      polls: z.number(),
      incomplete: z.number(),
      lost: z.number(),
      durableTime: time.optional(),
      logBytes: z.number(),
      kept: z.number(),
      trouble: text.optional(),
    })
    .nullable(),
  signals: z
    .object({
      url: text,
      names: z.array(text),
      written: z.number(),
      duplicates: z.number(),
      refused: z.number(),
      lastTime: time.nullable(),
    })
    .nullable(),
  waitingSignals: z.array(z.object({ name: text, rows: z.number(), until: time })),
  flatten: z
    .object({
      since: time,
      closed: z.array(z.object({ ...part, side: z.enum(['buy', 'sell']) })),
      standing: z.array(z.object({ ...part, why: text })),
      gone: z.array(z.object(part)),
    })
    .nullable(),
  changes: z
    .array(z.object({ setting: text, value: text, was: text }))
    .describe('Settings that were changed while the bot ran, with their values in the config as JSON'),
  closes: z
    .object({
      pending: z.array(z.object({ symbol: text, strategy: text.optional(), side: z.enum(['long', 'short']).optional() })),
      closed: z.array(z.object({ ...part, side: z.enum(['buy', 'sell']) })).describe('By `tidegate close`, since the start of the process'),
    })
    .describe('The closes of single positions by command'),
});

/** Fails to compile where the bot's status and this schema differ. */
type Same<A, B> = [A, B] extends [B, A] ? true : false;
type Loose<T> = T extends readonly (infer E)[]
  ? readonly Loose<E>[]
  : T extends object
    ? { readonly [K in keyof T as undefined extends T[K] ? never : K]: Loose<T[K]> } & {
        readonly [K in keyof T as undefined extends T[K] ? K : never]?: Loose<Exclude<T[K], undefined>> | undefined;
      }
    : T;
true satisfies Same<Loose<BotStatus>, Loose<z.output<typeof Status>>>;

/** The figures of one bot at one time. */
const Figures = z.object({
  time: time.describe('When they were read'),
  currency: text,
  equity: amount,
  today: amount.describe("Profit of the strategies' own trades, with open positions at their marks, of this UTC day"),
  total: amount.describe('The same since the beginning'),
  lastTickAgeMs: z.number().nullable().describe('Age of the newest price at that time'),
  positions: z.record(text, amount),
  openOrders: z.number(),
});

/** A bot as a row of the overview. */
export const BotRow = z.object({
  id: text.describe('Names the bot in paths: made of its folder, the same after restarts'),
  name: text,
  mode: mode.nullable().describe('Null where only a folder is known'),
  folder: text,
  state: z.enum(Object.keys(BOT_STATES) as [BotState, ...BotState[]]),
  proof: text.describe('Why a bot in this state is in it'),
  why: text.describe('The facts that led to the state; may be empty'),
  seenAt: time.nullable().describe('The last sign of life'),
  isWatched: z.boolean().describe('A watchdog runs for it'),
  figures: Figures.nullable().describe('The newest known; null for a bot that was never seen to answer. Old ones are in no total'),
  isCounted: z.boolean().describe('Its figures are of this moment, and are in the totals'),
  latches: z.array(Latch),
  health: z.array(Health),
  lastFill: LastFill.nullable(),
});
export type BotRow = z.output<typeof BotRow>;

const Total = z.object({
  mode,
  currency: text,
  bots: z.number().describe('The rows in it'),
  equity: amount,
  today: amount,
}) satisfies z.ZodType<FleetTotal>;

/** The overview: all bots, and the sums of those rows that are counted. */
export const Fleet = z.object({
  time,
  everyMs: z.number().describe('Bots are asked at most this often, whatever the number of pages'),
  bots: z.array(BotRow),
  totals: z.array(Total).describe('Sums by mode and currency: paper and real money, and different currencies, are never added'),
  totalsAre: text.describe('The definition of the totals, for people'),
  trouble: text.nullable().describe('Why folders or configs cannot be searched for bots now: those known before are shown'),
});
export type Fleet = z.output<typeof Fleet>;

export const BotDetail = BotRow.extend({
  time,
  status: Status.nullable().describe('Null unless it answers'),
  journal: z.object({ path: text, bytes: z.number() }).nullable().describe('Null before its first start'),
  acts: z
    .array(z.object({ act: text, words: text, confirm: text, cannot: text.nullable() }))
    .describe('What an operator can do now: what will happen, the text to type, and why it cannot be done'),
});
export type BotDetail = z.output<typeof BotDetail>;

/** An event of `/api/events`. `fleet` is the first, and after a break that the server does not remember; `bots` has changed rows only. */
export const FleetChange = Fleet.extend({ gone: z.array(text).describe('Ids of rows that are no longer there') });
export type FleetChange = z.output<typeof FleetChange>;

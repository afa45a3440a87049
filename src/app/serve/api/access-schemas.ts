import { z } from 'zod';

const time = z.number();
const text = z.string();

/** `viewer` reads; `operator` also acts. */
export const Role = z.enum(['viewer', 'operator']);
export type Role = z.output<typeof Role>;

export const Health = z.object({ ok: z.literal(true) });

export const Login = z.strictObject({ token: text.min(1).max(200) });
export const Session = z.object({
  role: Role.nullable().describe('Null: nobody is logged in'),
  until: time.nullable().describe('When the session ends unless it is used before; null for a token in a header'),
  version: text,
  time,
});
export type Session = z.output<typeof Session>;

/** The things that an operator can have a bot do. */
export const ACTS = ['stop', 'kill', 'flatten', 'reduce', 'pause', 'resume', 'reset'] as const;
export type ActName = (typeof ACTS)[number];

export const Act = z.strictObject({
  act: z.enum(ACTS).describe('`flatten`: a kill that also closes positions'),
  confirm: text.max(200).describe('The text that `acts` of the bot asks for: the word of the act, for `flatten` the name of the bot'),
  strategy: text.max(100).optional().describe('Which strategy: needed for `pause` and `resume`; `reduce` and `reset` are else for all'),
  reason: text.max(500).optional(),
});
export type Act = z.output<typeof Act>;

/** The result of an act. */
export const Outcome = z.object({
  time,
  outcome: z
    .enum(['done', 'unfinished', 'filed', 'refused', 'failed'])
    .describe(
      '`done`: the bot has obeyed. `unfinished`: it obeys, and something is still open. `filed`: it does not answer; the command is in its folder, and it obeys as soon as it runs. `refused`: nothing was done. `failed`: nothing could be done',
    ),
  words: text.describe('What happened, for people'),
  watchdog: z.enum(['runs', 'none']).nullable().describe('Where the bot does not answer: whether a watchdog acts meanwhile'),
});
export type Outcome = z.output<typeof Outcome>;

/** One line of the audit log. */
export const AuditLine = z.object({
  time,
  who: text.describe('Role, how it was proved, and the address'),
  bot: text,
  folder: text,
  act: text,
  strategy: text.nullable(),
  reason: text.nullable(),
  outcome: text,
  words: text,
});
export type AuditLine = z.output<typeof AuditLine>;
export const Audit = z.object({ time, path: text, acts: z.array(AuditLine).describe('The newest first') });

/** Every answer that is no success. */
export const Problem = z.object({ error: z.object({ code: text, message: text }) });
export type Problem = z.output<typeof Problem>;

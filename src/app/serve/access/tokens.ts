import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { TidegateError } from '../../../model/errors.ts';
import type { Role } from '../api/access-schemas.ts';

/** Shorter tokens can be guessed. */
const LEAST_CHARACTERS = 24;

const Tokens = z.object({ operator: z.string().optional(), viewer: z.string().optional() });

/** Environment variables that take the place of the file's tokens. */
export const TOKEN_VARIABLES = { operator: 'TIDEGATE_SERVE_TOKEN', viewer: 'TIDEGATE_SERVE_VIEWER_TOKEN' } as const;

/** The token of each role; a role without one cannot be had. */
export type RoleTokens = Readonly<Partial<Record<Role, string>>>;

/**
 * The tokens of the environment, else those of the file, which is made with mode 600 if there is none.
 * @throws TidegateError CONFIG_INVALID for a file that others can read, that cannot be made or read, and for a short token.
 */
export function readTokens(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): { readonly tokens: RoleTokens; readonly made: boolean } {
  const given = { operator: env[TOKEN_VARIABLES.operator], viewer: env[TOKEN_VARIABLES.viewer] };
  const isGiven = given.operator !== undefined || given.viewer !== undefined;
  const { tokens, made } = isGiven ? { tokens: given, made: false } : ofFile(file);
  const short = Object.values(tokens).find((token) => token !== undefined && token.length < LEAST_CHARACTERS);
  if (short !== undefined)
    throw new TidegateError('CONFIG_INVALID', `a token of \`serve\` has ${short.length} characters; expected ${LEAST_CHARACTERS} or more`);
  if (tokens.operator !== undefined && tokens.operator === tokens.viewer)
    throw new TidegateError('CONFIG_INVALID', 'operator and viewer have one token; expected two different ones');
  return { tokens: Object.fromEntries(Object.entries(tokens).filter(([, token]) => token !== undefined)), made };
}

function ofFile(file: string): { readonly tokens: z.output<typeof Tokens>; readonly made: boolean } {
  const made = makeFile(file);
  try {
    return { tokens: Tokens.parse(JSON.parse(readFileSync(file, 'utf8'))), made };
  } catch (cause) {
    throw new TidegateError('CONFIG_INVALID', `${file}: cannot be read as {"operator": "...", "viewer": "..."}: remove it for new tokens`, {
      cause,
    });
  }
}

/** @returns whether it was made. */
function makeFile(file: string): boolean {
  const token = () => randomBytes(32).toString('base64url');
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${JSON.stringify({ operator: token(), viewer: token() }, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new TidegateError('CONFIG_INVALID', `${file}: cannot be made: ${(error as Error).message}`, { cause: error });
  }
  try {
    // A copy, or a file that a person made, may be open to others.
    chmodSync(file, 0o600);
  } catch (cause) {
    throw new TidegateError('CONFIG_INVALID', `${file}: cannot be closed to other users (mode 600): ${(cause as Error).message}`, {
      cause,
    });
  }
  return false;
}

/** Sessions end after this time without use, in ms: a screen on a wall goes on, an operator who went home does not. */
const IDLE_MS: Readonly<Record<Role, number>> = { viewer: 30 * 86_400_000, operator: 12 * 3_600_000 };

/** A session whose cookie was checked. */
export interface LiveSession {
  readonly role: Role;
  /** Epoch ms at which it ends. */
  readonly until: number;
  readonly nonce: string;
}

/**
 * Proves tokens and sessions. A session is a text that is signed with the token of its role, so that it outlives a restart, and ends
 * with its token. One that was logged out is refused by this process from then on.
 */
export class Keys {
  readonly #tokens: RoleTokens;
  /** Ends of sessions that were logged out, by nonce. */
  readonly #ended = new Map<string, number>();

  constructor(tokens: RoleTokens) {
    this.#tokens = tokens;
  }

  /** The role of a token. */
  roleOf(token: string): Role | undefined {
    const given = digest(token);
    let found: Role | undefined;
    // Every token is compared, so that the time does not show which one is near.
    for (const [role, one] of Object.entries(this.#tokens)) if (timingSafeEqual(digest(one), given)) found = role as Role;
    return found;
  }

  /** A new session, or one that goes on under the same nonce. */
  session(
    role: Role,
    now: number,
    nonce = randomBytes(12).toString('base64url'),
  ): { readonly text: string; readonly session: LiveSession } {
    const until = now + IDLE_MS[role];
    return { text: `${role}.${nonce}.${until}.${this.#sign(role, nonce, until)}`, session: { role, until, nonce } };
  }

  /** The session of a cookie; `undefined` if it is none, is over, or was logged out. */
  opened(text: string, now: number): LiveSession | undefined {
    const [role, nonce = '', end = '', proof = ''] = text.split('.');
    const until = Number(end);
    if ((role !== 'viewer' && role !== 'operator') || this.#tokens[role] === undefined || !(until > now)) return undefined;
    if (!timingSafeEqual(digest(proof), digest(this.#sign(role, nonce, until))) || this.#ended.has(nonce)) return undefined;
    return { role, until, nonce };
  }

  /** Whether a session was used so long after its last renewal that its cookie is to be renewed. */
  isDue({ role, until }: LiveSession, now: number): boolean {
    return until - now < IDLE_MS[role] - RENEW_MS;
  }

  end({ nonce }: LiveSession, now: number): void {
    for (const [old, until] of this.#ended) if (until < now) this.#ended.delete(old);
    // A session may have been renewed since: it cannot last longer than this.
    this.#ended.set(nonce, now + IDLE_MS.viewer);
  }

  #sign(role: Role, nonce: string, until: number): string {
    return createHmac('sha256', `session ${this.#tokens[role]}`).update(`${role}.${nonce}.${until}`).digest('base64url');
  }
}

const RENEW_MS = 60_000;

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

import { createHash, createHmac, randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { TidegateError } from '../../../model/errors.ts';

/** The longest path of a socket that every system accepts, in bytes. */
const SOCKET_BYTES = 100;

/** The address at which a bot listens for commands. Its file is in the bot's folder, which only its user can read. */
export interface ControlAddress {
  /** Path of the socket. */
  readonly socket: string;
  /** A secret in the bot's folder, with which client and bot prove to each other that this bot is meant. Absent for bots of earlier versions. */
  readonly token?: string | undefined;
}

/**
 * A new address for the bot of this folder: a socket in the folder itself, or if that path is too long, in a private folder of the user.
 * @throws TidegateError CONFIG_INVALID if there is no private folder and none can be made.
 */
export function newAddress(folder: string): { readonly socket: string; readonly token: string } {
  const here = join(folder, 'control.sock');
  const token = randomBytes(16).toString('hex');
  if (Buffer.byteLength(here) <= SOCKET_BYTES) return { socket: here, token };
  const name = `tidegate-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}.sock`;
  const socket = join(runtimeFolder(process.env), name);
  if (Buffer.byteLength(socket) <= SOCKET_BYTES) return { socket, token };
  throw new TidegateError(
    'CONFIG_INVALID',
    `the path of the bot's socket, ${socket}, is longer than ${SOCKET_BYTES} bytes: set XDG_RUNTIME_DIR or TMPDIR to a shorter path`,
  );
}

/** `XDG_RUNTIME_DIR` if the session has one, else a folder among the temporary files; it has mode 700 and belongs to this user. */
export function runtimeFolder(environment: NodeJS.ProcessEnv, temporary = tmpdir()): string {
  const { XDG_RUNTIME_DIR: given = '' } = environment;
  if (given !== '' && isPrivate(given)) return given;
  const folder = join(temporary, `tidegate-${process.getuid?.() ?? 'user'}`);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw refused(folder, (error as Error).message);
  }
  if (!isPrivate(folder)) throw refused(folder, 'it is not a folder of this user with mode 700');
  return folder;
}

function isPrivate(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined || !found.isDirectory()) return false;
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0);
}

function refused(folder: string, why: string): TidegateError {
  const remedy = 'set XDG_RUNTIME_DIR to a folder of this user with mode 700, or set a shorter `dir`';
  return new TidegateError(
    'CONFIG_INVALID',
    `the bot's socket cannot be in ${folder} (${why}), and the path of the bot's folder is too long for a socket: ${remedy}`,
  );
}

/** Writes the address to its file, atomically. */
export function writeAddress(file: string, address: ControlAddress): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(address)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Reads the address. A bot of an earlier version writes none: its socket is in its folder. */
export function readAddress(file: string): ControlAddress {
  try {
    const { socket, token } = JSON.parse(readFileSync(file, 'utf8')) as Partial<ControlAddress>;
    if (typeof socket === 'string' && typeof token === 'string') return { socket, token };
  } catch {}
  return { socket: join(dirname(file), 'control.sock') };
}

/** The proof that the sender of a text has the token; `nonce` identifies the request. */
export function proofOf(token: string, who: 'client' | 'bot', nonce: string, text: string): string {
  return createHmac('sha256', token).update(`${who}\n${nonce}\n${text}`).digest('hex');
}

import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';

/** What checks ask of the machine they run on. */
export interface Machine {
  /** As `process.versions.node`. */
  readonly nodeVersion: string;
  /** A copy: keys leave it when they are read. */
  readonly environment: NodeJS.ProcessEnv;
  /** Bytes that this user may still write where the path is, or would be. */
  freeBytes(path: string): number;
  /** Where a file of pm2 is looked for. */
  readonly cwd: string;
}

/** The one at hand. */
export function thisMachine(): Machine {
  return { nodeVersion: process.versions.node, environment: { ...process.env }, cwd: process.cwd(), freeBytes };
}

function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    return freeBytes(dirname(path));
  }
}

import type { ConfigPath } from './config-path.ts';

/** One complaint about a value; `aboutKey` when the key itself is wrong. */
export interface Complaint {
  readonly path: ConfigPath;
  readonly message: string;
  readonly aboutKey: boolean;
}

/** A complaint that points at the setting's value. */
export function aboutValue(path: ConfigPath, message: string): Complaint {
  return { path, message, aboutKey: false };
}

/** A complaint that points at the setting's key: it should not be there. */
export function aboutKey(path: ConfigPath, message: string): Complaint {
  return { path, message, aboutKey: true };
}

import { readFileSync } from 'node:fs';
import { OWN_FILES } from './own-files.ts';

/** The version of this package. */
export function ownVersion(): string {
  const text = readFileSync(OWN_FILES.packageJson, 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { OWN_FILES } from '../../base/own-files.ts';
import { Refusal } from '../access/guard.ts';
import { Explanation } from '../api/journal-schemas.ts';
import type { Answer } from '../api/routes.ts';

/** Processes that explain at once; a journal may be long. */
const MOST = 2;
const PATIENCE_MS = 60_000;
const MOST_BYTES = 16 * 1024 * 1024;

let running = 0;

/**
 * The life of an order or intent, by `tidegate explain`. It reads the whole journal, so a process of its own does that: other pages are
 * answered meanwhile. @throws Refusal
 */
export async function explained(folder: string, id: string): Promise<Answer<'explain'>> {
  if (running >= MOST) throw new Refusal(503, 'BUSY', 'other orders are being explained: try again', { 'Retry-After': '5' });
  running++;
  try {
    const { text, trouble } = await explain(folder, id);
    if (trouble !== undefined)
      throw new Refusal(409, /^error ([A-Z_]+):/m.exec(trouble)?.[1] ?? 'FAILED', trouble.replace(/^error [A-Z_]+: /, '').trim());
    return Explanation.parse(JSON.parse(text));
  } finally {
    running--;
  }
}

function explain(folder: string, id: string): Promise<{ readonly text: string; readonly trouble?: string }> {
  const bin = fileURLToPath(new URL('bin/tidegate.mjs', OWN_FILES.root));
  // After `--` nothing is an option, whatever the id begins with.
  const args = [bin, 'explain', '--json', '--', folder, id];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: PATIENCE_MS, maxBuffer: MOST_BYTES }, (error, text, stderr) =>
      resolve(error === null ? { text } : { text, trouble: stderr === '' ? error.message : stderr }),
    );
  });
}

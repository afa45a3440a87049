import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Growth of the memory in use from run 20 to run 100 that is no leak. */
const FLAT = 1.05;

interface Left {
  readonly listeners: unknown;
  readonly resources: unknown;
  readonly files: number;
  readonly temporary: readonly string[];
}

test('a hundred runs in a row give one result, and leave no listener, handle, file or memory behind', async () => {
  const args = ['--expose-gc', join(ROOT, 'test/app/library/many-runs.mjs'), ROOT, '100'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, TMPDIR: temporaryFolder() } });
  const { hashes, before, after, bytes } = JSON.parse(stdout) as {
    readonly hashes: readonly string[];
    readonly before: Left;
    readonly after: Left;
    /** After every tenth run. */
    readonly bytes: readonly number[];
  };
  expect(hashes).toHaveLength(1);
  expect(after).toEqual(before);
  expect(after.temporary).toEqual([]);
  expect(bytes).toHaveLength(10);
  expect(bytes[9]! / bytes[1]!).toBeLessThan(FLAT);
});

// npm run disk-mounts: a bot whose folder is on a file system of its own: one that becomes full (while it trades, and at a start), one
// that becomes read-only, and one with small blocks. Then its journal is compared with the exchange's own records.
// Needs root on Linux, and the right to mount; without it says so and ends with 0.
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundledProof, resultsOf } from './long-proof.mjs';
import { buildIfNeeded, installIfNeeded, requireNode, root } from './tools.mjs';

requireNode();
const obstacle = obstacleToMounts();
if (obstacle !== undefined) {
  console.log(`disk-mounts skipped: ${obstacle}`);
  process.exit(0);
}
await installIfNeeded();
await buildIfNeeded();
const started = performance.now();
const [results = [{ name: 'the program', wrong: ['it failed'] }]] = await resultsOf(await bundledProof('disk-mounts'), 1, () => [root]);
const wrong = results.flatMap(({ name, wrong }) => wrong.map((one) => `${name}: ${one}`));
for (const one of wrong) console.log(`  ${one}`);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(`${results.length} file systems (${results.map(({ name }) => name).join(', ')}), ${wrong.length} wrong in ${seconds} s`);
process.exitCode = wrong.length === 0 ? 0 : 1;

/** Why no file system can be mounted; `undefined` if it can. */
function obstacleToMounts() {
  if (process.platform !== 'linux' || process.getuid() !== 0) return 'it needs root on Linux';
  for (const tool of ['mount', 'mke2fs', 'e2fsck']) if (spawnSync(tool, ['-V']).error) return `there is no ${tool}`;
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-mount-'));
  const image = join(folder, 'image');
  const place = join(folder, 'place');
  const script = `mkdir '${place}' && truncate -s 8M '${image}' && mke2fs -q -F '${image}' && mount -o loop '${image}' '${place}' && umount '${place}'`;
  const { status, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
  spawnSync('rm', ['-r', folder]);
  return status === 0 ? undefined : `no file system can be mounted (${stderr.trim().split('\n').at(-1)})`;
}

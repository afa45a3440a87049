import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Compiles `faulty-disk.c` into the folder. @returns the library, `undefined` without a C compiler or on another system than Linux. */
export function compileShim(root: string, folder: string): string | undefined {
  const compiler = ['cc', 'gcc', 'clang'].find((name) => spawnSync(name, ['--version']).status === 0);
  if (compiler === undefined || process.platform !== 'linux') return undefined;
  const shim = join(folder, 'faulty-disk.so');
  execFileSync(compiler, ['-O2', '-shared', '-fPIC', '-o', shim, join(root, 'test/disk-faults/faulty-disk.c'), '-ldl']);
  return shim;
}

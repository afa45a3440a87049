import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { lackOfFiles } from '../../../src/app/base/open-files.ts';
import { ROOT } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const unixTest = process.platform === 'win32' ? test.skip : test;

function runWith(files: number, args: readonly string[]) {
  const script = `ulimit -n ${files}; exec "$0" bin/tidegate.mjs "$@"`;
  return spawnSync('sh', ['-c', script, process.execPath, ...args], { cwd: ROOT, encoding: 'utf8' });
}

const text = (files: number) =>
  `this process may open ${files} files (ulimit -n), and needs more (EMFILE); raise the limit to 1024: ulimit -n 1024 in the shell, LimitNOFILE=1024 in a systemd unit`;

unixTest('a process that may open 40 files says so, with the limit and what to do', () => {
  const { status, stdout, stderr } = runWith(40, ['backtest', 'configs/sma-cross.yaml', '--json', '--out', temporaryFolder()]);
  expect({ status, stderr }).toEqual({ status: 10, stderr: `error TOO_MANY_FILES: ${text(40)}\n` });
  expect(JSON.parse(stdout)).toEqual({ error: { code: 'TOO_MANY_FILES', message: text(40) } });
});

unixTest.each([24, 32, 44, 48, 52, 56, 60])('with %d files a backtest is done, or says which limit kept it', (files) => {
  const { status, stderr } = runWith(files, ['backtest', 'configs/sma-cross.yaml', '--quiet', '--out', `${temporaryFolder()}/out`]);
  if (status === 0) expect(stderr).toBe('');
  else expect({ status, stderr }).toEqual({ status: 10, stderr: `error TOO_MANY_FILES: ${text(files)}\n` });
});

test.each([
  ['its code in the message', new Error('EMFILE: too many open files, open x'), /^this process may open (\d+|unlimited|no more) files/],
  ['a cause', new Error('x cannot be opened', { cause: new Error('EMFILE: too many open files') }), /^this process/],
  ['words of a library', new Error('IO Error: Cannot open file "x": Too many open files'), /^this process/],
  ['a lack of the whole machine', new Error('ENFILE: file table overflow'), /^the machine has as many files open as it may \(ENFILE\)/],
])('a lack of files is known by %s', (_, error, message) => {
  expect(lackOfFiles(error)).toMatchObject({ code: 'TOO_MANY_FILES', message: expect.stringMatching(message) });
});

test('other trouble is left as it is', () => {
  expect(lackOfFiles(new Error('ENOENT: no such file'))).toBeUndefined();
});

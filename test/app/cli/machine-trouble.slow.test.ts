import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import { machineTrouble, unusablePlace } from '../../../src/app/base/machine-trouble.ts';
import { ROOT } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const unixTest = process.platform === 'win32' ? test.skip : test;

function runWith(files: number, args: readonly string[]) {
  const script = `ulimit -n ${files}; exec "$0" bin/tidegate.mjs "$@"`;
  return spawnSync('sh', ['-c', script, process.execPath, ...args], { cwd: ROOT, encoding: 'utf8' });
}

const text = (files: number) =>
  `this process may open ${files} files (ulimit -n) and needs more (EMFILE); raise the limit to 1024: ulimit -n 1024 in the shell, LimitNOFILE=1024 in a systemd unit`;

unixTest('a process that may open 24 files says so, with the limit and what to do', () => {
  const { status, stdout, stderr } = runWith(24, ['backtest', 'configs/sma-cross.yaml', '--json', '--out', temporaryFolder()]);
  expect({ status, stderr }).toEqual({ status: 10, stderr: `error TOO_MANY_FILES: ${text(24)}\n` });
  expect(JSON.parse(stdout)).toEqual({ error: { code: 'TOO_MANY_FILES', message: text(24) } });
});

unixTest.each([25, 26, 27, 28, 29, 30, 32, 44])('with %d files a backtest succeeds, or reports the limit', (files) => {
  const { status, stderr } = runWith(files, ['backtest', 'configs/sma-cross.yaml', '--quiet', '--out', `${temporaryFolder()}/out`]);
  if (status === 0) expect(stderr).toBe('');
  else expect({ status, stderr }).toEqual({ status: 10, stderr: `error TOO_MANY_FILES: ${text(files)}\n` });
});

/** Files may have so many bytes; without the trap the system would end the process. */
function writeAtMost(bytes: number, args: readonly string[]) {
  // The limit ends what hangs: a busy machine takes less.
  const timeout = 600_000;
  const script = `trap '' XFSZ; ulimit -f ${bytes / 512}; exec "$0" bin/tidegate.mjs "$@"`;
  return spawnSync('sh', ['-c', script, process.execPath, ...args], { cwd: ROOT, encoding: 'utf8', timeout, killSignal: 'SIGKILL' });
}

unixTest('a backtest whose files cannot be written whole says so', () => {
  const { status, stderr } = writeAtMost(8_192, ['backtest', 'configs/sma-cross.yaml', '--quiet', '--out', `${temporaryFolder()}/out`]);
  expect({ status, stderr }).toEqual({
    status: 10,
    stderr: expect.stringMatching(/^error DISK_FULL: EFBIG: file too large, write: free space on that disk/),
  });
});

/** Of so many bars, in a folder of its own, and what imports it. */
function featherImport(rows: number): { folder: string; args: string[] } {
  const folder = temporaryFolder();
  const file = `${folder}/rows.feather`;
  const column = (of: (row: number) => number) => Float64Array.from({ length: rows }, (_, row) => of(row));
  const prices = Object.fromEntries(['open', 'high', 'low', 'close', 'volume'].map((name) => [name, column(() => 100.25)]));
  writeFileSync(file, tableToIPC(tableFromArrays({ date: column((row) => 1_735_689_600_000 + row * 60_000), ...prices }), 'file'));
  const args = ['data', 'import', file, '--kind', 'bar', '--symbol', 'BTC-USDT', '--interval', '1m', '--name', 'x', '--data-dir', folder];
  return { folder, args };
}

unixTest.each([10_240, 512 * 400])('rows of a Feather file that find no room (%d bytes) end the import', (bytes) => {
  const { folder, args } = featherImport(20_000);
  const { status, stderr } = writeAtMost(bytes, args);
  expect({ status, stderr }).toEqual({
    status: 10,
    stderr: expect.stringMatching(/^error DISK_FULL: /),
  });
  expect(existsSync(`${folder}/x`)).toBe(false);
});

test.each([['columns', 'bin', 1, /the file ends after \d+ of 20000 rows/]])(
  'an import that loses a write of its %s which the system confirmed ends with 3 and leaves nothing behind',
  (_, name, nth, message) => {
    const { folder, args } = featherImport(20_000);
    const preload = pathToFileURL(`${ROOT}/test/support/lossy-writes.mjs`).href;
    const env = { ...process.env, TIDEGATE_LOSE: JSON.stringify({ file: name, nth }) };
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', preload, 'bin/tidegate.mjs', ...args], {
      cwd: ROOT,
      encoding: 'utf8',
      env,
    });
    expect({ status, stdout, stderr }).toEqual({ status: 3, stdout: '', stderr: expect.stringMatching(message) });
    expect(existsSync(`${folder}/x`)).toBe(false);
    expect(existsSync(`${folder}/.cache`) ? readdirSync(`${folder}/.cache`) : []).toEqual([]);
  },
);

unixTest('the state file of an exchange whose disk is full has whole actions alone, and is read again', () => {
  const folder = temporaryFolder();
  const [config, state] = [`${folder}/exchange.yaml`, `${folder}/exchange.state`];
  writeFileSync(
    config,
    `name: local
dataDir: ${ROOT}/data
prices: { recording: sample, use: ticker, speed: 600 }
ports: { control: 0 }
instruments:
  BTC-USDT: { tickSize: "0.01", stepSize: "0.00001" }
accounts:
  - { name: a, balances: { spot: { USDT: "100000" } } }
`,
  );
  // The recording is unpacked once, into a file of its own, which must find room.
  const backtest = ['backtest', 'configs/market-maker.yaml', '--quiet', '--out', `${folder}/out`];
  expect(spawnSync(process.execPath, ['bin/tidegate.mjs', ...backtest], { cwd: ROOT }).status).toBe(0);
  const args = ['exchange', config, '--json', '--state', state];
  const { status, stderr } = writeAtMost(20_480, args);
  expect({ status, stderr }).toEqual({
    status: 10,
    stderr: expect.stringMatching(/^error DISK_FULL: .*exchange\.state: an action cannot be written .*make room/),
  });
  const text = readFileSync(state, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  for (const line of text.trimEnd().split('\n')) JSON.parse(line);
  // Read again, it is full at once.
  expect(writeAtMost(20_480, args)).toMatchObject({ status: 10, stderr: expect.stringMatching(/^error DISK_FULL/) });
});

test.each([
  ['its code in the message', new Error('EMFILE: too many open files, open x'), /^this process may open (\d+|unlimited|no more) files/],
  ['a cause', new Error('x cannot be opened', { cause: new Error('EMFILE: too many open files') }), /^this process/],
  ['words of a library', new Error('IO Error: Cannot open file "x": Too many open files'), /^this process/],
  ['a lack of the whole machine', new Error('ENFILE: file table overflow'), /^the machine has reached its limit of open files \(ENFILE\)/],
])('a lack of files is known by %s', (_, error, message) => {
  expect(machineTrouble(error)).toMatchObject({ code: 'TOO_MANY_FILES', message: expect.stringMatching(message) });
});

test.each([
  ['of the system', Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })],
  ['of a library', new Error('IO Error: Could not write file "x": No space left on device')],
])('the words %s mean a full disk', (_, error) => {
  expect(machineTrouble(error)).toMatchObject({
    code: 'DISK_FULL',
    message: `${error.message}: free space on that disk, or raise its limit, then try again`,
  });
});

test('other trouble is left as it is', () => {
  expect(machineTrouble(new Error('ENOENT: no such file'))).toBeUndefined();
});

test('a place that cannot be used is named with the reason and the remedy', () => {
  const folder = temporaryFolder();
  writeFileSync(`${folder}/runs`, '');
  const thrown = (act: () => unknown): unknown => {
    try {
      act();
    } catch (error) {
      return error;
    }
    return undefined;
  };
  expect(unusablePlace(thrown(() => mkdirSync(`${folder}/runs`, { recursive: true })))).toMatchObject({
    code: 'NOT_WRITABLE',
    message: `${folder}/runs: there is a file where a folder belongs (EEXIST, mkdir): make it writable, or name another place`,
  });
  expect(unusablePlace(thrown(() => writeFileSync(`${folder}/runs/x`, '')))).toMatchObject({ code: 'NOT_WRITABLE' });
  const refused = Object.assign(new Error('x'), { code: 'EACCES', path: '/runs', syscall: 'mkdir' });
  expect(unusablePlace(refused)?.message).toMatch(/^\/runs: permission denied \(EACCES, mkdir\)/);
  const noTemporaryFolder = Object.assign(new Error('x'), { code: 'ENOENT', path: '/none/x-XXXXXX', syscall: 'mkdtemp' });
  expect(unusablePlace(noTemporaryFolder)?.message).toMatch(/^\S+: the folder for temporary files does not exist .* set TMPDIR/);
  expect(unusablePlace(thrown(() => readFileSync(`${folder}/none`)))).toBeUndefined();
});

test.each([
  ['Bun', 'process.versions.bun = "1.2.3"', 'Bun 1.2.3'],
  ['Deno', 'globalThis.Deno = { version: { deno: "2.1.0" } }', 'Deno 2.1.0'],
])('%s is refused in one sentence', (_, pretend, name) => {
  const script = `Object.defineProperty(process, "versions", { value: { ...process.versions } }); ${pretend}`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(script)}`, 'bin/tidegate.mjs', '--version'];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 2, stderr: `error USAGE: not supported: ${name}; run Tidegate with Node 20.19 or newer\n` });
});

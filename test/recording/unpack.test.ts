import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { zipSync } from 'fflate';
import { lz4Pieces, type PackedBytes, TooMuch, UnpackBudget, unpackLimit, zstdPieces } from '../../src/recording/import/unpack.ts';
import { ends, long } from '../support/bounded.ts';
import { runCli } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { HEADERS, thrown, Workshop } from './builders.ts';

const MIB = 1 << 20;
const shop = new Workshop();

test('a packed file may unpack to 64 MiB, and a larger one to 200 times its size', () => {
  expect([unpackLimit(1), unpackLimit(64 * MIB)]).toEqual([64 * MIB, 12_800 * MIB]);
});

/** Some 100 MB. */
const ROWS = Buffer.from(`${HEADERS.ticker}\n${long('1735689600000,1.5\n', 100_000_000)}`);

test.each([
  ['gzip', () => gzipSync(ROWS)],
  ['zip', () => zipSync({ 'x.csv': ROWS }, { level: 1 })],
])('a %s file that unpacks to more is refused', (_, pack) => {
  const failed = thrown(() => shop.import(pack(), { kind: 'ticker' }));
  expect(failed.code).toBe('DATA_INVALID');
  expect(failed.message).toMatch(/it unpacks to more than 200 times its size and more than 64 MiB; if that is right, unpack it first/);
});

function packedBytes(bytes: Buffer): PackedBytes {
  let at = 0;
  return {
    get left() {
      return bytes.length - at;
    },
    take(count) {
      at += count;
      return bytes.subarray(at - count, at);
    },
  };
}

const unlz4 = (frame: Buffer, budget: UnpackBudget) => Buffer.concat([...lz4Pieces(packedBytes(frame), budget)]);
const unzstd = (frame: Buffer, budget: UnpackBudget) => Buffer.concat([...zstdPieces(packedBytes(frame), budget)]);

/** An LZ4 frame of one block. */
function lz4(block: readonly number[]): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(block.length);
  return Buffer.concat([Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0]), length, Buffer.from(block), Buffer.alloc(4)]);
}

/** A Zstandard frame of blocks of 128 KiB that repeat one byte, in a window of 1 MiB. */
function zstd(blocks: number): Buffer {
  const pieces = Array.from({ length: blocks }, (_, index) => {
    const head = ((128 * 1024) << 3) | (1 << 1) | (index === blocks - 1 ? 1 : 0);
    return Buffer.from([head & 255, (head >> 8) & 255, head >> 16, 97]);
  });
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 10 << 3]), ...pieces]);
}

describe('LZ4', () => {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

  test('literals and matches, which may overlap, become the bytes', () => {
    // "ab", then 4 from 2 back, then 15 + 3 + 4 from 1 back, then "z".
    expect(text(unlz4(lz4([0x20, 97, 98, 2, 0, 0x0f, 1, 0, 3, 0x10, 122]), new UnpackBudget(1)))).toBe(`ababab${'b'.repeat(22)}z`);
  });

  test.each([
    ['a match before the start', [0x10, 97, 5, 0]],
    ['a match of nothing', [0x10, 97, 0, 0]],
    ['literals beyond the end', [0xf0, 255, 255]],
    ['a length that does not end', [0x1f, 97, 1, 0, 255, 255]],
  ])('%s is refused', (_, block) => {
    expect(() => ends(() => unlz4(lz4(block), new UnpackBudget(1)))).toThrow('LZ4 data are damaged');
  });

  test('a file that becomes too long is refused', () => {
    const block = [0x1f, 97, 1, 0, ...new Array<number>(300_000).fill(255), 0];
    expect(() => ends(() => unlz4(lz4(block), new UnpackBudget(1)))).toThrow(TooMuch);
  });
});

describe('Zstandard', () => {
  test('a frame becomes its bytes', () => {
    expect(Buffer.from(unzstd(zstd(3), new UnpackBudget(1))).equals(Buffer.alloc(3 * 128 * 1024, 'a'))).toBe(true);
  });

  test('a text that becomes too long is refused', () => {
    expect(() => ends(() => unzstd(zstd(600), new UnpackBudget(1)))).toThrow(TooMuch);
  });

  test('a window that is too large is refused before there is room for it', () => {
    const frame = zstd(1);
    frame[5] = 20 << 3;
    expect(() => unzstd(frame, new UnpackBudget(1))).toThrow(TooMuch);
  });
});

describe('lines', () => {
  const refuse = (name: string, text: string) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, name), text);
    const args = ['data', 'import', name, '--symbol', 'BTC-USDT', '--kind', 'ticker', '--name', 'x'];
    return runCli(folder, args, { code: 3 });
  };

  test.each([
    ['an array', 'x.jsonl', `[${long('1,', 20_000_000)}1]\n`],
    ['a text', 'x.jsonl', `{"time":"${long('1', 20_000_000)}"}\n`],
    ['brackets', 'x.jsonl', `{"time":1735689600000,"last":"1","x":${long('[', 20_000_000)}\n`],
    ['a CSV field', 'x.csv', `time,last\n1735689600000,1\n1735689600000,${long('1', 20_000_000)}\n`],
    ['quotes', 'x.csv', `time,last\n1735689600000,1\n"${long('""', 20_000_000)}\n`],
  ])('20 MB of %s end an import', async (_, name, text) => {
    expect((await refuse(name, text)).stderr).toMatch(/a line is longer than 1 MiB|the JSON array of rows does not end/);
  });

  test.each([
    ['strings that do not end', '{"time":1735689600000,"last":"1"}\n{"time":"\\"'],
    ['brackets', '{"time":1735689600000,"last":"1"}\n{"x":['],
    ['blanks', '{"time":1735689600000,"last":"1"}\n{ '],
    ['digits', '{"time":1735689600000,"last":1'],
    ['CSV quotes', 'time,last\n1735689600000,1\n"",'],
    ['CSV digits', 'time,last\n1735689600000,1\n1735689600000,1'],
  ])('just short of the limit, of %s, end as well', async (_, start) => {
    const piece = start.slice(-2);
    const name = start.startsWith('{') ? 'x.jsonl' : 'x.csv';
    expect((await refuse(name, `${start}${long(piece, 1_000_000)}\n`)).stderr).toMatch(/^error DATA_INVALID: x\.\w+: row /);
  });
});

test('short JSON lines that are all refused are put aside one by one', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'x.jsonl'), `{"time":1735689600000,"last":"1"}\n${long('{"last":"1"}\n', 1_500_000)}`);
  const args = [
    'data',
    'import',
    'x.jsonl',
    '--symbol',
    'BTC-USDT',
    '--kind',
    'ticker',
    '--name',
    'x',
    '--quarantine',
    'bad.csv',
    '--quarantine-max',
    '100%',
  ];
  const { stderr, stdout } = await runCli(folder, args);
  expect(stdout + stderr).toMatch(/115[,.]?385/);
});

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { readBundle, writeBundle } from '../../../src/app/bundle/bundle-file.ts';
import { runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A bundle of this JSON, whose hash is right unless it is given. */
function bundleOf(content: string, sha256 = createHash('sha256').update(content).digest('hex')): Buffer {
  return gzipSync(`{"format":"tidegate-bundle","version":1,"sha256":"${sha256}","content":${content}}`);
}

/** As many of these as make some 60 MB of JSON. */
const many = (piece: string) => `[${piece.repeat(Math.floor(60e6 / piece.length))}0]`;
const keys = Array.from({ length: 2_000 }, (_, index) => `{"k${index}":0},`).join('');
const VALUES = /^error DATA_INVALID: x\.gz: has too many values for a bundle; expected at most 1,000,000 values, 64 deep\n$/;
const BYTES = /^error DATA_INVALID: x\.gz: unpacks to more than 64 MiB, the limit for a bundle of its size\n$/;

test.each<[string, () => Buffer, RegExp]>([
  ['objects', () => bundleOf(many('{},'), ''), VALUES],
  ['objects with keys', () => bundleOf(many(keys), ''), VALUES],
  ['numbers', () => bundleOf(many('0,'), ''), VALUES],
  ['lists in lists', () => bundleOf(`${'['.repeat(20e6)}${']'.repeat(20e6)}`, ''), VALUES],
  ['quotes and backslashes', () => bundleOf(many('"\\\\\\"","\\\\",'), ''), VALUES],
  ['text beyond the limit', () => bundleOf(`"${'x'.repeat(68e6)}"`, ''), BYTES],
])('a small bundle of many %s is refused in little memory', async (_, pack, said) => {
  const folder = temporaryFolder();
  writeFileSync(`${folder}/x.gz`, pack());
  const env = { NODE_OPTIONS: '--max-old-space-size=256' };
  expect((await runCli(folder, ['verify', 'x.gz', '--trust'], { code: 3, env })).stderr).toMatch(said);
});

test('a path that is no file is refused without reading it', async () => {
  const { stderr } = await runCli(temporaryFolder(), ['verify', '/dev/zero', '--trust'], { code: 3 });
  expect(stderr).toMatch(/^error DATA_NOT_FOUND: \/dev\/zero: cannot be read \(no file\)/);
});

const HASH = '0'.repeat(64);
const content = (sources: Record<string, string>, more: Record<string, string> = {}) => ({
  config: 'name: x\n',
  code: {
    version: 1 as const,
    tidegate: { version: '0', sha256: HASH },
    node: '20',
    options: { breakdowns: [], events: false },
    strategies: [],
    sources,
    data: [],
    terms: { datedTicks: [], warnings: [] },
  },
  summary: {},
  files: more,
  hashes: {},
});

test.each<[string, Record<string, string>]>([
  ['too many files', Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`${index}.ts`, '']))],
  ['a name that is too long', { [`${'a/'.repeat(500)}b.ts`]: '' }],
  ['a part of a name that is too long', { [`${'a'.repeat(201)}`]: '' }],
])('sources of %s are refused before they are unpacked', (_, sources) => {
  const path = `${temporaryFolder()}/x.gz`;
  writeFileSync(path, bundleOf(JSON.stringify(content(sources))));
  expect(() => readBundle(path)).toThrow(/code\.sources|expected a path below/);
});

test('a bundle that could not be read is not written; one just as full as it may be is read', () => {
  const folder = temporaryFolder();
  const rows = 'some text with "quotes", \\ and { [ , ] }\n'.repeat(100_000);
  const files = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`${index}.csv`, rows]));
  writeBundle(`${folder}/full.gz`, content({}, files));
  expect(readBundle(`${folder}/full.gz`).content.files).toEqual(files);
  const tables = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`${index}.csv`, 'x'.repeat(60e6)]));
  const write = (name: string, of: Record<string, string>) => () => writeBundle(`${folder}/${name}`, content({}, of));
  expect(write('large.gz', tables)).toThrow(/too large for a bundle; expected tables of at most 256 MiB in all/);
  expect(write('packed.gz', { '0.csv': 'x'.repeat(68e6) })).toThrow(/too large for a bundle; expected tables of at most 64 MiB in all/);
});

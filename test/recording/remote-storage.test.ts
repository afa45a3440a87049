import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Command } from 'commander';
import { exitCodeOf } from '../../src/app/base/exit-codes.ts';
import { addDataCommands } from '../../src/app/commands/data-commands.ts';
import { completeInstruments } from '../../src/app/config/complete-instruments.ts';
import { loadConfig, readConfig } from '../../src/app/config/load-config.ts';
import { recordedEvents } from '../../src/app/local-exchange/price-feeds.ts';
import { plannedInstruments } from '../../src/app/planning/planned-account.ts';
import { findRecording, listRecordings } from '../../src/recording/catalogue/find-recording.ts';
import { openRecording } from '../../src/recording/catalogue/open-recording.ts';
import { withDuck } from '../../src/recording/duckdb.ts';
import { openLogFolder } from '../../src/recording/log/log-record.ts';
import { ROOT, runCli } from '../support/cli.ts';
import { HEADERS, readRows, refusal, Workshop } from './builders.ts';
import { KEY, S3Stub } from './s3-stub.ts';

const shop = new Workshop();
const stub = new S3Stub(shop.dataDir);
const cache = join(shop.folder, 'cache');
const before = { ...process.env };
let endpoint = '';

beforeAll(async () => {
  endpoint = await stub.start();
});
beforeEach(() => {
  Object.assign(process.env, KEY, { AWS_ENDPOINT_URL: endpoint, TIDEGATE_CACHE_DIR: cache });
  stub.status = undefined;
});
afterEach(() => {
  for (const name of Object.keys(process.env)) if (/^(AWS|TIDEGATE)_/.test(name)) delete process.env[name];
  Object.assign(process.env, before);
});
afterAll(async () => {
  await stub.stop();
});

/** Runs `tidegate data ...` and returns the lines it prints. */
async function data(dataDir: string, ...words: string[]): Promise<string[]> {
  const lines: string[] = [];
  const program = new Command('tidegate').exitOverride();
  addDataCommands(program, (line) => lines.push(line));
  await program.parseAsync(['data', ...words, '--data-dir', dataDir], { from: 'user' });
  return lines;
}

const config = (dataDir: string, more = '') => `name: c
dataDir: ${dataDir}
account: { kind: spot, balances: { USDT: "100000" } }
instruments: { BTC-USDT: {} }
strategies: [{ id: one, file: ${join(ROOT, 'strategies/sma-cross.ts')}, symbols: [BTC-USDT], params: { quantity: "0.1" } }]
backtest: { data: [sample], to: 2025-01-02 }
${more}`;

describe('a URL in place of a data directory', () => {
  test.each([
    ['https://host/data', 'https://host/data'],
    ['gs://bucket/data', 'gs://bucket/data'],
    ['s3://', 's3://'],
    ['s3://bucket/data/*', 's3://bucket/data/*'],
    ['s3://key:word@bucket/data', 's3://bucket/data'],
    ['s3://bucket/data?s3_secret_access_key=word', 's3://bucket/data'],
  ])('%s is refused, without any secret in the message', async (url, shown) => {
    const error = await refusal(listRecordings(url));
    expect(error).toMatchObject({ code: 'USAGE', message: expect.stringContaining(`${shown}: expected a folder, or s3://bucket/prefix`) });
    expect(error.message).not.toContain('word');
    expect(exitCodeOf(error)).toBe(2);
  });

  test('is unchanged in a config, and a wrong one is reported with its line', () => {
    const { config: read, text } = loadConfig(
      shop.write('url.yaml', config('s3://bucket/data', 'report: {}').replace('{}', '{ tickSize: 1, stepSize: 1 }')),
    );
    expect(read.dataDir).toBe('s3://bucket/data');
    expect(text).toContain('dataDir: s3://bucket/data\n');
    const wrong = shop.write('wrong.yaml', config('https://host/data'));
    for (const url of ['s3://key:word@bucket/data', 's3://bucket/data?s3_secret_access_key=word']) {
      expect(() => loadConfig(shop.write('secret.yaml', config(url)))).toThrow(/^(?![\s\S]*word)[\s\S]*expected a folder/);
    }
    expect(() => loadConfig(wrong)).toThrow(/wrong\.yaml:2:10[\s\S]*dataDir[\s\S]*expected a folder, or s3:\/\/bucket\/prefix/);
  });

  test.each([
    ['import', 'x.csv', '--symbol', 'BTC-USDT', '--kind', 'ticker', '--name', 'r'],
    ['download', '--exchange', 'none', '--symbol', 'BTC/USDT', '--from', '2025-01-01'],
    ['synth', '--name', 'r'],
    ['resample', 'sample', '--symbol', 'BTC-USDT', '--to', '1h', '--name', 'r'],
    ['instruments', 'sample', '--from-ccxt', 'none'],
  ])('data %s is refused: nothing is written there', async (...words) => {
    expect(await refusal(data('s3://bucket/data', ...words))).toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(/^s3:\/\/bucket\/data: .* can be written to a folder alone/),
    });
  });

  test('nothing is recorded there', async () => {
    expect(() => openLogFolder('s3://bucket/data', 'r')).toThrow(/can be written to a folder alone/);
    const path = shop.write('r.yaml', 'name: r\ndataDir: s3://bucket/data\nrecord: { name: r, symbols: [BTC-USDT] }\n');
    const { stderr } = await runCli(shop.folder, ['record', path], { code: 2 });
    expect(stderr).toMatch(/r\.yaml:2:10[\s\S]*recordings on remote storage are read only/);
  });

  test('needs both halves of a key, and an address for an endpoint', async () => {
    delete process.env.AWS_SECRET_ACCESS_KEY;
    expect(await refusal(listRecordings(stub.url))).toMatchObject({ code: 'USAGE', message: expect.stringContaining('expected both') });
    Object.assign(process.env, KEY, { AWS_ENDPOINT_URL: 'minio:9000' });
    expect(await refusal(listRecordings(stub.url))).toMatchObject({ code: 'USAGE', message: expect.stringContaining('AWS_ENDPOINT_URL') });
  });

  test('without the extension the message explains how to get it', async () => {
    process.env.TIDEGATE_DUCKDB_EXTENSIONS = shop.folder;
    const error = await refusal(listRecordings(stub.url));
    expect(error).toMatchObject({
      code: 'DATA_UNREACHABLE',
      message: expect.stringMatching(/extension httpfs, and .*httpfs\.duckdb_extension is not there.*docs\/reference\/data\.md/),
    });
    expect(exitCodeOf(error)).toBe(3);
  });
});

/** Nothing is fetched for a test: the extension is there, or these are skipped. */
const loads = () =>
  withDuck((duck) => duck.run('LOAD httpfs')).then(
    () => true,
    () => false,
  );
const present = process.env.TIDEGATE_DUCKDB_EXTENSIONS !== undefined || (await loads());

(present ? describe : describe.skip)(
  "a catalogue on S3-like storage (skipped without DuckDB's httpfs: set TIDEGATE_DUCKDB_EXTENSIONS)",
  () => {
    beforeAll(async () => {
      cpSync(join(ROOT, 'data/sample'), join(shop.dataDir, 'sample'), { recursive: true });
      const terms = [
        { symbol: 'BTC-USDT', from: '2025-01-01', tickSize: '0.01', stepSize: '0.00001', makerFee: '0.001', takerFee: '0.001' },
      ];
      writeFileSync(join(shop.dataDir, 'sample/instruments.json'), JSON.stringify(terms));
      await keep('2025-01-01,1.25\n2025-01-01 00:01,2\n', 'small');
    });
    afterEach(() => {
      stub.asked.length = 0;
    });

    /** Prices of a one-series recording of tickers. */
    const prices = async (name: string) => {
      const [series] = (await openRecording(stub.url, name)).series;
      return series!.parts.flatMap(({ path, meta }) => readRows(path, meta).columns[0]!);
    };
    const keep = (lines: string, name: string, part?: string) =>
      shop.keep(`${HEADERS.ticker}\n${lines}`, { kind: 'ticker', name, ...(part === undefined ? { replace: true } : { part }) });

    test('gives a backtest the same run as a folder does, terms of instruments included', async () => {
      const run = async (name: string, dataDir: string) => {
        const args = ['backtest', shop.write(`${name}.yaml`, config(dataDir)), '--out', join(shop.folder, name), '--json', '--quiet'];
        return JSON.parse((await runCli(shop.folder, args)).stdout);
      };
      const local = await run('local', shop.dataDir);
      const remote = await run('remote', stub.url);
      expect(remote.fills).toBeGreaterThan(0);
      expect(remote).toMatchObject({ eventLogSha256: local.eventLogSha256, dataSha256: local.dataSha256 });
      expect(readFileSync(join(shop.folder, 'remote/config.yaml'), 'utf8')).toContain(`dataDir: ${stub.url}\n`);
      // Wherever the run left something: no secret.
      const left = readdirSync(join(shop.folder, 'remote'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      for (const { parentPath, name } of left)
        expect(readFileSync(join(parentPath, name), 'utf8')).not.toContain(KEY.AWS_SECRET_ACCESS_KEY);
    });

    test('is listed, checked, shown and exported like a folder', async () => {
      const local = await data(shop.dataDir, 'list');
      expect(await data(`${stub.url}/`, 'list')).toEqual(local.map((line) => line.replace(`${shop.dataDir}/`, `${stub.url}/`)));
      const checked = await data(shop.dataDir, 'check', 'small');
      expect((await data(stub.url, 'check', 'small')).slice(1)).toEqual(checked.slice(1));
      const what = ['small', '--symbol', 'BTC-USDT', '--kind', 'ticker', '--out'];
      await data(shop.dataDir, 'export', ...what, join(shop.folder, 'local.csv'));
      await data(stub.url, 'export', ...what, join(shop.folder, 'remote.csv'));
      expect(readFileSync(join(shop.folder, 'remote.csv'))).toEqual(readFileSync(join(shop.folder, 'local.csv')));
      const page = join(shop.folder, 'page.html');
      expect((await data(stub.url, 'show', ...what, page)).at(-1)).toBe(`page: ${page}`);
      expect(await data(stub.url, 'instruments', 'sample')).toHaveLength(2);
      expect(await refusal(data(stub.url, 'show', 'none'))).toMatchObject({
        code: 'DATA_NOT_FOUND',
        message: expect.stringContaining('sample'),
      });
    });

    test('gives a local exchange its prices', async () => {
      const read = readConfig(shop.write('terms.yaml', config(stub.url)));
      const { config: loaded } = read.check(await completeInstruments(read.value));
      expect(loaded.instruments['BTC-USDT']).toMatchObject({ tickSize: '0.01' });
      expect(await refusal(recordedEvents(stub.url, 'none', [], undefined))).toMatchObject({ code: 'DATA_NOT_FOUND' });
      const events = [...(await recordedEvents(stub.url, 'small', plannedInstruments(loaded), 'ticker'))()];
      expect(events).toMatchObject([{ last: 1.25 }, { last: 2 }]);
    });

    test('is read from the cache: of an unchanged file, only its end is downloaded', async () => {
      process.env.TIDEGATE_CACHE_DIR = join(shop.folder, 'fresh');
      const bytesOf = async () => {
        stub.asked.length = 0;
        await openRecording(stub.url, 'sample', ['ETH-USDT']);
        const ranges = stub.asked.map((line) => / bytes=(\d+)-(\d+)$/.exec(line)).filter((range) => range !== null);
        return ranges.reduce((sum, [, from, to]) => sum + Number(to) - Number(from) + 1, 0);
      };
      expect(await bytesOf()).toBeGreaterThan(400_000);
      expect(await bytesOf()).toBeLessThan(50_000);
    });

    test('a changed file is read again', async () => {
      await keep('1,1\n2,2\n', 'now');
      expect(await prices('now')).toEqual([1, 2]);

      // As long as before, at the same time of change: the file itself says that its rows are others.
      const { file } = await keep('1,1\n2,3\n', 'now');
      expect(await prices('now')).toEqual([1, 3]);
      // Damaged where it lies, with all that it says of itself as it was.
      const bytes = readFileSync(file);
      bytes.fill(0x55, 8, 40);
      writeFileSync(file, bytes);
      stub.modified = new Date(stub.modified.getTime() + 1_000);
      const url = `${stub.url}${file.slice(shop.dataDir.length)}`;
      expect(await refusal(prices('now'))).toMatchObject({ code: 'DATA_CORRUPT', message: expect.stringContaining(url) });
      writeFileSync(file, 'not Parquet at all');
      expect(await refusal(prices('now'))).toMatchObject({ code: 'DATA_CORRUPT', message: expect.stringContaining(url) });
      expect((await data(stub.url, 'list')).join('\n')).toContain(`damaged: ${url}`);
      rmSync(join(shop.dataDir, 'now'), { recursive: true });
    });

    test('has series in parts, and ignores files that do not belong to the catalogue', async () => {
      for (const day of [1, 2, 3, 4, 5, 6]) await keep(`2025-01-0${day},${day}\n`, 'parts', `2025010${day}`);
      const own = join(shop.dataDir, 'parts/BTC-USDT/ticker');
      cpSync(join(own, '20250101.parquet'), join(own, '.hidden.parquet'));
      cpSync(join(own, '20250101.parquet'), join(own, 'deeper/20250101.parquet'));
      cpSync(own, join(shop.dataDir, 'parts/BTC-USDT/bar/60s'), { recursive: true });
      cpSync(own, join(shop.dataDir, 'parts/nothing/ticker'), { recursive: true });
      expect(await prices('parts')).toEqual([1, 2, 3, 4, 5, 6]);
      const { series } = await findRecording(stub.url, 'parts');
      const local = await findRecording(shop.dataDir, 'parts');
      expect(series.map(({ files }) => files.map((file) => file.slice(stub.url.length)))).toEqual(
        local.series.map(({ files }) => files.map((file) => file.slice(shop.dataDir.length))),
      );
      rmSync(join(shop.dataDir, 'parts'), { recursive: true });
    });

    test.each<[string, () => string, string, RegExp]>([
      ['a wrong key', () => setKey({ AWS_ACCESS_KEY_ID: 'NOBODY' }), 'DATA_UNREACHABLE', /refuses access \(HTTP 403.*AWS_ACCESS_KEY_ID/],
      ['a wrong secret', () => setKey({ AWS_SECRET_ACCESS_KEY: "wrong'secret" }), 'DATA_UNREACHABLE', /refuses access \(HTTP 403/],
      ['no key', () => setKey({ AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' }), 'DATA_UNREACHABLE', /refuses access \(HTTP 403/],
      [
        'nobody at the endpoint',
        () => setKey({ AWS_ENDPOINT_URL: 'http://127.0.0.1:1' }),
        'DATA_UNREACHABLE',
        /cannot be reached.*AWS_ENDPOINT_URL/,
      ],
      ['a missing bucket', () => 's3://no-such-bucket/data', 'DATA_NOT_FOUND', /HTTP 404.*expected an existing bucket/],
      ['an empty prefix', () => `${stub.url}/none`, 'DATA_NOT_FOUND', /there is no recording; expected files <recording>/],
    ])('reports the problem of %s, and its place', async (_, url, code, message) => {
      const asked = url();
      for (const command of ['list', 'check']) {
        const error = await refusal(data(asked, command));
        expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
        expect(error.message).toContain(asked);
        expect(error.message).not.toMatch(/wrong'secret|reader\/secret|NOBODY/);
        expect(exitCodeOf(error)).toBe(3);
      }
    });

    test('distinguishes errors of the storage from damage and from a cache that cannot be written', async () => {
      stub.status = 503;
      expect(await refusal(data(stub.url, 'list'))).toMatchObject({ code: 'DATA_UNREACHABLE', retryable: true });
      stub.status = undefined;
      process.env.TIDEGATE_CACHE_DIR = shop.write('a-file', '');
      expect(await refusal(openRecording(stub.url, 'sample'))).toMatchObject({
        code: 'DATA_INVALID',
        message: expect.stringMatching(/cannot be written to .*TIDEGATE_CACHE_DIR/),
      });
    });

    function setKey(variables: Readonly<Record<string, string>>): string {
      Object.assign(process.env, variables);
      return stub.url;
    }
  },
);

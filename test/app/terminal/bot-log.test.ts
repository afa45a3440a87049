import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { botLog } from '../../../src/app/terminal/bot-log.ts';
import { BotScreen } from '../../../src/app/terminal/bot-screen.ts';
import { Credentials } from '../../../src/exchange/client/credentials.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The one line that a log writes, of a bot with this passphrase. */
function written(passphrase: string, fields: Readonly<Record<string, unknown>>, message = 'said'): Record<string, unknown> {
  const file = join(temporaryFolder('log'), 'log.jsonl');
  const credentials = new Credentials({ key: 'key-1234', secret: 's', passphrase });
  const lines: string[] = [];
  const log = botLog({
    file,
    lines: (line) => void lines.push(line),
    redact: (text) => credentials.redact(text),
    now: () => 1_795_400_000_000,
  });
  log.warn(message, fields);
  log.close();
  expect(readFileSync(file, 'utf8')).toBe(lines.join(''));
  return JSON.parse(lines.join('')) as Record<string, unknown>;
}

describe('the log of a bot', () => {
  test('hides a passphrase of digits in texts, and does not change times and numbers', () => {
    const line = written('17954001', { count: 917_954_001, reply: 'refused: 17954001', many: ['a17954001b'] }, 'told 17954001');
    expect(line).toMatchObject({ at: 1_795_400_000_000, count: 917_954_001, reply: 'refused: ***', many: ['a***b'], msg: 'told ***' });
  });

  test('whose file cannot be opened ends the bot with an error that names it', () => {
    const file = temporaryFolder('log');
    expect(() => botLog({ file, redact: (text) => text, now: () => 0 })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(`the log ${file} cannot be opened: EISDIR`) }),
    );
  });

  test('hides it where JSON writes it with escapes, and in names', () => {
    expect(written('say "so"\\', { reply: 'x say "so"\\', 'say "so"\\': 1 })).toMatchObject({ reply: 'x ***', '***': 1 });
  });

  test.each(['level', 'time'])('can be read though the passphrase is %s, which is too short to be searched for', (passphrase) => {
    expect(written(passphrase, { reply: passphrase })).toMatchObject({
      level: 40,
      time: expect.any(Number),
      reply: passphrase,
      msg: 'said',
    });
  });
});

test('a reopened log continues in a new file of its name, or in the old one if that fails', () => {
  const folder = temporaryFolder('log');
  const file = join(folder, 'log.jsonl');
  const log = botLog({ file, redact: (text) => text, now: () => 0 });
  const said = (path: string) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { msg: string }).msg);
  log.info('one');
  renameSync(file, `${file}.1`);
  log.info('two');
  log.reopen();
  log.info('three');
  expect([said(`${file}.1`), said(file)]).toEqual([
    ['one', 'two'],
    ['the log file was reopened', 'three'],
  ]);
  renameSync(file, `${file}.2`);
  mkdirSync(file);
  log.reopen();
  log.info('four');
  log.close();
  expect(said(`${file}.2`).slice(2)).toEqual(['the log file could not be reopened: the bot continues to write the old one', 'four']);
});

describe('the screen of a bot', () => {
  const shown: string[] = [];
  const terminal = process.stdout.isTTY;
  afterEach(() => {
    jest.restoreAllMocks();
    process.stdout.isTTY = terminal;
  });

  test.each([
    '{"level":30,"time":***1216318}\n',
    'no JSON at all\n',
    '{"level":30,"at":"entry","msg":"of a strategy"}\n',
    '{"level":30,"at":1e300,"msg":"of no date"}\n',
    'null\n',
  ])('prints other lines than those of the log unchanged, on a terminal and off it: %s', (line) => {
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => shown.push(String(text)) > 0);
    process.stdout.isTTY = true;
    new BotScreen({}).line(line);
    new BotScreen({ json: true }).line(line);
    expect(shown.splice(0)).toEqual([line, line]);
  });
});

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, expect, test } from '@jest/globals';
import { CommandFiles } from '../../../../src/app/live/process/command-files.ts';
import { newCommandId, writeCommandFile } from '../../../../src/app/live/process/filed-command.ts';
import { botFolder } from '../../../../src/app/planning/bot-folder.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const open: CommandFiles[] = [];
afterEach(() => {
  for (const files of open.splice(0)) files.close();
});

function bot() {
  const folder = botFolder(temporaryFolder('files'), 'mine', 'live');
  mkdirSync(folder.path);
  const obeyed: string[] = [];
  const can = { store: true };
  const files = new CommandFiles(folder, {
    stop: (why) => obeyed.push(`stop ${why}`),
    reduce: (reason, strategy = 'all') => {
      if (can.store) obeyed.push(`reduce ${strategy} ${reason}`);
      return can.store;
    },
  });
  open.push(files);
  return { folder, obeyed, files, can };
}

test('reduces of several strategies that were written while the bot did not answer are all obeyed, once', () => {
  const { folder, obeyed, files } = bot();
  for (const strategy of ['a', 'b']) writeCommandFile(folder, { command: 'reduce', id: newCommandId(), reason: 'news', strategy });
  files.look();
  files.look();
  expect([obeyed, existsSync(folder.reduceFile)]).toEqual([['reduce a news', 'reduce b news'], false]);
});

test('a command that came over the socket before its file was read is not obeyed twice, and its file goes', () => {
  const { folder, obeyed, files } = bot();
  expect(files.isNew('7')).toBe(true);
  writeCommandFile(folder, { command: 'stop', id: '7' });
  files.look();
  expect([obeyed, existsSync(folder.stopFile)]).toEqual([[], false]);
  writeCommandFile(folder, { command: 'stop', id: '8' });
  files.look();
  expect(obeyed).toEqual(['stop by command']);
});

test('empty files of a person have the effect of the commands without options', () => {
  const { folder, obeyed, files } = bot();
  writeFileSync(folder.reduceFile, '');
  writeFileSync(folder.stopFile, '\n');
  files.look();
  expect(obeyed).toEqual([`reduce all the file ${folder.reduceFile}`, `stop the file ${folder.stopFile}`]);
});

test('a reduce that cannot be stored stays in its file', () => {
  const { folder, obeyed, files, can } = bot();
  can.store = false;
  writeFileSync(folder.reduceFile, '');
  files.look();
  expect(existsSync(folder.reduceFile)).toBe(true);
  can.store = true;
  files.look();
  expect([obeyed.length, existsSync(folder.reduceFile)]).toEqual([1, false]);
});

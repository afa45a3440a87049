import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { commandDataFolder, namingFolders, nearestDataFolder } from '../../../src/app/config/reading/data-folder.ts';
import { TidegateError } from '../../../src/model/errors.ts';
import { ROOT } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let project: string;
beforeEach(() => {
  project = temporaryFolder();
  mkdirSync(join(project, 'bots/mine'), { recursive: true });
});

const record = (...folder: string[]) =>
  cpSync(join(ROOT, 'data/sample/ETH-USDT'), join(project, ...folder, 'sample/ETH-USDT'), { recursive: true });
const found = (writes: boolean) => commandDataFolder(join(project, 'bots/mine'), writes).folder;

test('a command finds the same folder as a config in the working directory: the nearest one with a recording', () => {
  record('data');
  mkdirSync(join(project, 'bots/data'));
  expect(found(false)).toBe('../../data');
  expect(nearestDataFolder(join(project, 'bots/mine'))).toBe(join(project, 'data'));
  record('bots/data');
  expect([found(false), found(true)]).toEqual(['../data', '../data']);
});

test('a command that writes uses a folder data of the working directory, and without any recording both use it', () => {
  expect([found(false), found(true)]).toEqual(['data', 'data']);
  record('data');
  mkdirSync(join(project, 'bots/mine/data'));
  expect([found(false), found(true)]).toEqual(['../../data', 'data']);
});

test('an error about a recording names the folders that were searched', () => {
  const { searched } = commandDataFolder(join(project, 'bots/mine'), false);
  expect(searched.slice(0, 3)).toEqual([join(project, 'bots/mine/data'), join(project, 'bots/data'), join(project, 'data')]);
  const name = namingFolders(searched, '--data-dir');
  const missing = new TidegateError('DATA_NOT_FOUND', 'no recording "x": looked in data/x');
  expect(() => name(missing)).toThrow(
    `looked in data/x; --data-dir is not set, so the nearest folder with recordings was looked for: ${searched.join(', ')}`,
  );
  expect(() => namingFolders([], '--data-dir')(missing)).toThrow(/looked in data\/x$/);
  expect(() => name(new Error('another'))).toThrow(/^another$/);
});

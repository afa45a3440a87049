import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Workspace, workspace } from './workspace.ts';

let work: Workspace;

beforeAll(async () => {
  work = workspace();
  await work.backtest();
});

test('report writes the same page again, byte for byte, and changes nothing else', async () => {
  const page = work.read('out/report.html');
  const file = work.read('out/report.json');
  rmSync(work.path('out/report.html'));
  const { stdout } = await work.run(['report', 'out']);
  expect(stdout).toBe('Report: out/report.html\n');
  expect(work.read('out/report.html')).toBe(page);
  expect(work.read('out/report.json')).toBe(file);
});

test('it needs nothing of the run but its report.json', async () => {
  mkdirSync(work.path('alone'));
  copyFileSync(work.path('out/report.json'), work.path('alone/report.json'));
  const { stdout } = await work.run(['report', 'alone', '--json']);
  expect(JSON.parse(stdout)).toEqual({ report: 'alone/report.html' });
  expect(work.read('alone/report.html')).toBe(work.read('out/report.html'));
});

describe('a folder that is no run is refused with exit code 3', () => {
  test.each([
    ['a folder that is not there', undefined, /^error DATA_NOT_FOUND: bad is not a folder; expected the folder of a run/],
    ['a folder without report.json', '', /^error DATA_NOT_FOUND: bad\/report\.json does not exist; expected the folder of a backtest/],
    ['a report that was cut off', 'half', /^error DATA_CORRUPT: bad\/report\.json: cannot be read to its end/],
    ['a report of another version', 'version', /^error DATA_INVALID: bad\/report\.json: is of version 99, this Tidegate reads version 1/],
  ])('%s', async (_, content, message) => {
    rmSync(work.path('bad'), { recursive: true, force: true });
    if (content !== undefined) mkdirSync(work.path('bad'));
    const whole = work.read('out/report.json');
    if (content === 'half') writeFileSync(work.path('bad/report.json'), whole.slice(0, whole.length / 2));
    if (content === 'version') writeFileSync(work.path('bad/report.json'), whole.replace('"version":1', '"version":99'));
    const { stdout, stderr } = await work.run(['report', 'bad'], { code: 3 });
    expect(stderr).toMatch(message);
    expect(stdout).toBe('');
    expect(work.has('bad/report.html')).toBe(false);
  });
});

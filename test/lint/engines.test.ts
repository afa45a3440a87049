import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly engines?: { readonly node?: string }; readonly dev?: boolean; readonly peer?: boolean }>
  >;
}

const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as Lock;
const own = lock.packages['']!.engines!.node!;
const [major, minor] = own.match(/\d+/g)!.map(Number) as [number, number];

/** Whether the least Node of this project lies in a range of npm's; patch numbers do not count. */
function allows(range: string): boolean {
  return range.split('||').some((alternative) =>
    [...alternative.matchAll(/(\^|>=)?\s*(\d+)(?:\.(\d+))?[\d.*x]*/g)].every(([, sign, first, second = '0']) => {
      const later = major === Number(first) ? minor >= Number(second) : major > Number(first);
      return sign === '>=' ? later : major === Number(first) && later;
    }),
  );
}

test('every package runs on the Node that this project promises to run on', () => {
  const beyond = Object.entries(lock.packages).filter(([, { engines }]) => engines?.node !== undefined && !allows(engines.node));
  expect(beyond.map(([name, { engines }]) => `${name}: ${engines!.node}`)).toEqual([]);
  expect(allows('>=22')).toBe(false);
  expect(allows('^20.20.0 || >=22.12')).toBe(false);
});

test('no package that is installed with this one needs an override: overrides do not travel', () => {
  const { overrides } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { overrides: object };
  const shipped = Object.entries(lock.packages)
    .filter(([, { dev, peer }]) => dev !== true && peer !== true)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect(shipped).toContain('pino');
  expect(shipped.filter((name) => name in overrides)).toEqual([]);
});

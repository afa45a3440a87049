import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../support/cli.ts';

// In Node itself: jest has a `require` of its own.
const SCRIPT = `const tidegate = require('tidegate');
const { Strategy, place, z, map } = tidegate;
class Mine extends Strategy { static params = z.object({ size: z.string() }); }
const rxjs = Object.keys(require('rxjs')).filter((name) => name !== 'module.exports');
console.log(JSON.stringify({
  kind: place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: '1' }).kind,
  base: Object.getPrototypeOf(Mine) === Strategy,
  map: typeof map,
  missing: rxjs.filter((name) => !(name in tidegate)),
  loose: typeof require('./dist/index.js').Strategy,
}));`;

test('`require` of the built package gives the names of tidegate and all names of rxjs', () => {
  const printed = execFileSync(process.execPath, ['--no-warnings', '-e', SCRIPT], { cwd: ROOT, encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual({ kind: 'place', base: true, map: 'function', missing: [], loose: 'function' });
});

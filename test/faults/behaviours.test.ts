import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ExchangeConfigSchema, exchangeOptions } from '../../src/app/local-exchange/exchange-config.ts';
import { BEHAVIOUR, type Behaviour } from '../../src/local-exchange/behaviour.ts';
import { ROOT } from '../support/cli.ts';
import { BEHAVIOURS } from './drive.ts';

/** Of operations that no bot calls. */
const NOT_DRAWN = ['withdrawalMs', 'commissionRate'];
const names = (Object.keys(BEHAVIOUR) as (keyof Behaviour)[]).filter((name) => !NOT_DRAWN.includes(name));

test('seeds draw every behaviour, its default first', () => {
  expect(Object.keys(BEHAVIOURS).sort()).toEqual([...names].sort());
  for (const name of names) expect([name, BEHAVIOURS[name]?.[0]]).toEqual([name, BEHAVIOUR[name]]);
});

test('the docs list every behaviour that seeds draw', () => {
  const page = readFileSync(join(ROOT, 'docs/reference/local-exchange.md'), 'utf8')
    .split('\n## What no document settles')[1]!
    .split('\n## Where prices come from')[0]!;
  const listed = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual([...names].sort());
});

test.each(names.flatMap((name) => BEHAVIOURS[name]!.map((value) => [name, value] as const)))('a config sets %s to %p', (name, value) => {
  // Left out, fees are not rounded.
  if (name === 'feePlaces' && value === -1) return;
  const account = { name: 'bot', balances: { spot: { USDT: '1' } } };
  const instruments = { 'BTC-USDT': { tickSize: '0.01', stepSize: '0.01' } };
  const config = ExchangeConfigSchema.parse({ name: 'x', accounts: [account], instruments, behaviour: { [name]: value } });
  expect(exchangeOptions(config).behaviour).toEqual({ [name]: value });
});

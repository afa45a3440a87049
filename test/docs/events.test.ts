import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../support/cli.ts';

const source = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const PAGE = source('docs/reference/events.md');
const LOG = source('src/journal/event-log.ts');
/** Functions of the log that write several fields, with what they write. */
const FIELDS_OF: Readonly<Record<string, readonly string[]>> = {
  directionText: ['side', 'positionSide'],
  positionText: ['positionSide'],
  typeText: ['type', 'sent', 'timeInForce'],
  tagText: ['tag'],
  refText: ['ref'],
  groupText: ['group'],
  replacesText: ['replaces'],
  fillText: ['liquidity', 'complete'],
  triggerText: ['trigger', 'fromNextBar'],
  strategyText: ['strategy'],
  symbolText: ['symbol'],
  gridText: ['grid'],
};
const LATCH = ['rule', 'strategy', 'symbol', 'reason', 'flatten', 'drawdown', 'count', 'limit', 'until'];

/** The kinds that the log writes, each with its fields. */
function writtenKinds(): Map<string, Set<string>> {
  const body = LOG.slice(LOG.indexOf('function writeEvent('), LOG.indexOf('function latchText'));
  const kinds = new Map<string, Set<string>>();
  let open: string[] = [];
  for (const part of body.split(/(?=^ {4}case ')/m).slice(1)) {
    open.push(/case '(\w+)'/.exec(part)![1]!);
    if (!part.includes('return')) continue;
    const plain = [...part.matchAll(/"(\w+)":/g)].map(([, name]) => name!);
    const called = [...part.matchAll(/(\w+Text)\(/g)].flatMap(([, name]) => (name === 'latchText' ? LATCH : (FIELDS_OF[name!] ?? [])));
    for (const kind of open) kinds.set(kind, new Set([...plain, ...called].filter((name) => name !== 'clientOrderId')));
    open = [];
  }
  return kinds;
}

/** The rows of the page's tables, by the kind in their first cell; `column` has the fields. */
function describedKinds(heading: string, until: string, column: number): Map<string, Set<string>> {
  const part = PAGE.slice(PAGE.indexOf(`\n## ${heading}\n`), until === '' ? undefined : PAGE.indexOf(`\n## ${until}\n`));
  return new Map(
    [...part.matchAll(/^\| `\w+` \|.*$/gm)].map(([line]) => {
      const cells = line.split('|');
      return [/\w+/.exec(cells[1]!)![0], new Set([...(cells[column] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name!))];
    }),
  );
}

test('docs/reference/events.md has every kind of the event log with its fields', () => {
  const described = describedKinds('The event log', 'The journal', 3);
  described.delete('intent');
  const written = writtenKinds();
  expect(written.size).toBeGreaterThan(20);
  expect(described).toEqual(written);
});

test('every kind of account event is one that the log writes', () => {
  const model = source('src/model/account-events.ts') + source('src/model/signal.ts');
  const kinds = [...model.matchAll(/readonly kind: '(\w+)'/g)].map(([, kind]) => kind!);
  expect([...writtenKinds().keys()].sort()).toEqual(kinds.sort());
});

test('docs/reference/events.md has every kind of intent and of journal record', () => {
  const intents = [...source('src/model/intents.ts').matchAll(/readonly kind: '(\w+)'/g)].map(([, kind]) => kind!);
  const named = /`intent\.kind` is one of (.*)\./
    .exec(PAGE)![1]!
    .split(', ')
    .map((name) => name.replaceAll('`', ''));
  expect(named.sort()).toEqual(intents.sort());
  const values = /export interface JournalValues \{([\s\S]*?)\n\}/.exec(source('src/journal/journal-record.ts'))![1]!;
  const kinds = [...values.matchAll(/^ {2}(\w+):/gm)].map(([, kind]) => kind!);
  expect([...describedKinds('The journal', '', 2).keys()]).toEqual(kinds);
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { operationRows, parseArguments } from '../../src/app/access/call-operation.ts';
import { BUDGET_DEFAULTS } from '../../src/exchange/client/weight-budget.ts';
import { type CodeRow, EXCHANGE_CODES, OUTCOME_TABLE } from '../../src/exchange/errors.ts';
import type { Operation } from '../../src/exchange/operations/operation-table.ts';
import { OPERATIONS } from '../../src/exchange/operations/operations.ts';
import { ROOT } from '../support/cli.ts';

const FILE = join(ROOT, 'docs/reference/exchange-operations.md');

function table([head, ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head!), `|${'---|'.repeat(head!.length)}`, ...rows.map(line)].join('\n');
}

const TABLES: Readonly<Record<string, string>> = {
  operations: table(operationRows()),
  outcomes: table([
    ['cause', 'code', 'a read', 'one', 'several', 'may pass'],
    ...OUTCOME_TABLE.map(({ cause, code, read, one, several, passing }) => [
      `\`${cause}\``,
      `\`${code}\``,
      read,
      one,
      several,
      passing ? 'yes' : 'no',
    ]),
  ]),
  codes: table([
    ['code', 'meaning', 'HTTP', 'cause'],
    ...Object.entries<CodeRow>(EXCHANGE_CODES).map(([code, { meaning, status, category }]) => [
      code,
      meaning,
      `${status}`,
      `\`${category}\``,
    ]),
  ]),
};

/** The document with its tables as the code has them; `RENEW_GOLDEN=1` writes it. */
function renewed(text: string): string {
  return Object.entries(TABLES).reduce(
    (all, [name, rows]) =>
      all.replace(
        new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- end of ${name} -->)`),
        (_, start: string, end: string) => `${start}${rows}\n${end}`,
      ),
    text,
  );
}

test('the tables of docs/reference/exchange-operations.md are those of the code', () => {
  const text = readFileSync(FILE, 'utf8');
  if (process.env.RENEW_GOLDEN === '1') writeFileSync(FILE, renewed(text));
  expect(readFileSync(FILE, 'utf8')).toBe(renewed(text));
});

test('the shares are those of the budget', () => {
  const rows = [...readFileSync(FILE, 'utf8').matchAll(/^\| `(\w+)` \| (\d+) % \|$/gm)].map(([, name, share]) => [
    name,
    Number(share) / 100,
  ]);
  expect(rows).toEqual(Object.entries(BUDGET_DEFAULTS.shares));
});

test('every call of the document is one that the command takes', () => {
  const calls = [...readFileSync(FILE, 'utf8').matchAll(/^npx tidegate api (\w+) (.*)$/gm)];
  expect(calls.length).toBeGreaterThanOrEqual(4);
  for (const [, name, rest] of calls) {
    const operation: Operation = OPERATIONS[name as keyof typeof OPERATIONS];
    const given = [...rest!.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
    const parameters = given.slice(
      0,
      given.findIndex((word) => word.startsWith('--')),
    );
    expect(Object.keys(parseArguments(operation, rest!.includes('--') ? parameters : given)).length).toBeGreaterThan(0);
  }
});

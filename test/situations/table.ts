import { CELLS, type Cell, COMMANDS, type CommandName, SITUATIONS, type Situation } from './list.ts';
import { type Expected, expected, type Left } from './rules.ts';

/** The table of the documentation, as Markdown: a row for each situation, a column for each command. */
export function tableText(): string {
  const head = ['situation', 'what ends it', ...COMMANDS.map((command) => (command.startsWith('watchdog') ? command : `\`${command}\``))];
  const rows = SITUATIONS.map((situation: Cell['situation']) => [
    titleIn(situation),
    situation.goesOn ?? '',
    ...COMMANDS.map((command) => cellText(situation, command)),
  ]);
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |')).join('\n');
}

/** The number of cells, as the documentation names it. */
export function countText(): string {
  return `${CELLS.length} cells`;
}

function titleIn({ title, markets }: Situation): string {
  return markets === undefined ? title : `${title} (${markets.join()} only)`;
}

function cellText(situation: Cell['situation'], command: CommandName): string {
  const cell = { situation, command, market: 'spot' as const };
  const right = expected(cell);
  const before: Left = { position: 'open', orders: situation.orders };
  const parts = [leftText(right.left, before), ...(right.later === undefined ? [] : laterText(right, before))];
  return `${right.code === undefined ? '' : `${right.code}: `}${parts.join('; ')}`;
}

function laterText({ left, later }: Expected, before: Left): string[] {
  return later === undefined || sameLeft(left, later) ? [] : [`then ${leftText(later, before)}`];
}

function leftText(left: Left, before: Left): string {
  if (sameLeft(left, before)) return 'as before';
  if (left.position === 'closed') return left.orders === 'none' ? 'closed, no orders' : 'closed, orders as before';
  return left.orders === 'none' ? 'no orders' : `${left.orders} only`;
}

/** Whether two states at the exchange are equal. */
export function sameLeft(one: Left, other: Left): boolean {
  return one.position === other.position && one.orders === other.orders;
}

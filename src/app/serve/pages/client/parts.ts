import { type ComponentChild, type ComponentChildren, createContext, h } from 'preact';
import { useContext } from 'preact/hooks';
import type { Role } from '../../api/access-schemas.ts';
import type { BotRow } from '../../api/bot-schemas.ts';
import type { ApiError } from './api.ts';
import { change, clock, dateTime, duration, money, type Zone } from './format.ts';

/** The surroundings of every part of a page. */
export interface Surroundings {
  readonly zone: Zone;
  /** The time on the server's clock; it goes on each second. */
  readonly now: number;
  readonly role: Role | null;
  /** The colours are those of the dark theme. */
  readonly dark: boolean;
}

export const Surrounding = createContext<Surroundings>({ zone: 'UTC', now: 0, role: null, dark: false });

export function useSurroundings(): Surroundings {
  return useContext(Surrounding);
}

/** Figures of this age are marked with it, in ms. */
export const OLD_MS = 15_000;

/** An amount with all its digits under the pointer; sums are made of those. */
export function amount(text: string): ComponentChild {
  return h('data', { value: text, title: text }, money(text));
}

/** The same for a profit: with its sign, and a colour. */
export function profit(text: string): ComponentChild {
  const value = Number(text);
  return h('data', { value: text, title: text, class: value > 0 ? 'gain' : value < 0 ? 'loss' : '' }, change(text));
}

/** A moment: its age, and the time under the pointer. */
export function Ago({ time }: { readonly time: number | null }): ComponentChild {
  const { now, zone } = useSurroundings();
  if (time === null) return h('span', { class: 'muted' }, 'never');
  return h('time', { dateTime: new Date(time).toISOString(), title: dateTime(time, zone) }, `${duration(Math.max(0, now - time))} ago`);
}

/** A moment as date and time in the zone of the page. */
export function At({ time, only }: { readonly time: number; readonly only?: 'clock' }): ComponentChild {
  const { zone } = useSurroundings();
  return h(
    'time',
    { dateTime: new Date(time).toISOString(), title: dateTime(time, zone) },
    only === 'clock' ? clock(time, zone) : dateTime(time, zone),
  );
}

/** The states by what they mean for an operator. A sign and the word show the same as the colour. */
const MOODS = {
  good: { sign: '●', states: ['trading', 'ready'] },
  wait: { sign: '◐', states: ['starting', 'stopping'] },
  warn: { sign: '▲', states: ['partly halted', 'stale', 'halted', 'latched'] },
  bad: { sign: '■', states: ['crashed', 'unreachable', 'unreadable'] },
  off: { sign: '○', states: ['stopped', 'never started'] },
} as const satisfies Record<string, { readonly sign: string; readonly states: readonly BotRow['state'][] }>;

type Listed = (typeof MOODS)[keyof typeof MOODS]['states'][number];
/** Fails to compile if a state has no mood. */
null as unknown as BotRow['state'] satisfies Listed;

export function State({ state, proof }: Pick<BotRow, 'state' | 'proof'>): ComponentChild {
  const [mood, { sign }] = Object.entries(MOODS).find(([, { states }]) => (states as readonly string[]).includes(state))!;
  return h('span', { class: `state ${mood}`, title: proof }, h('i', { 'aria-hidden': 'true' }, sign), state);
}

export function Mode({ mode }: Pick<BotRow, 'mode'>): ComponentChild {
  return mode === null ? h('span', { class: 'muted' }, '?') : h('span', { class: `mode ${mode}` }, mode);
}

interface SectionProps {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function Section({ title, note, children }: SectionProps): ComponentChild {
  const id = `s-${title.toLowerCase().replace(/[^a-z]+/g, '-')}`;
  return h(
    'section',
    { 'aria-labelledby': id },
    h('div', { class: 'section-head' }, h('h2', { id }, title), note !== undefined && h('p', { class: 'note' }, note)),
    children,
  );
}

/** A figure with its name. */
export function Tile({
  label,
  children,
  note,
}: {
  readonly label: string;
  readonly children?: ComponentChildren;
  readonly note?: ComponentChildren;
}): ComponentChild {
  return h('div', { class: 'tile' }, h('dt', null, label), h('dd', null, children, note !== undefined && h('small', null, note)));
}

/** In place of, or above, what could not be read. */
export function Trouble({ problem, what }: { readonly problem: ApiError; readonly what: string }): ComponentChild {
  if (problem.code === 'NOT_FOUND') return h('p', { class: 'empty' }, `${what}: not available at this server.`);
  return h('p', { class: 'trouble', role: 'status' }, `${what}: ${problem.message} (${problem.code}).`);
}

export function Empty({ children }: { readonly children: ComponentChildren }): ComponentChild {
  return h('p', { class: 'empty' }, children);
}

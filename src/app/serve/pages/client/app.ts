import { type ComponentChild, Fragment, h } from 'preact';
import { useEffect, useReducer, useState } from 'preact/hooks';
import type { Session } from '../../api/access-schemas.ts';
import type { Fleet } from '../../api/bot-schemas.ts';
import { call, onLostSession } from './api.ts';
import { Bot } from './bot.ts';
import { clock, duration, type Zone, zoneName } from './format.ts';
import { Data, Runs, Studies } from './lists.ts';
import { follow, merged } from './live.ts';
import { Login } from './login.ts';
import { Overview } from './overview.ts';
import { Empty, Surrounding } from './parts.ts';
import { keep, onTheme, read, switchTheme, theme } from './theme.ts';

/** The page's knowledge of the server. */
export interface Seen {
  readonly fleet?: Fleet;
  /** The server's clock is ahead of the browser's by so much, in ms. */
  readonly aheadMs: number;
  /** Since when nothing comes from the server, on its clock, and why. The fleet is as it was then. */
  readonly lost?: { readonly since: number; readonly why: 'connection' | 'session' };
}

const ZONE = 'tidegate-zone';
const SECOND_MS = 1_000;
/** A session is renewed while a page is open. */
const RENEW_MS = 300_000;

export function App(): ComponentChild {
  const [session, setSession] = useState<Session | 'unreachable'>();
  const [seen, setSeen] = useState<Seen>({ aheadMs: 0 });
  const [zone, setZone] = useState<Zone>(read(ZONE) === 'local' ? 'local' : 'UTC');
  const [route, setRoute] = useState(location.hash);
  const [now, tick] = useReducer(() => Date.now(), Date.now());
  const isIn = typeof session === 'object' && session.role !== null;
  const lost = (why: 'connection' | 'session') =>
    setSeen((before) => ({ ...before, lost: { since: before.lost?.since ?? Date.now() + before.aheadMs, why } }));

  useEffect(() => {
    const ask = () =>
      call('session', 'api/session').then(
        (found) => {
          // A page whose session has ended keeps what it shows.
          setSession((before) => (typeof before === 'object' && before.role !== null && found.role === null ? before : found));
        },
        () => setSession((before) => before ?? 'unreachable'),
      );
    void ask();
    const timers = [setInterval(tick, SECOND_MS), setInterval(ask, RENEW_MS)];
    const onHash = () => {
      setRoute(location.hash);
      document.getElementById('main')?.focus();
    };
    window.addEventListener('hashchange', onHash);
    const ends = [onTheme(() => tick(undefined)), onLostSession(() => lost('session'))];
    return () => {
      timers.forEach(clearInterval);
      window.removeEventListener('hashchange', onHash);
      for (const end of ends) end();
    };
  }, []);

  const isFollowing = isIn && seen.lost?.why !== 'session';
  useEffect(() => {
    if (!isFollowing) return;
    const take = (next: (fleet: Fleet | undefined) => Fleet | undefined, time: number) =>
      setSeen(({ fleet: before }) => {
        const fleet = next(before);
        return { aheadMs: time - Date.now(), ...(fleet !== undefined && { fleet }) };
      });
    return follow({
      fleet: (fleet) => take(() => fleet, fleet.time),
      change: (change) => take((before) => before && merged(before, change), change.time),
      lost,
    });
  }, [isFollowing]);

  const switchZone = () => {
    const next: Zone = zone === 'UTC' ? 'local' : 'UTC';
    keep(ZONE, next === 'UTC' ? undefined : next);
    setZone(next);
  };
  const logout = async () => {
    await call('logout', 'api/session', { method: 'DELETE' }).catch(() => {});
    location.reload();
  };
  const login = (next: Session) => {
    setSession(next);
    setSeen(({ lost: _, ...rest }) => rest);
  };
  const role = isIn ? (session as Session).role : null;
  const surroundings = { zone, now: now + seen.aheadMs, role, dark: theme() === 'dark' };
  return h(
    Surrounding.Provider,
    { value: surroundings },
    h(Frame, { ...{ route, seen, role, onZone: switchZone, onTheme: switchTheme, onLogout: logout } }, [
      h(Lost, { seen, onLogin: login }),
      isIn ? h(Page, { route, seen }) : h(Outside, { session, onLogin: login }),
    ]),
  );
}

const PAGES = [
  ['#/', 'Bots'],
  ['#/runs', 'Runs'],
  ['#/studies', 'Studies'],
  ['#/data', 'Data'],
] as const;

interface FrameProps {
  readonly route: string;
  readonly seen: Seen;
  readonly role: Session['role'];
  readonly onZone: () => void;
  readonly onTheme: () => void;
  readonly onLogout: () => void;
  readonly children?: unknown;
}

/** The head of every page, around its content. */
export function Frame({ route, seen, role, onZone, onTheme, onLogout, children }: FrameProps): ComponentChild {
  const isAt = (href: string) => (href === '#/' ? /^(#\/?)?$|^#\/bots/.test(route) : route.startsWith(href));
  return h(
    Fragment,
    null,
    h('a', { class: 'skip', href: '#main', onClick: skip }, 'Skip to the content'),
    h(
      'header',
      null,
      h('a', { class: 'brand', href: '#/' }, 'Tidegate'),
      role !== null &&
        h(
          'nav',
          { 'aria-label': 'Pages' },
          PAGES.map(([href, text]) => h('a', { key: href, href, 'aria-current': isAt(href) ? 'page' : undefined }, text)),
        ),
      h(
        'div',
        { class: 'switches' },
        role !== null && h(Pulse, { seen }),
        h(Surrounding.Consumer, {
          children: ({ zone }) =>
            h('button', { type: 'button', onClick: onZone, title: 'Time zone of all times on these pages' }, `Times: ${zoneName(zone)}`),
        }),
        h(Surrounding.Consumer, { children: ({ dark }) => h('button', { type: 'button', onClick: onTheme }, dark ? 'Light' : 'Dark') }),
        role !== null &&
          h(
            'button',
            { type: 'button', onClick: onLogout, title: `Logged in as ${role}` },
            'Log out',
            h('span', { class: 'of-desk' }, ` ${role}`),
          ),
      ),
    ),
    h('main', { id: 'main', tabIndex: -1 }, children as ComponentChild),
    h('footer', null, h('a', { href: 'emergency' }, 'Emergency page'), ': stop, kill and flatten without a script.'),
  );
}

/** The address stays that of the page: its fragment is the page. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

/** Whether the page is live, and of when its figures are. */
function Pulse({ seen: { fleet, lost } }: { readonly seen: Seen }): ComponentChild {
  return h(Surrounding.Consumer, {
    children: ({ zone }) => {
      if (lost !== undefined) return h('span', { class: 'state bad' }, h('i', { 'aria-hidden': 'true' }, '■'), 'not live');
      if (fleet === undefined) return h('span', { class: 'state wait' }, h('i', { 'aria-hidden': 'true' }, '◐'), 'connecting');
      return h(
        'span',
        { class: 'state good', title: 'Time of the newest figures' },
        h('i', { 'aria-hidden': 'true' }, '●'),
        `live ${clock(fleet.time, zone)}`,
      );
    },
  });
}

/** Says that the page is no longer live. The list stays: it says which bots there are. */
export function Lost({
  seen: { lost, fleet },
  onLogin,
}: {
  readonly seen: Seen;
  readonly onLogin: (session: Session) => void;
}): ComponentChild {
  return h(Surrounding.Consumer, {
    children: ({ zone, now }) => {
      if (lost === undefined) return null;
      const since = `${clock(lost.since, zone)} ${zoneName(zone)} (${duration(now - lost.since)})`;
      const kept = fleet === undefined ? '' : ` The figures below are of ${clock(fleet.time, zone)}. Bots run on without this page.`;
      if (lost.why === 'connection')
        return h(
          'div',
          { class: 'banner', role: 'alert' },
          h('b', null, `Connection lost since ${since}.`),
          `${kept} It is tried again every 2 s.`,
        );
      return h(
        'div',
        { class: 'banner', role: 'alert' },
        h('b', null, `The session has ended; nothing new since ${since}.`),
        kept,
        h(Login, { onLogin }),
      );
    },
  });
}

function Outside({
  session,
  onLogin,
}: {
  readonly session: Session | 'unreachable' | undefined;
  readonly onLogin: (session: Session) => void;
}): ComponentChild {
  if (session === undefined) return h(Empty, null, 'One moment …');
  if (session === 'unreachable')
    return h('p', { class: 'trouble', role: 'alert' }, 'The server does not answer. Bots run on without it. Load this page again later.');
  return h('section', { class: 'outside' }, h('h1', null, 'Log in'), h(Login, { onLogin }));
}

/** The page of an address. */
export function Page({ route, seen: { fleet } }: { readonly route: string; readonly seen: Seen }): ComponentChild {
  const [first = '', id = '', tab = ''] = route.replace(/^#\/?/, '').split('/');
  if (first === 'bots' && id !== '') return h(Bot, { key: id, id, tab, row: fleet?.bots.find((row) => row.id === id) });
  if (first === 'runs') return h(Runs, null);
  if (first === 'studies') return h(Studies, null);
  if (first === 'data') return h(Data, null);
  return h(
    Fragment,
    null,
    h('h1', { class: 'unseen' }, 'All bots'),
    fleet === undefined ? h(Empty, null, 'Looking at the bots …') : h(Overview, { fleet }),
  );
}

import type { Fleet, FleetChange } from '../../api/bot-schemas.ts';
import { call } from './api.ts';

/** The rows after a change: a row that it does not name is as it was. */
export function merged(fleet: Fleet, { gone, bots, ...rest }: FleetChange): Fleet {
  const changed = new Map(bots.map((row) => [row.id, row]));
  const kept = fleet.bots.filter(({ id }) => !gone.includes(id) && !changed.has(id));
  const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));
  return { ...rest, bots: [...kept, ...bots].sort((a, b) => compare(a.name, b.name) || compare(a.folder, b.folder)) };
}

export interface StreamListener {
  fleet(fleet: Fleet): void;
  change(change: FleetChange): void;
  /** The stream has broken, or nobody is logged in any more. It goes on by itself in the first case. */
  lost(why: 'connection' | 'session'): void;
}

const AGAIN_MS = 2_000;
/** Longer than any look of the server at its bots: a stream that is silent for so long is dead, even if nothing has closed it. */
const SILENT_MS = 20_000;

/** Follows the events of all bots, also over breaks. @returns ends it. */
export function follow(listener: StreamListener): () => void {
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let newest = Date.now();
  const open = () => {
    newest = Date.now();
    source = new EventSource('api/events');
    source.addEventListener('fleet', (event) => {
      newest = Date.now();
      listener.fleet(JSON.parse(event.data) as Fleet);
    });
    source.addEventListener('bots', (event) => {
      newest = Date.now();
      listener.change(JSON.parse(event.data) as FleetChange);
    });
    source.addEventListener('error', () => {
      listener.lost('connection');
      // The browser tries again by itself, but not after an answer that is no stream.
      if (source?.readyState === EventSource.CLOSED) later();
    });
  };
  const later = () => {
    source?.close();
    clearTimeout(retry);
    retry = setTimeout(async () => {
      try {
        const { role } = await call('session', 'api/session');
        if (role === null) listener.lost('session');
        else open();
      } catch {
        later();
      }
    }, AGAIN_MS);
  };
  const watch = setInterval(() => {
    if (Date.now() - newest < SILENT_MS) return;
    newest = Date.now();
    listener.lost('connection');
    later();
  }, AGAIN_MS);
  open();
  return () => {
    clearInterval(watch);
    clearTimeout(retry);
    source?.close();
  };
}

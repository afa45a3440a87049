import type { ServerResponse } from 'node:http';
import { Refusal } from '../access/guard.ts';
import type { FleetWatch, StreamEvent } from './fleet-watch.ts';

/** A stream without events for this long has a comment: nginx ends a silent answer after 60 s. */
const HEARTBEAT_MS = 15_000;
/** A page that reads slower than this is cut off, and returns by itself: bytes that wait for it. */
const MOST_WAITING = 4 * 1024 * 1024;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  Connection: 'keep-alive',
  // nginx keeps back an answer until it is long enough, unless this says otherwise.
  'X-Accel-Buffering': 'no',
};

/** The open streams of events, a bounded number: in all, and of one address. */
export class EventStreams {
  readonly #open = new Map<ServerResponse, string>();
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly watch: FleetWatch,
    private readonly most: { readonly all: number; readonly of: number },
  ) {
    this.#timer = setInterval(() => {
      for (const response of this.#open.keys()) response.write(': alive\n\n');
    }, HEARTBEAT_MS).unref();
  }

  get size(): number {
    return this.#open.size;
  }

  /** @throws Refusal if there are too many. */
  check(address: string): void {
    const own = [...this.#open.values()].filter((one) => one === address).length;
    if (this.#open.size >= this.most.all || own >= this.most.of)
      throw new Refusal(503, 'TOO_MANY_STREAMS', 'too many pages follow the events: close some', { 'Retry-After': '10' });
  }

  /** Sends events until the page or the server ends it. @param since the `Last-Event-ID` of the page. */
  async begin(
    response: ServerResponse,
    address: string,
    since: string | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    this.#open.set(response, address);
    let end = () => {};
    let isOver = false;
    response.on('close', () => {
      isOver = true;
      this.#open.delete(response);
      end();
    });
    response.on('error', () => response.destroy());
    response.writeHead(200, { ...headers, ...HEADERS });
    response.write('retry: 2000\n\n');
    end = await this.watch.subscribe(since, (event) => send(response, event));
    if (isOver) end();
  }

  close(): void {
    clearInterval(this.#timer);
    for (const response of this.#open.keys()) response.destroy();
  }
}

function send(response: ServerResponse, { id, name, data }: StreamEvent): void {
  if (response.writableLength > MOST_WAITING) response.destroy();
  else response.write(`id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}

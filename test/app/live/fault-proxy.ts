import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from '@jest/globals';
import { request } from 'undici';

/** Answers in the exchange's place. */
export type Answer = (response: ServerResponse, own: string) => unknown;

export interface FaultProxy {
  readonly url: string;
  /** Targets that were answered in the exchange's place. */
  readonly struck: string[];
  /** Answers the next `times` requests whose path ends like this. */
  strike(path: string, times: number, answer: Answer): void;
}

const open: Server[] = [];
afterAll(() => {
  for (const server of open) {
    server.closeAllConnections();
    server.close();
  }
});

/** Stands between a bot and its exchange, as a gateway does: passes everything on but what it is told to answer itself. */
export async function faultProxy(upstream: string): Promise<FaultProxy> {
  const struck: string[] = [];
  let rule = { path: '', left: 0, answer: (() => {}) as Answer };
  const url = await serve(async (incoming, response, body) => {
    const { method = 'GET', url: target = '', headers } = incoming;
    const [path = ''] = target.split('?');
    if (rule.left > 0 && path.endsWith(rule.path)) {
      rule.left--;
      struck.push(target);
      await rule.answer(response, url);
      return;
    }
    const { host: _, connection: __, 'content-length': ___, ...kept } = headers;
    const reply = await request(`${upstream}${target}`, { method: method as 'GET', headers: kept, body: method === 'GET' ? null : body });
    response.writeHead(reply.statusCode, { 'content-type': 'application/json' }).end(await reply.body.text());
  });
  return {
    url,
    struck,
    strike: (path, times, answer) => {
      rule = { path, left: times, answer };
    },
  };
}

type Handler = (incoming: IncomingMessage, response: ServerResponse, body: string) => unknown;

/** A server on a loopback port, until the tests of the file are over. @returns its URL. */
export async function serve(handler: Handler): Promise<string> {
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    try {
      await handler(incoming, response, Buffer.concat(chunks).toString());
    } catch {
      response.destroy();
    }
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

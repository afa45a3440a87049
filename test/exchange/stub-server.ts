import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Credentials } from '../../src/exchange/client/credentials.ts';
import { ExchangeClient } from '../../src/exchange/client/exchange-client.ts';
import type { RefusedAnswers } from '../../src/exchange/client/refused-answers.ts';
import type { ClientSettings } from '../../src/exchange/client/transport.ts';
import { WeightBudget } from '../../src/exchange/client/weight-budget.ts';
import { SystemClock } from '../../src/venues/rest/real-clock.ts';

/** A request as it arrived, byte for byte. */
export interface Seen {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (seen: Seen, response: ServerResponse) => void;

export interface Stub {
  readonly seen: Seen[];
  /** What the next requests get; replaced at will. */
  answer: Answer;
  readonly url: string;
  client(
    settings?: Partial<ClientSettings>,
    parts?: { credentials?: Credentials | undefined; budget?: WeightBudget; refused?: RefusedAnswers },
  ): ExchangeClient;
  close(): Promise<void>;
}

export const KEYS = { key: 'key-of-the-test', secret: 'secret-of-the-test', passphrase: 'passphrase-of-the-test' };

/** Answers with this JSON text. */
export function json(text: string, status = 200, headers: Record<string, string> = {}): Answer {
  return (_, response) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

/** A standard envelope around this JSON text. */
export const standard = (data: string): Answer => json(`{"code":"00000","msg":"success","requestTime":1,"data":${data}}`);
/** The documented body of a refusal. */
export const refusal = (code: string, status = 400, message = 'no'): Answer =>
  json(`{"code":"${code}","msg":"${message}","requestTime":1,"data":null}`, status);

/** A server on a loopback port that answers whatever the test says, and remembers what it was asked. */
export async function startStub(): Promise<Stub> {
  const clients: ExchangeClient[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: target = '', headers } = request;
      const seen = { method, target, headers, body: Buffer.concat(chunks).toString() };
      stub.seen.push(seen);
      stub.answer(seen, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = new SystemClock();
  const stub: Stub = {
    seen: [],
    answer: json('{}', 404),
    url,
    client: (settings = {}, parts = {}) => {
      const client = new ExchangeClient({
        clock,
        budget: parts.budget ?? new WeightBudget(clock),
        refused: parts.refused,
        credentials: 'credentials' in parts ? parts.credentials : new Credentials(KEYS),
        random: () => 0,
        settings: { spotBaseUrl: url, contractBaseUrl: url, clockSyncMs: 0, ...settings },
      });
      clients.push(client);
      return client;
    },
    close: async () => {
      await Promise.all(clients.map((client) => client.close()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return stub;
}

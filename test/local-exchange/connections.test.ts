import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { createHost } from '../../src/local-exchange/http/host.ts';
import { LIMITS, type LimitSettings } from '../../src/local-exchange/http/request-limits.ts';
import { SteppedClock } from '../../src/local-exchange/stepped-clock.ts';
import { T0 } from '../builders.ts';
import { type Local, startLocal } from './local.ts';

let local: Local | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await local?.close();
  local = undefined;
});

/** An exchange with these limits on connections, and none on weights. */
async function start(limits: Partial<LimitSettings>): Promise<Local> {
  local = await startLocal({ limits: { ipWeight: 0, uidWeight: 0, actionsPerSecond: 0, ...limits }, ports: { control: 0 } });
  return local;
}

async function dial(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  sockets.push(socket);
  // A connection that is refused may be reset.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** What the exchange sends until it closes the connection. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(socket, 'close');
  return text;
}

const HEAD = 'GET /api/v2/public/time HTTP/1.1\r\nHost: x\r\n';
const POST = 'POST /api/v2/trade/orderInfo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{';

test.each([
  ['that says nothing', ''],
  ['whose headers do not end', HEAD],
  ['whose body does not end', POST],
])('a connection %s is closed after limits.requestMs', async (_, text) => {
  const { exchange } = await start({ requestMs: 100 });
  for (const url of [exchange.spot, exchange.futures, exchange.controlUrl!]) {
    const socket = await dial(url);
    socket.write(text);
    const said = await untilClosed(socket);
    if (text !== '') expect(said).toMatch(/^HTTP\/1\.1 408 .*"40409".*did not arrive within 100 ms/s);
  }
});

test('a request that drips is closed as well', async () => {
  const { exchange } = await start({ requestMs: 200 });
  const socket = await dial(exchange.spot);
  socket.write(HEAD);
  const dripping = setInterval(() => socket.write('X: y\r\n'), 20);
  await untilClosed(socket);
  clearInterval(dripping);
});

test('a connection that waits for its next request is closed after limits.idleMs', async () => {
  const { exchange } = await start({ idleMs: 100 });
  const socket = await dial(exchange.spot);
  socket.write(`${HEAD}\r\n`);
  expect(await untilClosed(socket)).toMatch(/^HTTP\/1\.1 200 OK/);
});

test('connections beyond limits.connections are closed at once, and those within are served', async () => {
  const { exchange } = await start({ connections: 3 });
  const within = [await dial(exchange.spot), await dial(exchange.spot), await dial(exchange.spot)];
  expect(await untilClosed(await dial(exchange.spot))).toBe('');
  within[2]!.write(`${HEAD}Connection: close\r\n\r\n`);
  expect(await untilClosed(within[2]!)).toMatch(/^HTTP\/1\.1 200 OK/);
  const next = await dial(exchange.spot);
  next.write(`${HEAD}Connection: close\r\n\r\n`);
  expect(await untilClosed(next)).toMatch(/^HTTP\/1\.1 200 OK/);
});

test('a reply that its client does not read is given up', async () => {
  const server = createHost({ host: 'spot', limits: { ...LIMITS, requestMs: 100 }, clock: new SteppedClock(T0) });
  server.get('/long', async () => Buffer.alloc(100_000_000));
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const served = once(server.server, 'connection') as Promise<[Socket]>;
  const socket = await dial(url);
  socket.pause();
  socket.write('GET /long HTTP/1.1\r\n\r\n');
  await once((await served)[0], 'close');
  await server.close();
});

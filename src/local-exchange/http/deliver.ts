import type { FastifyReply } from 'fastify';
import type { Fate } from '../faults/fault-plan.ts';
import type { Waiting } from './waiting.ts';
import type { WireReply } from './wire-request.ts';

/** Pieces of a reply that drips. */
const DRIP_BYTES = 16;

/** Sends a reply, with what is to befall it on the way. */
export async function deliver(reply: FastifyReply, { status, body }: WireReply, fate: Fate, waiting: Waiting): Promise<void> {
  if (fate.has('dropReply')) {
    hangUp(reply);
    return;
  }
  reply.code(status).header('content-type', 'application/json; charset=utf-8');
  const drip = fate.get('drip');
  if (drip === undefined) {
    await reply.send(fate.has('truncated') ? body.slice(0, Math.floor(body.length / 2)) : fate.has('malformed') ? `<${body}` : body);
    return;
  }
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) });
  raw.flushHeaders();
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length && !raw.destroyed; at += DRIP_BYTES) {
    await waiting.pass(drip);
    raw.write(bytes.subarray(at, at + DRIP_BYTES));
  }
  raw.end();
}

/** Ends the connection without a word. */
export function hangUp(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.destroy();
}

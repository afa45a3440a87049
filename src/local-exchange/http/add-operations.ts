import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '../../exchange/operations/operation.ts';
import type { OperationName } from '../../exchange/operations/operation-table.ts';
import { OPERATIONS } from '../../exchange/operations/operations.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FaultPlan } from '../faults/fault-plan.ts';
import { act } from './act.ts';
import type { Answering } from './answering.ts';
import { deliver, hangUp } from './deliver.ts';
import type { Waiting } from './waiting.ts';
import type { WireRequest } from './wire-request.ts';

export interface Door {
  readonly answering: Answering;
  readonly faults: FaultPlan;
  readonly clock: Clock;
  readonly waiting: Waiting;
}

/**
 * Puts the operations of one host on its server. Operation 10 is on both: in its envelope on the spot host, as newer
 * documents have it (a bare array) on the futures host.
 */
export function addOperations(server: FastifyInstance, host: 'spot' | 'futures', door: Door): void {
  for (const operation of Object.values<Operation>(OPERATIONS)) {
    if (operation.host === host) addRoute(server, operation, door);
  }
  if (host === 'futures') addRoute(server, { ...OPERATIONS.futuresAssets, host: 'futures', envelope: 'bare' }, door);
}

function addRoute(server: FastifyInstance, operation: Operation, door: Door): void {
  server.route({
    method: operation.method,
    url: operation.path,
    handler: async (request, reply) => {
      await answer(operation, request, reply, door);
      return reply;
    },
  });
}

async function answer(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  { answering, faults, clock, waiting }: Door,
): Promise<void> {
  const fate = faults.draw(operation.name as OperationName);
  if (fate.has('drop')) {
    hangUp(reply);
    return;
  }
  await waiting.pass(fate.get('delay') ?? 0);
  await deliver(reply, act(operation, wireRequest(request), fate, answering, clock), fate, waiting);
}

function wireRequest({ raw, body, ip, headers }: FastifyRequest): WireRequest {
  return {
    method: raw.method ?? '',
    target: raw.url ?? '',
    headers,
    body: Buffer.isBuffer(body) ? body : EMPTY,
    ip,
  };
}

const EMPTY = new Uint8Array(0);

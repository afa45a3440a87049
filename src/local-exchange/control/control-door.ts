import type { FastifyInstance } from 'fastify';
import { parseJson } from '../../exchange/json/parse-json.ts';
import { writeJson } from '../../exchange/json/write-json.ts';
import { closeEnvelope } from '../../exchange/operations/envelope.ts';
import { OPERATIONS } from '../../exchange/operations/operations.ts';
import { defined } from '../defined.ts';
import { refused } from '../http/answering.ts';
import { Refusal } from '../refusal.ts';
import type { Control } from './control.ts';
import { CONTROL_REQUESTS, type ControlRequests } from './control-requests.ts';

type Doing = { readonly [K in keyof ControlRequests]: (request: ControlRequests[K], control: Control) => void };

const DOING: Doing = {
  step: ({ ms }, control) => control.step(ms),
  price: ({ symbol, price }, control) => control.setPrice(symbol, price),
  deposit: ({ account, wallet, coin, amount }, control) => control.deposit(account, wallet, coin, amount),
  transfer: ({ account, coin, amount, from, to }, control) => control.transfer(account, coin, amount, from, to),
  account: ({ account, ...standing }, control) => control.setStanding(account, standing),
  withdrawals: ({ fail }, control) => control.failWithdrawals(fail),
  lists: (settings, control) => control.setLists(defined(settings)),
  faults: (settings, control) => control.setFaults(defined(settings)),
};

/** `POST /control/<what>` with a JSON object: the control over HTTP, unsigned, for loopback alone. */
export function addControl(server: FastifyInstance, control: Control): void {
  for (const what of Object.keys(DOING) as (keyof ControlRequests)[]) {
    server.post(`/control/${what}`, (request, reply) => {
      const { status, body } = answer(what, request.body, control);
      return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body);
    });
  }
}

function answer<K extends keyof ControlRequests>(what: K, body: unknown, control: Control): { status: number; body: string } {
  try {
    DOING[what](read(what, body), control);
    const now = Math.floor(control.now());
    return { status: 200, body: writeJson(closeEnvelope(OPERATIONS.spotTime, { now }, now)) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refused(error, 'futures', Math.floor(control.now()));
  }
}

function read<K extends keyof ControlRequests>(what: K, body: unknown): ControlRequests[K] {
  let value: unknown;
  try {
    value = parseJson(Buffer.isBuffer(body) ? body.toString('utf8') : '');
  } catch {
    throw new Refusal('40409', 'bad format: the body is no JSON');
  }
  const { data, error } = CONTROL_REQUESTS[what].safeParse(value);
  if (error !== undefined) {
    const [issue] = error.issues;
    throw new Refusal('40020', `${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'unreadable'}`);
  }
  return data as ControlRequests[K];
}

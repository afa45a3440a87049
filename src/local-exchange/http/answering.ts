import { writeJson } from '../../exchange/json/write-json.ts';
import { closeEnvelope, errorBody } from '../../exchange/operations/envelope.ts';
import type { Operation } from '../../exchange/operations/operation.ts';
import { encodePayload } from '../../exchange/operations/payload-codec.ts';
import { decodeRequest } from '../../exchange/operations/request-codec.ts';
import type { Log } from '../../ports/log.ts';
import type { RunningCore } from '../core/running-core.ts';
import { HANDLERS } from '../operations/handlers.ts';
import { Refusal } from '../refusal.ts';
import { ANY_SYMBOL } from './any-symbol.ts';
import { authenticate } from './authenticate.ts';
import type { Call } from './call.ts';
import type { LimitSettings } from './limit-settings.ts';
import { readParameters } from './read-parameters.ts';
import { refusalOf } from './refusal-of-issue.ts';
import { RequestLimits } from './request-limits.ts';
import type { WireReply, WireRequest } from './wire-request.ts';

export interface AnsweringOptions {
  readonly core: RunningCore;
  readonly limits: LimitSettings;
  /** Ms that the server's clock is wrong by at a time. */
  readonly skewMs: (now: number) => number;
  readonly log: Log | undefined;
}

/** Turns a request into a reply at one moment: who asks, what it costs, what is asked, what comes of it. */
export class Answering {
  readonly #limits: RequestLimits;

  constructor(private readonly options: AnsweringOptions) {
    this.#limits = new RequestLimits(options.limits);
  }

  answer(operation: Operation, request: WireRequest): WireReply {
    const now = Math.floor(this.options.core.now());
    const shownTime = now + this.options.skewMs(now);
    try {
      return { status: 200, body: writeJson(this.#payload(operation, request, now, shownTime)) };
    } catch (error) {
      if (error instanceof Refusal) return refused(error, operation.host, shownTime);
      this.options.log?.warn('the local exchange failed over a request', { operation: operation.name, error: String(error) });
      return refused(new Refusal('40725'), operation.host, shownTime);
    }
  }

  #payload(operation: Operation, request: WireRequest, now: number, shownTime: number): unknown {
    const { core, limits } = this.options;
    this.#limits.fromIp(request.ip, operation, now);
    const account = operation.signed ? authenticate(request, core.exchange.accounts, shownTime) : undefined;
    if (account !== undefined) this.#limits.fromAccount(account, operation, now);
    const parameters = readParameters(request);
    // Some clients cancel a futures order without a symbol: it is taken where the id says which is meant.
    if (operation.name === 'cancelFuturesOrder') parameters.symbol ??= ANY_SYMBOL;
    const checked = decodeRequest(operation, parameters);
    if ('issues' in checked) throw refusalOf(checked.issues[0]!, parameters);
    const call = { exchange: core.exchange, now, shownTime, limits, account, act: core.act.bind(core) };
    // A signed operation has its account; a public one does not look at it.
    const handler = HANDLERS[operation.name as keyof typeof HANDLERS] as (request: unknown, call: Call) => unknown;
    const payload = handler(checked.value, call as Call);
    return closeEnvelope(operation, encodePayload(operation, payload), shownTime);
  }
}

/** The body of a refusal; of 429 on the spot host as it was recorded there. */
export function refused({ code, message, status }: Refusal, host: 'spot' | 'futures', now: number): WireReply {
  const body = code === '429' && host === 'spot' ? { code, data: {}, msg: message } : errorBody(code, message, now);
  return { status, body: writeJson(body) };
}

import { causeOfReply } from '../errors/cause-of-reply.ts';
import { codeRow } from '../errors/error-codes.ts';
import type { Cause } from '../errors/outcome-table.ts';
import { parseJson } from '../json/parse-json.ts';
import { openEnvelope } from '../operations/envelope.ts';
import type { Operation } from '../operations/operation.ts';
import { decodePayload } from '../operations/payload-codec.ts';
import type { Reply } from './transport.ts';

/** What a reply says: a value, or why there is none. */
export type Reading =
  | { readonly value: unknown }
  | { readonly cause: Cause; readonly message: string; readonly exchangeCode?: string | undefined };

/** Total: any bytes give a value or a cause. `redact` takes secrets out of what the server says, before it is cut short. */
export function readReply(operation: Operation, { status, text }: Reply, redact: (said: string) => string = (said) => said): Reading {
  const body = parsed(text);
  const opened = body === undefined ? { complaint: 'the body is no JSON' } : openEnvelope(operation, body.value);
  const refused = 'code' in opened ? { code: redact(opened.code), message: redact(opened.message) } : undefined;
  const message = refused?.message ?? '';
  const cause = causeOfReply({ status, code: refused?.code, message });
  if (cause !== undefined) return { cause, message: refusalText(status, refused?.code, message), exchangeCode: refused?.code };
  if ('complaint' in opened) return { cause: 'unreadable', message: `HTTP ${status}, but ${opened.complaint}` };
  if (!('payload' in opened)) return { cause: 'unreadable', message: `HTTP ${status}` };
  const payload = decodePayload(operation, opened.payload);
  return 'value' in payload ? payload : { cause: 'unreadable', message: `HTTP ${status}, but ${payload.complaint}` };
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseJson(text) };
  } catch {
    return undefined;
  }
}

/** A server's text may be long, or hold line ends. */
function refusalText(status: number, code: string | undefined, message: string): string {
  if (code === undefined) return `HTTP ${status}`;
  const said = message.replace(/\s+/g, ' ').slice(0, 300);
  const meaning = codeRow(code)?.meaning;
  return `HTTP ${status}, code ${code}${meaning === undefined ? '' : ` (${meaning})`}${said === '' ? '' : `: ${said}`}`;
}

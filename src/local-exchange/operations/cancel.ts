import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import type { InstrumentKind } from '../../model/instrument.ts';
import { ANY_SYMBOL } from '../http/any-symbol.ts';
import type { Call } from '../http/call.ts';
import { listed } from './listed.ts';

/**
 * What operations 6 and 12 share. An order that is gone, or never was, is no error of the request: the result says
 * that nothing was canceled, and why. @throws Refusal 40102.
 */
export function cancel(
  kind: InstrumentKind,
  request: RequestOf<'cancelOrder'>,
  { exchange, account, act }: Call,
): PayloadOf<'cancelOrder'> {
  const { symbol, orderId, clientOid } = request;
  const instrument = symbol === ANY_SYMBOL ? undefined : listed(exchange, kind, symbol);
  const entry = account.orders.find(kind, orderId, clientOid);
  const meant = entry !== undefined && (instrument === undefined || entry.instrument === instrument);
  if (!meant) {
    return {
      order_id: orderId ?? '',
      client_oid: clientOid ?? '',
      symbol: instrument === undefined ? '' : wireSymbol(instrument.symbol),
      result: false,
      err_code: '43001',
      err_msg: 'FAILED_ORDER_NOT_FOUND',
    };
  }
  const names = { order_id: entry.orderId, client_oid: entry.clientOrderId, symbol: wireSymbol(entry.instrument.symbol) };
  if (!entry.live) return { ...names, result: false, err_code: '43004', err_msg: 'FAILED_ORDER_NOT_FOUND: the order is over' };
  act('cancel', { uid: account.uid, key: entry.key });
  return { ...names, result: true, err_code: '', err_msg: '' };
}

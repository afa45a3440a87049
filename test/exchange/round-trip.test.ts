import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseJson, writeJson } from '../../src/exchange/json.ts';
import {
  closeEnvelope,
  decodePayload,
  decodeRequest,
  encodePayload,
  encodeRequest,
  errorBody,
  openEnvelope,
  queryText,
} from '../../src/exchange/operations/codecs.ts';
import type { Operation } from '../../src/exchange/operations/operation-table.ts';
import { OPERATIONS } from '../../src/exchange/operations/operations.ts';
import { valuesOf } from './arbitrary.ts';

const all: readonly Operation[] = Object.values(OPERATIONS);
const defined = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe.each(all)('$name', (operation) => {
  test('a client reads exactly the reply of a server, to the last digit', () => {
    fc.assert(
      fc.property(valuesOf(operation.payload), (payload) => {
        const text = writeJson(closeEnvelope(operation, encodePayload(operation, payload), 1_700_000_000_000));
        const opened = openEnvelope(operation, parseJson(text));
        if (!('payload' in opened)) throw new Error(JSON.stringify(opened));
        expect(decodePayload(operation, opened.payload)).toEqual({ value: payload });
      }),
      { numRuns: 20 },
    );
  });

  test('a server reads the request of a client unchanged, plus the defaults', () => {
    fc.assert(
      fc.property(valuesOf(operation.request), (input) => {
        const encoded = encodeRequest(operation, input);
        fc.pre('value' in encoded);
        const arrived =
          operation.parameters === 'body'
            ? parseJson(writeJson(encoded.value))
            : Object.fromEntries(new URLSearchParams(queryText(encoded.value)));
        expect(decodeRequest(operation, arrived)).toEqual({ value: { ...operation.defaults, ...(defined(input) as object) } });
      }),
      { numRuns: 20 },
    );
  });

  test('any JSON as a reply gives a value or a complaint', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => {
        const opened = openEnvelope(operation, parseJson(text));
        if ('payload' in opened) expect(Object.keys(decodePayload(operation, opened.payload))).toHaveLength(1);
      }),
      { numRuns: 50 },
    );
  });

  test('any JSON as a request gives a value or issues with field, rule and a documented code', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const result = decodeRequest(operation, value);
        if ('issues' in result) for (const issue of result.issues) expect(issue.code).toMatch(/^4\d{4}$/);
      }),
      { numRuns: 50 },
    );
  });

  test('a refusal is recognised, on a bare operation too', () => {
    expect(openEnvelope(operation, errorBody('40017', 'no', 1))).toEqual({ code: '40017', message: 'no' });
  });
});

test('operation 17 answers as its sample does, and both success codes are read', () => {
  const payload = { records: [], total: 0, size: 100, current: 1, pages: 0 };
  expect(closeEnvelope(OPERATIONS.subAffiliateData, payload, 5)).toEqual({ code: '00000', msg: 'success', requestTime: 5, data: payload });
  expect(openEnvelope(OPERATIONS.subAffiliateData, { code: 200, data: payload })).toEqual({ payload });
});

test('the other affiliate operations carry code 200 and a timestamp, 19 and 20 without data', () => {
  expect(closeEnvelope(OPERATIONS.invitedUsers, { total: 0 }, 5)).toEqual({ code: '200', timestamp: 5, data: { total: 0 } });
  expect(closeEnvelope(OPERATIONS.internalWithdrawal, { id: '7' }, 5)).toEqual({ code: '200', timestamp: 5, id: '7' });
});

test('operation 10 is read as a bare array too', () => {
  expect(openEnvelope(OPERATIONS.futuresAssets, [])).toEqual({ payload: [] });
});

test('errors of a successful cancel are sent as null, and may be missing in replies', () => {
  const result = { order_id: '1', client_oid: '', symbol: 'x', result: true, err_code: '', err_msg: '' };
  const wire = { order_id: '1', client_oid: null, symbol: 'x', result: true, err_code: null, err_msg: null };
  expect(encodePayload(OPERATIONS.cancelOrder, result)).toEqual(wire);
  expect(decodePayload(OPERATIONS.cancelOrder, { order_id: '1', client_oid: null, symbol: 'x', result: true })).toEqual({ value: result });
});

test('a price that is missing or null is read as empty, an id that is missing is refused', () => {
  const order = {
    ...{ accountId: '1', symbol: 'x', orderId: '1', clientOrderId: null, price: null, quantity: 1.5, orderType: 'market', side: 'buy' },
    ...{ status: 'new', fillQuantity: '0', cTime: 1, uTime: '2' },
  };
  const empty = { clientOrderId: '', price: '', quantity: '1.5', latestFillPrice: '', fillTotalAmount: '', cTime: 1, uTime: 2 };
  expect(decodePayload(OPERATIONS.orderInfo, [order])).toMatchObject({ value: [empty] });
  expect(decodePayload(OPERATIONS.orderInfo, [{ ...order, orderId: undefined }])).toMatchObject({
    complaint: expect.stringContaining('0.orderId: '),
  });
  const { accountId: _, ...nameless } = order;
  expect(decodePayload(OPERATIONS.orderInfo, [nameless])).toMatchObject({ complaint: expect.stringContaining('0.accountId: ') });
});

import { z } from 'zod';
import type { Operation } from '../../exchange/operations/operation.ts';
import { OPERATIONS } from '../../exchange/operations/operations.ts';

const HEAD = ['#', 'operation', 'method', 'path', 'host', 'envelope', 'IP/UID', 'parameters (? may be left out)'];

/** The table of operations as rows of text, the head first; extras beyond the twenty have no number. */
export function operationRows(): string[][] {
  const rows = (Object.values(OPERATIONS) as Operation[]).map((operation) => {
    const { number, name, method, path, host, envelope, weight, signed } = operation;
    return [
      number?.toString() ?? '-',
      name,
      method,
      path,
      host,
      envelope,
      `${weight.ip}/${signed ? weight.uid : '-'}`,
      parametersText(operation),
    ];
  });
  return [HEAD, ...rows];
}

/** Names of the parameters, as `api --list` shows them: `symbol orderId? clientOid?`. */
export function parametersText({ request }: Operation): string {
  const fields = Object.entries(request.shape);
  return fields.map(([name, field]) => (field instanceof z.ZodOptional ? `${name}?` : name)).join(' ');
}

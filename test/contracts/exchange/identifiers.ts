import type { Refused } from './contract.ts';

/** The rules of the two identifiers of an order, of which one is required. */
export function identifierRules(orderId: string, clientId: string): Refused[] {
  const neither = { [orderId]: undefined, [clientId]: undefined };
  return [
    { title: 'with neither id', change: neither, said: `${orderId} or ${clientId} is required`, code: '40913' },
    { title: 'with both ids empty', change: { [orderId]: '', [clientId]: '' }, said: `${orderId} must be`, code: '40913' },
    { title: 'with an order id that is no number', change: { [orderId]: 'x1' }, said: `${orderId} must be a whole number`, code: '40020' },
    {
      title: 'with an order id of 20 digits',
      change: { [orderId]: '1'.repeat(20) },
      said: `${orderId} must be a whole number`,
      code: '40020',
    },
    ...clientIdRules(clientId),
  ];
}

/** At most 40 characters, none of them special. */
export function clientIdRules(name: string): Refused[] {
  return ['x'.repeat(41), 'a b', 'a#b', 'a/b', 'é', 'a\n'].map((id) => ({
    title: `with the client id ${JSON.stringify(id)}`,
    change: { [name]: id },
    said: `${name} must be`,
    code: '40305',
  }));
}

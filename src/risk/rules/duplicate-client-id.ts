import type { RiskRule } from '../rule.ts';

/** An id is used once; a held order keeps its own when it goes out. */
export const duplicateClientId: RiskRule = ({ clientOrderId, released }, { state }) => {
  const known = released ? undefined : state.order(clientOrderId);
  return known === undefined || known.held ? undefined : { code: 'duplicateClientOrderId', clientOrderId };
};

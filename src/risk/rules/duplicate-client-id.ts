import type { RiskRule } from '../rule.ts';

/** An id is used once. A held order keeps its own when it is sent, and a replacement is estimated under that of its order. */
export const duplicateClientId: RiskRule = ({ clientOrderId, released, replaces }, { state, purpose }) => {
  const known = released || (purpose === 'hold' && replaces === clientOrderId) ? undefined : state.order(clientOrderId);
  return known === undefined || known.held ? undefined : { code: 'duplicateClientOrderId', clientOrderId };
};

/**
 * Which orders of a level go when it shrinks without trades, those ahead of ours or those behind:
 *
 * - `riskAverse`: those behind, as long as there are any. Nothing but trades brings an order forward.
 * - `power`, `log`: both, in shares f(ahead) : f(behind) of the decrease, with f(x) = x^n or f(x) = log(1 + x), x in base.
 *
 * The formulas are those of Rigtorp, Estimating order queue position (2013), and of hftbacktest's queue models.
 */
export type QueueModel =
  | { readonly queue: 'riskAverse' }
  | { readonly queue: 'power'; readonly exponent: number }
  | { readonly queue: 'log' };

/**
 * Steps ahead of an order after its level went from `before` to `after` steps.
 * @param traded steps traded at the level since its last change: they have moved the order already.
 * @param unit base of one step.
 */
export function aheadAfter(model: QueueModel, ahead: number, before: number, after: number, traded: number, unit: number): number {
  const canceled = before - after - traded;
  if (canceled <= 0 || model.queue === 'riskAverse') return Math.min(ahead, after);
  const behind = Math.max(0, before - ahead);
  const share = shareBehind(model, ahead * unit, behind * unit);
  const estimate = ahead - (1 - share) * canceled + Math.min(behind - share * canceled, 0);
  return Math.max(0, Math.min(ahead, estimate, after));
}

/** The share of what goes that goes behind the order; both quantities in base. */
function shareBehind(model: Exclude<QueueModel, { queue: 'riskAverse' }>, ahead: number, behind: number): number {
  if (ahead === 0) return 1;
  // As a quotient: powers alone leave the range of doubles.
  const ratio = model.queue === 'log' ? Math.log1p(ahead) / Math.log1p(behind) : (ahead / behind) ** model.exponent;
  return 1 / (1 + ratio);
}

import { type Check, type Diagnosed, type Finding, SEVERITIES } from './check.ts';
import { CONCENTRATION_CHECKS } from './concentration-checks.ts';
import { COST_CHECKS } from './cost-checks.ts';
import { FILL_CHECKS } from './fill-checks.ts';
import { MARKET_CHECKS, VOLUME_CHECKS } from './market-checks.ts';
import { DELAY_CHECKS, MARGIN_CHECKS, REFUSAL_CHECKS, SAMPLE_CHECKS, SETUP_CHECKS } from './setup-checks.ts';
import { OUTCOME_CHECKS, TRADE_CHECKS } from './trade-checks.ts';

/** Every check, in the order of findings with equal severity. A new check is one entry in one of these lists. */
export const CHECKS: readonly Check[] = [
  ...OUTCOME_CHECKS,
  ...DELAY_CHECKS,
  ...CONCENTRATION_CHECKS,
  ...TRADE_CHECKS,
  ...COST_CHECKS,
  ...FILL_CHECKS,
  ...VOLUME_CHECKS,
  ...MARGIN_CHECKS,
  ...SAMPLE_CHECKS,
  ...MARKET_CHECKS,
  ...REFUSAL_CHECKS,
  ...SETUP_CHECKS,
];

/** Runs all checks on a result and returns their findings, the most severe first. */
export function diagnose(run: Diagnosed): Finding[] {
  const findings = CHECKS.flatMap(({ id, title, advice, evaluate }): Finding[] => {
    const answer = evaluate(run);
    return answer === undefined ? [] : [{ id, severity: answer.severity, title, figures: answer.figures, advice }];
  });
  const rank = ({ severity }: Finding) => SEVERITIES.indexOf(severity);
  return findings.sort((a, b) => rank(b) - rank(a));
}

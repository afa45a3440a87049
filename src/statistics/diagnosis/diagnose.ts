import { type Check, type Diagnosed, type Finding, SEVERITIES } from './check.ts';
import { CONCENTRATION_CHECKS } from './concentration-checks.ts';
import { COST_CHECKS } from './cost-checks.ts';
import { FILL_CHECKS } from './fill-checks.ts';
import { MARKET_CHECKS, VOLUME_CHECKS } from './market-checks.ts';
import { DELAY_CHECKS, MARGIN_CHECKS, REFUSAL_CHECKS, SAMPLE_CHECKS, SETUP_CHECKS } from './setup-checks.ts';
import { TRADE_CHECKS } from './trade-checks.ts';

/** Every check, in the order in which findings of one severity stand. A new one is one entry in one of these lists. */
export const CHECKS: readonly Check[] = [
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

/** Reads a result as a reviewer would: what every check has to say of it, the severest first. */
export function diagnose(run: Diagnosed): Finding[] {
  const findings = CHECKS.flatMap(({ id, title, advice, ask }): Finding[] => {
    const answer = ask(run);
    return answer === undefined ? [] : [{ id, severity: answer.severity, title, figures: answer.figures, advice }];
  });
  const rank = ({ severity }: Finding) => SEVERITIES.indexOf(severity);
  return findings.sort((a, b) => rank(b) - rank(a));
}

import { CHECKS } from './checks.ts';
import type { Diagnosed } from './diagnosed.ts';
import { type Finding, SEVERITIES } from './finding.ts';

/** Reads a result as a reviewer would: what every check has to say of it, the severest first. */
export function diagnose(run: Diagnosed): Finding[] {
  const findings = CHECKS.flatMap(({ id, title, advice, ask }): Finding[] => {
    const answer = ask(run);
    return answer === undefined ? [] : [{ id, severity: answer.severity, title, figures: answer.figures, advice }];
  });
  const rank = ({ severity }: Finding) => SEVERITIES.indexOf(severity);
  return findings.sort((a, b) => rank(b) - rank(a));
}

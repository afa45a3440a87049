/** `luck`: chance makes as much. `skill`: chance does not make it. `undecided`: more than chance usually makes, and not enough to say. */
export type VerdictWord = 'luck' | 'undecided' | 'skill';

/** A number that decides. */
export interface Evidence {
  readonly method: keyof typeof RULES;
  readonly value: number;
}

/** A number that decides, with what it says. */
export interface JudgedEvidence extends Evidence {
  readonly says: 'luck' | 'nothing' | 'skill';
}

export interface Verdict {
  readonly word: VerdictWord;
  readonly evidence: readonly JudgedEvidence[];
  /** Daily returns with which the deflated Sharpe ratio would say skill if the ratio stayed; `undefined` for a ratio of zero or less. */
  readonly daysNeeded: number | undefined;
}

/**
 * The bounds of each method. `deflated` is a probability of skill, the others are probabilities of luck. The best of several equally good
 * trials is often in the lower half: overfitting alone can deny skill and never show it.
 */
const RULES = {
  deflated: (value: number) => (value >= 0.95 ? 'skill' : value < 0.9 ? 'luck' : 'nothing'),
  haircut: (value: number) => (value <= 0.05 ? 'skill' : value > 0.1 ? 'luck' : 'nothing'),
  superiority: (value: number) => (value <= 0.05 ? 'skill' : value > 0.1 ? 'luck' : 'nothing'),
  overfitting: (value: number) => (value > 0.5 ? 'luck' : 'nothing'),
} as const satisfies Record<string, (value: number) => JudgedEvidence['says']>;

/** With fewer daily returns than two months there is no skill, whatever the numbers say. */
export const SKILL_DAYS = 60;

/** The methods that must all say skill. */
const SKILL = ['deflated', 'haircut', 'superiority'] as const;

/**
 * Skill: the deflated Sharpe ratio, the haircut and Hansen's test all say it, overfitting does not say luck, and there are 60 days. Luck: at
 * least two methods say it. Everything else is undecided.
 */
export function verdictOf(days: number, evidence: readonly Evidence[], daysNeeded: number | undefined): Verdict {
  const judged = evidence.map((one): JudgedEvidence => ({ ...one, says: RULES[one.method](one.value) }));
  const saying = (word: JudgedEvidence['says']) => judged.filter(({ says }) => says === word);
  const isSkill = SKILL.every((method) => saying('skill').some((one) => one.method === method));
  const isLuck = saying('luck').length >= 2;
  const word = isSkill && saying('luck').length === 0 && days >= SKILL_DAYS ? 'skill' : isLuck ? 'luck' : 'undecided';
  return { word, evidence: judged, daysNeeded };
}

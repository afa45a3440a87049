import type { Diagnosed } from './diagnosed.ts';
import type { Finding } from './finding.ts';

/** What a check says where it speaks. */
export type Answer = Pick<Finding, 'severity' | 'figures'>;

/** One question that a reviewer asks of a result. The texts are the source of docs/diagnosis.md. */
export interface Check {
  readonly id: string;
  readonly title: string;
  /** What it looks at, and from where on it speaks and how loud. */
  readonly speaks: string;
  /** Why that is worth a word, and why from there on. */
  readonly why: string;
  readonly advice: string;
  /** Undefined where all is well, and where the run cannot tell. */
  readonly ask: (run: Diagnosed) => Answer | undefined;
}

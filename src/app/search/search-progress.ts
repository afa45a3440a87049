import { performance } from 'node:perf_hooks';
import { formatDuration } from '../../report/format.ts';
import { byRank, type Ranked, worthOf } from '../../search/objective.ts';
import type { Trial } from '../../search/study.ts';
import { steering } from '../terminal/guarded-output.ts';
import type { SearchPlan } from './search-plan.ts';

const DRAW_EVERY_MS = 200;
const LINES = 10;

/** The progress of a search with the best trial so far: one line that changes on a terminal, ten lines elsewhere. */
export class SearchProgress {
  readonly #started = performance.now();
  readonly #total: number;
  #ended = 0;
  /** Trials that ran in this part of the search: those of an earlier part took no time. */
  #ran = 0;
  #best: (Trial & Ranked) | undefined;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #width = 0;

  /** @param stream nothing is shown without one. */
  constructor(
    private readonly plan: SearchPlan,
    private readonly stream: NodeJS.WriteStream | undefined,
  ) {
    this.#total = Number(plan.trials);
  }

  ended(trial: Trial, isNew = true): void {
    this.#ended++;
    if (isNew) this.#ran++;
    const { objective, constraints } = this.plan;
    const ranked = { ...trial, ...worthOf(trial.statistics, objective, constraints) };
    if (this.#best === undefined || byRank(objective)(ranked, this.#best) < 0) this.#best = ranked;
    this.#draw();
  }

  close(): void {
    if (this.stream?.isTTY !== true || this.#width === 0) return;
    this.#drawnAt = Number.NEGATIVE_INFINITY;
    this.#draw();
    this.stream.write('\n');
  }

  #draw(): void {
    const { stream } = this;
    if (stream === undefined) return;
    const now = performance.now();
    if (stream.isTTY === true) {
      if (now - this.#drawnAt < DRAW_EVERY_MS) return;
      this.#drawnAt = now;
      const line = this.#line(now).slice(0, (stream.columns ?? 80) - 1);
      steering(stream).write(`\r${line.padEnd(this.#width)}`);
      this.#width = line.length;
      return;
    }
    const every = Math.max(1, Math.ceil(this.#total / LINES));
    if (this.#ended % every === 0 || this.#ended === this.#total) stream.write(`${this.#line(now)}\n`);
  }

  #line(now: number): string {
    const left = this.#ran === 0 ? Number.NaN : ((now - this.#started) / this.#ran) * (this.#total - this.#ended);
    const parts = [`${this.#ended} of ${this.#total} trials`];
    const best = this.#best;
    if (best?.value !== undefined)
      parts.push(`best ${Number(best.value.toPrecision(6))} (trial ${best.number}: ${paramsText(best.params)})`);
    if (Number.isFinite(left) && this.#ended < this.#total) parts.push(`${formatDuration(left)} left`);
    return parts.join(' | ');
  }
}

/** `fast=10 slow=50`. */
export function paramsText(params: Readonly<Record<string, string>>): string {
  return Object.entries(params)
    .map(([name, text]) => `${name}=${plainText(text)}`)
    .join(' ');
}

/** A value without the quotes that a text has in a config. */
export function plainText(text: string): string {
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}

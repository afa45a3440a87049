import type { EngineParts } from '../engine-parts.ts';
import type { Wish } from './wish.ts';

/** Takes one wish to whoever reviews it. @param now sequence of the newest data the engine acts on. */
export function review(wish: Wish, { reviewer, commands, audience }: EngineParts, now: number): void {
  if ('release' in wish) {
    reviewer.release(wish.release, now);
    return;
  }
  if ('replace' in wish) {
    reviewer.replace(wish.replace, wish.steps, now);
    return;
  }
  const { host, intent, sequence, ours } = wish;
  if (!ours && commands.refuses(intent, host.id)) return;
  audience.tell(host, 'the review of its intent', () => reviewer.review(intent, host, sequence));
}

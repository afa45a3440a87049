import { performance } from 'node:perf_hooks';
import { Presets, SingleBar } from 'cli-progress';
import type { SharedProgress } from './worker-protocol.ts';

const DRAW_EVERY_MS = 100;
const LINE_EVERY_SHARE = 0.1;

/** Shows how far a backtest is: a bar with rate and time left on a terminal, plain lines elsewhere. */
export function showProgress(progress: SharedProgress, stream: NodeJS.WriteStream): () => void {
  return stream.isTTY === true ? drawBar(progress, stream) : writeLines(progress, stream);
}

function drawBar(progress: SharedProgress, stream: NodeJS.WriteStream): () => void {
  const bar = new SingleBar(
    { stream, format: '{bar} {percentage}% | {events} events | {rate}/s | {left} left', hideCursor: true, clearOnComplete: true },
    Presets.shades_classic,
  );
  const started = performance.now();
  bar.start(1, 0, { events: '0', rate: '0', left: '-' });
  const draw = () => bar.update(progress.share, figures(progress, performance.now() - started));
  const timer = setInterval(draw, DRAW_EVERY_MS);
  return () => {
    clearInterval(timer);
    draw();
    bar.stop();
  };
}

function writeLines(progress: SharedProgress, stream: NodeJS.WriteStream): () => void {
  const started = performance.now();
  let next = LINE_EVERY_SHARE;
  const timer = setInterval(() => {
    // Read once: the run goes on while this line is made.
    const { share } = progress;
    if (share < next) return;
    next = (Math.floor(share / LINE_EVERY_SHARE) + 1) * LINE_EVERY_SHARE;
    const { events, rate, left } = figures(progress, performance.now() - started);
    stream.write(`${Math.round(share * 100)} % | ${events} events | ${rate}/s | ${left} left\n`);
  }, DRAW_EVERY_MS);
  return () => clearInterval(timer);
}

function figures({ events, share }: SharedProgress, elapsedMs: number): { events: string; rate: string; left: string } {
  const left = share > 0 ? `${Math.ceil(((elapsedMs / share) * (1 - share)) / 1000)} s` : '-';
  return { events: thousands(events), rate: thousands((events / Math.max(elapsedMs, 1)) * 1000), left };
}

function thousands(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

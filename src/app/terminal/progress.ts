import { performance } from 'node:perf_hooks';
import { Presets, SingleBar } from 'cli-progress';
import { steering } from './guarded-output.ts';

const DRAW_EVERY_MS = 100;
const LINE_EVERY_SHARE = 0.1;

/** The progress of some work: the share that is done, and the number of things counted. */
interface Progress {
  readonly share: number;
  readonly events: number;
}

/**
 * Shows the progress of a backtest or of other work: a bar with rate and time left on a terminal, plain lines elsewhere.
 * @param what the things that are counted, in the plural.
 */
export function showProgress(progress: Progress, stream: NodeJS.WriteStream, what = 'events'): () => void {
  return stream.isTTY === true ? drawBar(progress, stream, what) : writeLines(progress, stream, what);
}

function drawBar(progress: Progress, stream: NodeJS.WriteStream, what: string): () => void {
  const bar = new SingleBar(
    {
      stream: steering(stream),
      format: `{bar} {percentage}% | {events} ${what} | {rate}/s | {left} left`,
      hideCursor: true,
      clearOnComplete: true,
    },
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

function writeLines(progress: Progress, stream: NodeJS.WriteStream, what: string): () => void {
  const started = performance.now();
  let next = LINE_EVERY_SHARE;
  const timer = setInterval(() => {
    // Read once: the run continues in another thread meanwhile.
    const { share } = progress;
    if (share < next) return;
    next = (Math.floor(share / LINE_EVERY_SHARE) + 1) * LINE_EVERY_SHARE;
    const { events, rate, left } = figures(progress, performance.now() - started);
    stream.write(`${Math.round(share * 100)} % | ${events} ${what} | ${rate}/s | ${left} left\n`);
  }, DRAW_EVERY_MS);
  return () => clearInterval(timer);
}

function figures({ events, share }: Progress, elapsedMs: number): { events: string; rate: string; left: string } {
  const left = share > 0 ? `${Math.ceil(((elapsedMs / share) * (1 - share)) / 1000)} s` : '-';
  return { events: thousands(events), rate: thousands((events / Math.max(elapsedMs, 1)) * 1000), left };
}

function thousands(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** Whether the terminal shows more than ASCII: its locale has UTF-8, or it is Windows, which has no locale in the environment. */
export function showsUnicode(env: Readonly<Record<string, string | undefined>>, platform: string): boolean {
  if (platform === 'win32') return true;
  return /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || '');
}

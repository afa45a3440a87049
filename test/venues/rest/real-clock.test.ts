import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { interval, Subject, take, timeout, timer, toArray } from 'rxjs';
import { Poll } from '../../../src/venues/rest/polling/poll.ts';
import { ClockScheduler, SystemClock, TurnClock } from '../../../src/venues/rest/real-clock.ts';
import { ManualClock } from '../../exchange/manual-clock.ts';

/** A machine whose clocks are moved by hand. */
class Machine {
  wallMs = Date.UTC(2025, 0, 1);
  steadyMs = 500;
  uptimeMs = 90_000;
  readonly told: number[] = [];
  readonly clock = new SystemClock((byMs) => this.told.push(byMs), {
    wall: () => this.wallMs,
    steady: () => this.steadyMs,
    uptime: () => this.uptimeMs,
  });

  pass(ms: number): void {
    this.wallMs += ms;
    this.steadyMs += ms;
    this.uptimeMs += ms;
  }

  /** @returns what `clock` counts while so many ms pass. */
  counted(ms: number): number {
    const before = this.clock.now();
    this.pass(ms);
    return this.clock.now() - before;
  }
}

describe('the system clock', () => {
  test('reads the wall clock, in whole ms', () => {
    const machine = new Machine();
    expect(machine.clock.now()).toBe(Date.UTC(2025, 0, 1));
    machine.pass(1_234.9);
    expect(machine.clock.now()).toBe(Date.UTC(2025, 0, 1) + 1_234);
  });

  test.each([-120_000, 3_600_000])('does not jump when the wall clock is set by %i ms, and reports it once', (byMs) => {
    const machine = new Machine();
    const before = machine.clock.now();
    machine.wallMs += byMs;
    expect(machine.clock.now()).toBe(before);
    expect(machine.counted(100)).toBe(100);
    expect(machine.told).toEqual([byMs]);
  });

  // 0.0005 of 1,000 s is 0.5 s.
  test.each([
    [-120_000, 1_000_000 - 500],
    [120_000, 1_000_000 + 500],
    [-300, 1_000_000 - 300],
    [300, 1_000_000 + 300],
  ])('set by %i ms, it counts 1,000 s as %i ms', (byMs, expected) => {
    const machine = new Machine();
    machine.wallMs += byMs;
    let counted = 0;
    for (let second = 0; second < 1_000; second++) counted += machine.counted(1_000);
    expect(Math.abs(counted - expected)).toBeLessThanOrEqual(1);
  });

  test('never goes back while it is slowed', () => {
    const machine = new Machine();
    machine.wallMs -= 60_000;
    const steps = Array.from({ length: 20_000 }, () => machine.counted(0.25));
    expect(Math.min(...steps)).toBe(0);
  });

  test('adds the sleep of the machine at once', () => {
    const machine = new Machine();
    const before = machine.clock.now();
    machine.wallMs += 28_800_000;
    machine.uptimeMs += 28_800_000;
    expect(machine.clock.now() - before).toBe(28_800_000);
    expect(machine.told).toEqual([]);
  });

  test('reports a wall clock that was set while the machine slept', () => {
    const machine = new Machine();
    const before = machine.clock.now();
    machine.wallMs += 3_600_000 + 28_800_000;
    machine.uptimeMs += 28_800_000;
    expect(machine.clock.now() - before).toBe(28_800_000);
    expect(machine.told).toEqual([3_600_000]);
  });
});

describe('timers with the system clock', () => {
  afterEach(() => void jest.restoreAllMocks());

  function moveWallClock(ms: number): void {
    const { now } = Date;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + ms);
  }

  test.each([-120_000, 120_000])('a poll neither pauses nor becomes stale when the wall clock is set by %i ms', async (byMs) => {
    const answers$ = new Subject<string>();
    const poll = new Poll({
      clock: new SystemClock(),
      periodMs: 20,
      staleMs: 60_000,
      random: () => 0,
      fetch: () => Promise.resolve('price'),
    });
    const listening = poll.events$.subscribe(({ kind }) => answers$.next(kind));
    const seen = answers$.pipe(take(3), timeout({ first: 2_000 }), toArray());
    moveWallClock(byMs);
    await expect(new Promise((resolve, reject) => void seen.subscribe({ next: resolve, error: reject }))).resolves.toEqual(
      Array.from({ length: 3 }, () => 'answered'),
    );
    listening.unsubscribe();
  });
});

describe('the scheduler over a clock', () => {
  test('lets rxjs wait on that clock', async () => {
    const clock = new ManualClock(0);
    const seen: string[] = [];
    const scheduler = new ClockScheduler(clock);
    timer(250, scheduler).subscribe(() => seen.push(`timer ${scheduler.now()}`));
    interval(100, scheduler)
      .pipe(take(3))
      .subscribe({ next: (count) => seen.push(`${count} at ${clock.now()}`), complete: () => seen.push('over') });
    await clock.advance(1_000);
    expect(seen).toEqual(['0 at 100', '1 at 200', 'timer 250', '2 at 300', 'over']);
    expect(clock.pending).toBe(0);
  });

  test('cancels its timer when nothing waits any more', () => {
    const clock = new ManualClock(0);
    const waiting = timer(250, new ClockScheduler(clock)).subscribe();
    expect(clock.pending).toBe(1);
    waiting.unsubscribe();
    expect(clock.pending).toBe(0);
  });

  test('never works inside the call that schedules', async () => {
    const clock = new ManualClock(0);
    const seen: string[] = [];
    new ClockScheduler(clock).schedule(() => seen.push('work'));
    seen.push('scheduled');
    await clock.advance(0);
    expect(seen).toEqual(['scheduled', 'work']);
  });
});

describe('the clock of turns', () => {
  test('is constant during a turn and between turns, and moves at the start of one', async () => {
    const clock = new ManualClock(0);
    const turns = new TurnClock(clock);
    await clock.advance(5);
    expect(turns.now()).toBe(0);
    const seen: number[] = [];
    turns.take(() => seen.push(turns.now()));
    await clock.advance(5);
    expect([...seen, turns.now()]).toEqual([5, 5]);
  });

  test('never goes back', () => {
    let now = 10;
    const turns = new TurnClock({ now: () => now, schedule: () => () => {} });
    now = 4;
    turns.take(() => {});
    expect(turns.now()).toBe(10);
  });

  test('makes a turn of a scheduled callback, at its time', async () => {
    const clock = new ManualClock(0);
    const turns = new TurnClock(clock);
    const seen: unknown[] = [];
    turns.watch({ ended: () => seen.push(`ended, turning: ${turns.turning}`), failed: (error) => seen.push(error) });
    turns.schedule(7, () => seen.push(`${turns.now()}, turning: ${turns.turning}`));
    turns.schedule(8, () => {
      throw new Error('broken');
    });
    turns.schedule(9, () => seen.push('never'))();
    await clock.advance(10);
    expect(seen).toEqual(['7, turning: true', 'ended, turning: false', new Error('broken')]);
  });

  test('takes no turn inside a turn', () => {
    const turns = new TurnClock(new ManualClock(0));
    expect(() => turns.take(() => turns.take(() => {}))).toThrow('a turn begins when the one before is over');
    expect(turns.turning).toBe(false);
  });

  test('runs nothing that is scheduled once it is closed', async () => {
    const clock = new ManualClock(0);
    const turns = new TurnClock(clock);
    const seen: string[] = [];
    turns.schedule(1, () => seen.push('before'));
    turns.close();
    turns.schedule(2, () => seen.push('after'));
    await clock.advance(10);
    expect([seen, clock.pending]).toEqual([[], 0]);
  });
});

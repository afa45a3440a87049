import { describe, expect, test } from '@jest/globals';
import { interval, take, timer } from 'rxjs';
import { ClockScheduler, TurnClock } from '../../../src/venues/rest/real-clock.ts';
import { ManualClock } from '../../exchange/manual-clock.ts';

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

  test('lets go of its timer when nobody waits any more', () => {
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
  test('stands still during a turn and between turns, and moves at the start of one', async () => {
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

import { expect, test } from '@jest/globals';
import type { Heartbeat } from '../../../src/app/live/process/heartbeat.ts';
import { HeartbeatWatch, Incidents } from '../../../src/app/watchdog/heartbeat-watch.ts';

const T0 = 1_700_000_000_000;
const beat = (time: number, more: Partial<Heartbeat> = {}): Heartbeat => ({ pid: 7, mode: 'live', phase: 'running', time, ...more });
const watch = () => new HeartbeatWatch({ afterMs: 1_000, lookMs: 100 });

/** Looks every 100 ms at the same heartbeat. */
function looks(one: HeartbeatWatch, seen: Heartbeat | undefined, from: number, to: number, wall = (now: number) => T0 + now) {
  let life = one.look(seen, from, wall(from));
  for (let now = from + 100; now <= to; now += 100) life = one.look(seen, now, wall(now));
  return life;
}

test('a bot is silent once the time is over since a heartbeat was new, not before', () => {
  const one = watch();
  expect(looks(one, beat(T0), 0, 900)).toBe('alive');
  expect(one.look(beat(T0), 1_000, T0 + 1_000)).toBe('silent');
  expect(one.look(beat(T0 + 1_050), 1_100, T0 + 1_100)).toBe('alive');
});

test('without a first heartbeat there is nothing to miss', () => {
  expect(looks(watch(), undefined, 0, 5_000)).toBe('absent');
});

test('one that was stopped on purpose is not missed, and one that is started again is', () => {
  const one = watch();
  expect(looks(one, beat(T0, { phase: 'stopped' }), 0, 5_000)).toBe('stopped');
  expect(looks(one, beat(T0 + 5_100), 5_100, 6_000)).toBe('alive');
  expect(one.look(beat(T0 + 5_100), 6_100, T0 + 6_100)).toBe('silent');
});

test('at the first look the age of the heartbeat counts: a bot that died before is noticed at once', () => {
  expect(watch().look(beat(T0 - 1_000), 50, T0)).toBe('silent');
  expect(watch().look(beat(T0 - 999), 50, T0)).toBe('alive');
  // Of the future: a clock was set.
  expect(watch().look(beat(T0 + 60_000), 50, T0)).toBe('alive');
});

test('a wall clock that is set makes no bot look dead', () => {
  const one = watch();
  one.look(beat(T0), 0, T0);
  expect(one.look(beat(T0 + 100), 100, T0 + 3_600_000)).toBe('alive');
  expect(looks(one, beat(T0 + 100), 200, 1_000, () => T0 + 7_200_000)).toBe('alive');
});

test('a watchdog that slept with its machine gives the bot its full time again', () => {
  const one = watch();
  expect(looks(one, beat(T0), 0, 500)).toBe('alive');
  expect(one.look(beat(T0), 60_000, T0 + 60_000)).toBe('alive');
  expect(looks(one, beat(T0), 60_100, 60_900)).toBe('alive');
  expect(one.look(beat(T0), 61_000, T0 + 61_000)).toBe('silent');
});

test('a look that was late proves nothing: a bot that was silent before is not called alive, and is so only by a new heartbeat', () => {
  const one = watch();
  expect(looks(one, beat(T0), 0, 1_000)).toBe('silent');
  expect(one.look(beat(T0), 60_000, T0 + 60_000)).toBe('silent');
  expect(looks(one, beat(T0), 60_100, 62_000)).toBe('silent');
  expect(one.look(beat(T0 + 62_050), 62_100, T0 + 62_100)).toBe('alive');
});

test('one incident gets one rescue, however late the looks of the watchdog are; another one begins with a new heartbeat', () => {
  const one = watch();
  const incidents = new Incidents();
  const rescues: number[] = [];
  const look = (seen: Heartbeat, now: number) => {
    if (incidents.begins(one.look(seen, now, T0 + now), one.newest, false)) rescues.push(now);
  };
  for (const now of [0, 500, 1_000, 1_100]) look(beat(T0), now);
  // The process of the watchdog was stopped twice, for a minute.
  for (const now of [60_000, 60_500, 61_000, 61_500, 121_500, 122_000, 122_500]) look(beat(T0), now);
  expect(rescues).toEqual([1_000]);
  for (const now of [122_600, 123_000, 123_600]) look(beat(T0 + 122_600), now);
  expect(rescues).toEqual([1_000, 123_600]);
});

test('a bot that is called alive without a new heartbeat is rescued once, and one that is silent again during a rescue after its end', () => {
  const incidents = new Incidents();
  const [first, second] = [beat(T0), beat(T0 + 1)];
  expect(incidents.begins('silent', first, false)).toBe(true);
  expect(incidents.begins('alive', first, false)).toBe(false);
  expect(incidents.begins('silent', first, false)).toBe(false);
  expect(incidents.begins('alive', second, true)).toBe(false);
  expect(incidents.begins('silent', second, true)).toBe(false);
  expect(incidents.begins('silent', second, false)).toBe(true);
  expect(incidents.begins('silent', second, false)).toBe(false);
});

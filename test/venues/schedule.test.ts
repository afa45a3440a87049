import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Schedule } from '../../src/venues/simulated/simulated-clock.ts';

test('callbacks run by time, and first in first out within one time', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ time: fc.integer({ min: 0, max: 9 }), canceled: fc.boolean() })), (entries) => {
      const schedule = new Schedule();
      const ran: string[] = [];
      const name = (index: number) => `${entries[index]!.time}/${index}`;
      entries.forEach(({ time, canceled }, index) => {
        const cancel = schedule.add(time, () => ran.push(name(index)));
        if (canceled) cancel();
      });
      let last = Number.NEGATIVE_INFINITY;
      while (schedule.nextTime < Number.POSITIVE_INFINITY) {
        expect(schedule.nextTime).toBeGreaterThanOrEqual(last);
        last = schedule.nextTime;
        schedule.runNext();
      }
      const wanted = entries.map((entry, index) => ({ ...entry, index })).filter(({ canceled }) => !canceled);
      wanted.sort((a, b) => a.time - b.time || a.index - b.index);
      expect(ran).toEqual(wanted.map(({ index }) => name(index)));
    }),
  );
});

test('a callback added for the same time runs after the existing ones', () => {
  const schedule = new Schedule();
  const ran: string[] = [];
  schedule.add(1, () => {
    ran.push('first');
    schedule.add(1, () => ran.push('added'));
  });
  schedule.add(1, () => ran.push('second'));
  while (schedule.nextTime <= 1) schedule.runNext();
  expect(ran).toEqual(['first', 'second', 'added']);
});

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DayZone } from '../../src/model/day-zone.ts';

test('the hour of a moment in UTC is that of its ISO text, before 1970 too', () => {
  const zone = new DayZone();
  const times = fc.oneof(fc.constantFrom(-1, 0, -86_400_000, 3_599_999, 86_399_999), fc.integer({ min: -4e12, max: 4e12 }));
  fc.assert(fc.property(times, (time) => expect(zone.hourOf(time)).toBe(new Date(time).toISOString().slice(11, 13))));
});

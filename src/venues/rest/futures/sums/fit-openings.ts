import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import type { SideChange } from '../picture/side-change.ts';
import type { HiddenOpening } from '../picture/unlisted.ts';
import { fitOpening, sized } from './fit-opening.ts';

/** How far prices that orders name may lie from those that were traded, as a share. */
const NEAR = 0.02;

/**
 * Orders that may have opened something unseen, with the sizes that are worth what was opened. Those of one contract are tried
 * on what was traded, on what was closed as well where no other contract has to do with that. Of several, what lists have
 * shown stays, and of the rest there is only as much as the value pays for.
 * @param here positions that are not listed, or whose sums were not known, on the side of the opening.
 * @param closed all that was closed of these, in quote.
 */
export function fitOpenings(
  openers: readonly HiddenOpening[],
  here: readonly SideChange[],
  opened: Decimal,
  closed: Decimal,
  instruments: ReadonlyMap<string, Instrument>,
): readonly HiddenOpening[] {
  const [only] = openers;
  const instrument = only === undefined ? undefined : instruments.get(only.symbol);
  if (only === undefined || instrument === undefined || openers.length > 1) return cutToValue(openers, opened);
  const closers = here.filter((side) => side.closed.steps > 0);
  const heldBefore = closers.reduce((sum, side) => sum + side.closed.steps, 0);
  const alone = closers.every(({ symbol }) => symbol === only.symbol);
  return [fitOpening(only, { opened, closed: alone ? closed : undefined, heldBefore }, instrument)];
}

function cutToValue(openers: readonly HiddenOpening[], value: Decimal): readonly HiddenOpening[] {
  const shownOf = ({ shown = 0 }: HiddenOpening) => shown;
  const all = openers.reduce((sum, { estimate }) => sum.plus(estimate), ZERO);
  const certain = openers.reduce((sum, one) => sum.plus(one.estimate.times(shownOf(one)).div(one.steps)), ZERO);
  if (value.greaterThan(all.times(1 - NEAR)) || all.equals(certain)) return openers;
  const part = Math.max(0, value.minus(certain).div(all.minus(certain)).toNumber());
  return openers.map((one) => sized(one, shownOf(one) + Math.round((one.steps - shownOf(one)) * part))).filter(({ steps }) => steps > 0);
}
